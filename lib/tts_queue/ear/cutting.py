"""Cut a text for synthesis, at ends of sentences and clauses, the first segment short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from tts_queue.ear.layout import CLOSING, OPENING
from tts_queue.ear.lexicon import LEXICON
from tts_queue.ear.reading import to_ear
from tts_queue.ear.tokens import EarToken, SegmentBoundary, TextSegment

# The first segment ends at its first comma, and has no more words than this if there is a place to cut:
# the default voice lays out all words of a segment before any sound of it, at 5 ms a word.
FIRST_WORDS: Final = 8
EARLY_WORDS: Final = 5  # a first segment of no more is not cut, comma or not
MOST_WORDS: Final = 14  # of any other, if it has a comma: made well within the time that 8 words last
LEAST_WORDS: Final = 3  # a shorter one gives the next no time to be made; one word alone is said badly
_JOINERS: Final = frozenset(
    "and but or with without because which while who whose on for from after before unless if as than "
    "then so given despite in at to versus rather".split()
)


def segments(text: str) -> tuple[TextSegment, ...]:
    """Split `text` for synthesis: at the ends of sentences and clauses, the first segment short.

    Never inside a number with its unit or after an abbreviation, and, if the text has more than one
    word, never so that a word stands alone. Empty if there is nothing to say.
    """
    tokens = to_ear(text)
    if not any(any(c.isalnum() for c in token.spoken) for token in tokens):
        return ()
    pieces = _whole_enough(_at_stops(tokens))
    cut = [part for i, piece in enumerate(pieces) for part in _shorter(piece, first=i == 0)]
    return (*(_ended(piece) for piece in cut[:-1]), _closed(cut[-1]))


def spelled_out(plan: Sequence[TextSegment]) -> int:
    """Return how many words are said sign by sign, as what was made of them is not what is written."""
    return sum(token.spelled_out for segment in plan for token in segment.tokens)


def _ends(token: EarToken, after: EarToken) -> bool:
    """Return whether a sentence or a clause ends between two words."""
    mark = token.display.rstrip(CLOSING)
    if mark[-1:] in (";", ":", "!", "?"):
        return True
    if mark[-1:] != "." or mark in LEXICON.no_end_after:
        return False
    begins = after.display.lstrip(OPENING)[:1]
    return not (begins.islower() and begins.isascii())  # "β-blockers" may begin a sentence


def _at_stops(tokens: Sequence[EarToken]) -> list[list[EarToken]]:
    pieces: list[list[EarToken]] = [[]]
    for i, token in enumerate(tokens):
        pieces[-1].append(token)
        if i + 1 < len(tokens) and _ends(token, tokens[i + 1]):
            pieces.append([])
    return pieces


def _count(token: EarToken) -> int:
    return len(token.spoken.split())


def _whole_enough(pieces: Sequence[list[EarToken]]) -> list[list[EarToken]]:
    """Join what is too short to what follows, and a short last one to what goes before."""
    joined: list[list[EarToken]] = []
    last = LEAST_WORDS  # words of the last one
    for piece in pieces:
        if last < LEAST_WORDS:
            joined[-1] += piece
        else:
            joined.append(list(piece))
            last = 0
        last += sum(map(_count, piece))
    if len(joined) > 1 and last < 2:
        rest = joined.pop()
        joined[-1] += rest
    return joined


def _shorter(piece: Sequence[EarToken], *, first: bool) -> Iterator[list[EarToken]]:
    """Cut a long piece at commas; the first one, for want of a comma, before a joining word.

    Each look ahead ends where the cut is made, so all of them together go over the piece once or twice.
    """
    words = [0, *accumulate(map(_count, piece))]
    start = 0
    while True:
        limit = FIRST_WORDS if first else MOST_WORDS
        at = None
        if words[-1] - words[start] > (EARLY_WORDS if first else limit):
            at = _place(piece, words, start, limit, first=first)
        yield list(piece[start:at])
        if at is None:
            return
        start, first = at, False


def _place(
    piece: Sequence[EarToken], words: Sequence[int], start: int, limit: int, *, first: bool
) -> int | None:
    """Return where to cut what begins at `start`: at a comma within the limit, else at the next one."""
    near: int | None = None
    joiner: int | None = None
    for at in range(start + 1, len(piece)):
        within = words[at] - words[start] <= limit
        if not within and near is not None:
            return near
        if first and not within and (joiner is not None or words[-1] - words[start] <= limit):
            return joiner
        if not _may_cut(piece, words, start, at):
            continue
        if piece[at - 1].display.rstrip(CLOSING).endswith(","):
            if first or not within:
                return at
            near = at
        elif first and within and piece[at].display.lower() in _JOINERS:
            joiner = at
    return near if near is not None or words[-1] - words[start] <= limit else joiner


def _may_cut(piece: Sequence[EarToken], words: Sequence[int], start: int, at: int) -> bool:
    """Return whether both sides are long enough, and no number is cut from its unit."""
    if min(words[at] - words[start], words[-1] - words[at]) < LEAST_WORDS:
        return False
    left, right = piece[at - 1].display, piece[at].display
    return not (left[-1:].isdigit() and right not in _JOINERS) and left not in LEXICON.no_end_after


def _ended(tokens: list[EarToken]) -> TextSegment:
    """Return a segment that others follow, its last word with the pause that the engine should make."""
    last = tokens[-1]
    mark = last.display.rstrip(CLOSING)
    if mark[-1:] in (";", ":"):
        return TextSegment(tuple(tokens), SegmentBoundary.CLAUSE)
    if mark[-1:] in (".", "!", "?") and mark not in LEXICON.no_end_after:
        return TextSegment(tuple(tokens), SegmentBoundary.SENTENCE)
    return TextSegment((*tokens[:-1], replace(last, spoken=_with_pause(last.spoken))), SegmentBoundary.COMMA)


def _with_pause(spoken: str) -> str:
    return spoken if not spoken or spoken[-1] in ",;:!?" else f"{spoken},"


def _closed(tokens: list[EarToken]) -> TextSegment:
    """Return the last segment, its last word falling as at the end of a sentence."""
    last = tokens[-1]
    spoken = last.spoken if last.spoken[-1:] in ".!?" else f"{last.spoken.rstrip(',;:')}."
    return TextSegment((*tokens[:-1], replace(last, spoken=spoken if last.spoken else "")))

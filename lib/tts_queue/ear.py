"""Text for the ear: what is read on the page, word by word, with what an engine should say for it.

A stage of its own, before any engine: marks of layout go, numbers get their units in words, signs and
acronyms become what a clinician would say. Captions show the written words with the spoken ones' times.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tts_queue.ear_words import lexicon, spoken_core

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

_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_URL: Final = re.compile(r"(?:https?://|www\.)[^\s)\]]*[^\s)\].,;:!?]")
_MAIL: Final = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]*\w\b")
_NOTE: Final = re.compile(r"\s?\[\d+(?:[,–-]\s?\d+)*\]")
_CITED: Final = re.compile(r"\s?\([A-Z][\w'’-]+(?: et al\.?| (?:and|&) [A-Z]\w+)?,? (?:19|20)\d\d[a-z]?\)")
_BULLET: Final = re.compile(r"^\s*(?:[-*+•▪●◦]|\d{1,2}[.)])\s+")
_HEADING: Final = re.compile(r"^\s*#{1,6}\s*|\s*#+\s*$")
_RULE: Final = re.compile(r"^[\s|:+=_*-]+$")
_EMPHASIS: Final = re.compile(r"(\*{1,3}|_{2,3}|~~|`+)(?=\S)(.+?)(?<=\S)\1")
_UNDERLINE: Final = re.compile(r"(?<!\w)_(\S(?:.*?\S)?)_(?!\w)")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,80}>")
_DASHED: Final = re.compile(r"\s+(?:[-–—]{1,3})\s+|(?<=[^\W\d])—(?=[^\W\d])")
_OPENING: Final = "([{\"'“‘«"
_CLOSING: Final = ")]}\"'”’»"
_STOPS: Final = ".,;:!?…"
_SIGN_THEN_NUMBER: Final = re.compile(r"(?<=\s)([≥≤><±~≈]|>=|<=)\s+(?=\d)")


class Boundary(StrEnum):
    """What ends a segment."""

    SENTENCE = "sentence"
    CLAUSE = "clause"
    COMMA = "comma"


@dataclass(frozen=True, slots=True)
class EarToken:
    """One word as it is read, and what is said for it: none, one or several words."""

    display: str
    spoken: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch that is synthesised as one."""

    tokens: tuple[EarToken, ...]
    boundary: Boundary = Boundary.SENTENCE

    @property
    def spoken(self) -> str:
        """The words for the engine."""
        return " ".join(token.spoken for token in self.tokens if token.spoken)

    @property
    def display(self) -> str:
        """The words for the page."""
        return " ".join(token.display for token in self.tokens)


def to_ear(text: str) -> tuple[EarToken, ...]:
    """Return the words of `text`, without marks of layout, each with what is said for it."""
    words = plain(text).split()
    tokens: list[EarToken] = []
    for i, word in enumerate(words):
        before = words[i - 1].strip(_OPENING + _CLOSING) if i else ""
        said = _say(word, before)
        if word[0] in "([" and tokens and said:
            tokens[-1] = EarToken(tokens[-1].display, _with_pause(tokens[-1].spoken))
        tokens.append(EarToken(word, said))
    return tuple(tokens)


def segments(text: str) -> tuple[Segment, ...]:
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


def plain(text: str) -> str:
    """Return `text` without marks of layout: the words that are read, with pauses as punctuation."""
    lines = (_plain_line(line) for line in text.splitlines())
    said = [line for line in lines if line]
    ended = [line if line[-1] in _STOPS + _CLOSING else f"{line}." for line in said[:-1]]
    return " ".join([*ended, *said[-1:]])


def _plain_line(line: str) -> str:
    if _RULE.match(line):
        return ""
    line = _BULLET.sub("", _HEADING.sub("", line))
    line = _LINK.sub(r"\1", line)
    line = _MAIL.sub("email address", _URL.sub("link", line))
    line = _CITED.sub("", _NOTE.sub("", _TAG.sub("", line)))
    for _ in range(3):  # bold inside of italics inside of code: no deeper than that
        line = _UNDERLINE.sub(r"\1", _EMPHASIS.sub(r"\2", line))
    if line.count("|") > 1:
        line = ", ".join(cell.strip() for cell in line.strip().strip("|").split("|") if cell.strip())
    line = _DASHED.sub(", ", line.replace("**", "").replace("`", ""))
    line = _SIGN_THEN_NUMBER.sub(r"\1", f" {line}")
    return re.sub(r"\s+([,;:.!?])(?=\s|$)", r"\1", re.sub(r"\s+", " ", line)).strip()


def _say(word: str, before: str) -> str:
    """Return what is said for a written word, with the punctuation that makes a pause."""
    said = lexicon().said
    if word in said:
        return said[word]
    core = word.lstrip(_OPENING)
    closed = core.rstrip(_CLOSING)
    end = ""
    while closed and closed not in said and closed[-1] in _STOPS + _CLOSING:
        if closed[-1] in _STOPS:
            end = closed[-1] + end
        closed = closed[:-1]
    spoken = spoken_core(closed, before) if closed else ""
    if core[-1:] in ")]" and not end:
        end = ","
    if not spoken:
        return ""
    stop = end.replace("…", ",")[:1]
    return spoken if spoken[-1:] == stop else spoken + stop


def _with_pause(spoken: str) -> str:
    return spoken if not spoken or spoken[-1] in ",;:!?" else f"{spoken},"


def _ends(token: EarToken, after: EarToken) -> bool:
    """Return whether a sentence or a clause ends between two words."""
    mark = token.display.rstrip(_CLOSING)
    if mark[-1:] in (";", ":", "!", "?"):
        return True
    if mark[-1:] != "." or mark in lexicon().no_end_after:
        return False
    begins = after.display.lstrip(_OPENING)[:1]
    return not (begins.islower() and begins.isascii())  # "β-blockers" may begin a sentence


def _at_stops(tokens: Sequence[EarToken]) -> list[list[EarToken]]:
    pieces: list[list[EarToken]] = [[]]
    for i, token in enumerate(tokens):
        pieces[-1].append(token)
        if i + 1 < len(tokens) and _ends(token, tokens[i + 1]):
            pieces.append([])
    return pieces


def _words(tokens: Sequence[EarToken]) -> int:
    return sum(len(token.spoken.split()) for token in tokens)


def _whole_enough(pieces: Sequence[list[EarToken]]) -> list[list[EarToken]]:
    """Join what is too short to what follows, and a short last one to what goes before."""
    joined: list[list[EarToken]] = []
    for piece in pieces:
        if joined and _words(joined[-1]) < LEAST_WORDS:
            joined[-1] = joined[-1] + piece
        else:
            joined.append(piece)
    if len(joined) > 1 and _words(joined[-1]) < 2:
        last = joined.pop()
        joined[-1] = joined[-1] + last
    return joined


def _shorter(piece: list[EarToken], *, first: bool) -> list[list[EarToken]]:
    """Cut a long piece at a comma; the first one, for want of a comma, before a joining word."""
    limit = FIRST_WORDS if first else MOST_WORDS
    if _words(piece) <= (EARLY_WORDS if first else limit):
        return [piece]
    cuts = [i for i in range(1, len(piece)) if _may_cut(piece, i)]
    commas = [i for i in cuts if piece[i - 1].display.rstrip(_CLOSING).endswith(",")]
    near = [i for i in commas if _words(piece[:i]) <= limit]
    at = min(near, default=None) if first else max(near, default=None)
    if at is None and first:
        if _words(piece) <= limit:
            return [piece]
        joiners = [i for i in cuts if piece[i].display.lower() in _JOINERS and _words(piece[:i]) <= limit]
        at = max(joiners, default=None)
    at = at if at is not None else min(commas, default=None)
    if at is None:
        return [piece]
    return [piece[:at], *_shorter(piece[at:], first=False)]


def _may_cut(piece: Sequence[EarToken], at: int) -> bool:
    """Return whether both sides are long enough, and no number is cut from its unit."""
    if min(_words(piece[:at]), _words(piece[at:])) < LEAST_WORDS:
        return False
    left, right = piece[at - 1].display, piece[at].display
    return not (left[-1:].isdigit() and right not in _JOINERS) and left not in lexicon().no_end_after


def _ended(tokens: list[EarToken]) -> Segment:
    """Return a segment that others follow, its last word with the pause that the engine should make."""
    last = tokens[-1]
    mark = last.display.rstrip(_CLOSING)
    if mark[-1:] in (";", ":"):
        return Segment(tuple(tokens), Boundary.CLAUSE)
    if mark[-1:] in (".", "!", "?") and mark not in lexicon().no_end_after:
        return Segment(tuple(tokens), Boundary.SENTENCE)
    return Segment((*tokens[:-1], EarToken(last.display, _with_pause(last.spoken))), Boundary.COMMA)


def _closed(tokens: list[EarToken]) -> Segment:
    """Return the last segment, its last word falling as at the end of a sentence."""
    last = tokens[-1]
    spoken = last.spoken if last.spoken[-1:] in ".!?" else f"{last.spoken.rstrip(',;:')}."
    return Segment((*tokens[:-1], EarToken(last.display, spoken if last.spoken else "")))

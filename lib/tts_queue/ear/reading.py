"""One pass over the atoms of a text: at each the first rule that fits says what is said for it.

A rule looks at a few atoms around its place and at what was said before it, never further, so the time of the
pass is linear in the length of the text. What the pass made is then read again (`check`), stretch by stretch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tts_queue.ear.amounts import dash, dotted, every, number, plus, raised, times
from tts_queue.ear.atoms import Atom, AtomKind, Word, atoms_of, words_of
from tts_queue.ear.check import differs, sign_by_sign
from tts_queue.ear.fractions import fraction_sign
from tts_queue.ear.layout import CLOSING, STOPS, plain
from tts_queue.ear.lexicon import LEXICON
from tts_queue.ear.moments import date, day_of_month, lone_year, time_or_ratio
from tts_queue.ear.names import between, code, isotope, known, letters, roman, sign
from tts_queue.ear.place import After, LeftContext, Place, Rewritten, Rule
from tts_queue.ear.tens import tens
from tts_queue.ear.tokens import EarToken
from tts_queue.ear.units import counted, measured, per, thousands

_JOINING: Final = frozenset({"and", "or", "to"})  # "stage II or III"
_PAUSES: Final = ",;:!?"
_NEAR: Final = 4  # words back to which a pause may be moved


def _unit(place: Place) -> Rewritten | None:
    """Return a unit after a number, or one that can be nothing else."""
    if place.left.after is After.NUMBER and place.joined(0):
        return measured(place, one=place.left.one)
    if place.text(0) in LEXICON.sure_units and not place.glued(0):
        return measured(place, one=False)
    return None


_PLAIN: Final[tuple[Rule, ...]] = (known, letters, code)  # each of one word, and of nothing around it
_RULES: Final[Mapping[AtomKind, tuple[Rule, ...]]] = {
    AtomKind.NUMBER: (known, isotope, date, tens, day_of_month, time_or_ratio, lone_year, number),
    AtomKind.DOTTED: (date, dotted),
    AtomKind.RAISED: (isotope, raised),
    AtomKind.FRACTION: (fraction_sign,),
    AtomKind.LETTERS: (
        roman,
        thousands,
        _unit,
        known,
        every,
        isotope,
        day_of_month,
        times,
        counted,
        code,
        letters,
    ),
    AtomKind.SIGN: (_unit, known, times, per, between, plus, dash, sign),
}


def to_ear(text: str) -> tuple[EarToken, ...]:
    """Return the words of `text`, without marks of layout, each with what is said for it."""
    words = list(words_of(plain(text)))
    said, sure = _said(words, atoms_of(words))
    return tuple(_checked(words, said, sure))


def _said(words: Sequence[Word], atoms: Sequence[Atom]) -> tuple[list[str], list[bool]]:
    """Return what is said for each word, and whether a rule for words alone said it."""
    said = [""] * len(words)
    sure = [True] * len(words)
    left, at = LeftContext(), 0
    while at < len(atoms):
        place = Place(words, atoms, at, left)
        rule, found = next(
            (rule, found) for rule in _RULES[atoms[at].kind] if (found := rule(place)) is not None
        )
        for piece in found.pieces:
            _put(said, atoms[at + piece.offset].word, piece.text)
        first, last = atoms[at].word, atoms[at + found.atoms - 1].word
        for word in range(first, last + 1):
            sure[word] = sure[word] and rule in _PLAIN
        left = _left_after(place, found, rule)
        at += found.atoms
        follows = atoms[at].word if at < len(atoms) else len(words)
        for word in range(first, last + (follows != last)):
            _close(said, words, word)
            left = _after_stop(words[word].stop, left)
        if follows not in (last, len(words)) and words[follows].opening[:1] in ("(", "["):
            _pause(said, last)
            left = _after_stop(",", left)
    return said, sure


def _left_after(place: Place, said: Rewritten, rule: Rule) -> LeftContext:
    left, last = place.left, place[said.atoms - 1]
    if last.kind is AtomKind.SIGN and said.atoms == 1:
        return replace(left, after=said.after, one=said.one)
    word = last.text.casefold()
    numbered = rule is roman or word in LEXICON.numbered or (left.numbered and word in _JOINING)
    goes_on = left.dosed and (rule in (known, every) or last.text.isupper())
    dosed = said.after in (After.NUMBER, After.QUANTITY) or goes_on
    return LeftContext(said.after, last.text, left.word, numbered, dosed, said.one)


def _after_stop(stop: str, left: LeftContext) -> LeftContext:
    """Return what is left of `left` after a pause: the words, and after a comma also what they promise."""
    if not stop:
        return left
    if stop in ".;!?":
        return LeftContext()
    after = After.DAY if left.after is After.DAY else After.NOTHING
    return replace(left, after=after, one=False)


def _put(said: list[str], word: int, text: str) -> None:
    """Add words to what is said for a written one; a comma before any goes to the word before."""
    if text.startswith(","):
        _pause(said, word)
        text = text[1:].lstrip()
    if text:
        blank = "" if text.startswith("'") or not said[word] else " "
        said[word] = f"{said[word]}{blank}{text}"


def _pause(said: list[str], word: int) -> None:
    at = next((at for at in range(word, max(-1, word - _NEAR), -1) if said[at]), None)
    if at is not None and said[at][-1] not in _PAUSES:
        said[at] += ","


def _close(said: list[str], words: Sequence[Word], word: int) -> None:
    """Add the pause that a word's punctuation makes."""
    stop = words[word].stop
    if said[word] and stop and said[word][-1] != stop:
        said[word] += stop


def _checked(words: Sequence[Word], said: Sequence[str], sure: Sequence[bool]) -> Iterator[EarToken]:
    """Yield each word with what is said for it, and sign by sign where that is not what is written."""
    at = 0
    while at < len(words):
        end = at + 1
        while not sure[at] and end < len(words) and not sure[end]:
            end += 1
        stretch = range(at, end)
        written = " ".join(words[word].display for word in stretch)
        spoken = " ".join(said[word] for word in stretch if said[word])
        wrong = spoken != written and differs(written, spoken, words[at - 1].display if at else "")
        for word in stretch:
            display = words[word].display
            yield EarToken(display, _spelled(words[word]) if wrong else said[word], spelled_out=wrong)
        at = end


def _spelled(word: Word) -> str:
    return sign_by_sign(word.opening + word.core + word.closing.rstrip(STOPS + CLOSING)) + word.stop

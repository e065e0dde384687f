"""Words and the atoms of which they are made: runs of digits, runs of letters, signs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple

from tts_queue.ear.layout import CLOSING, OPENING, STOPS
from tts_queue.ear.lexicon import LEXICON

LONGEST_WORD: Final = 120  # letters; a longer one is read in parts, each of which costs so much at most
DASHES: Final = "-–—−‐‑‒―"
RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")

_ATOM: Final = re.compile(
    r"""(?P<DOTTED>\d+(?:\.\d+){2,})
      | (?P<NUMBER>\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|(?<![\w.])\.\d+)
      | (?P<RAISED>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
      | (?P<FRACTION>[½¼¾⅓⅔⅕⅛⅜⅝⅞])
      | (?P<LETTERS>[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹½¼¾⅓⅔⅕⅛⅜⅝⅞]+(?:['’][^\W\d_]+)*)
      | (?P<SIGN>\+/[-−–]|>=|<=|=>|-{1,3}>|[-–—]{2,3}|\+{2,4}|\S)""",
    re.VERBOSE,
)
_UCUM: Final = re.compile("|".join(map(re.escape, LEXICON.ucum)))
_ANNOTATION: Final = re.compile(r"\{[^{}\s]{0,40}\}")


class AtomKind(Enum):
    """What an atom is made of."""

    DOTTED = "digits with several points"
    NUMBER = "digits, with commas between thousands and one point"
    RAISED = "raised digits"
    FRACTION = "one sign for a fraction"
    LETTERS = "letters"
    SIGN = "anything else"
    END = "nothing: before the first, or after the last"


class Word(NamedTuple):
    """A word as it is read: its core, and what stands around it."""

    display: str
    opening: str
    core: str
    closing: str

    @property
    def stop(self) -> str:
        """The pause that its punctuation makes, or nothing."""
        dotted = self.closing[:1] == "." and f"{self.core}." in LEXICON.said
        mark = next((mark for mark in self.closing[dotted:] if mark in STOPS), "")
        if not mark and self.closing[-1:] in (")", "]"):
            return ","
        return mark.replace("…", ",")


class Atom(NamedTuple):
    """A part of a word's core. `glued`: the one before it belongs to the same word."""

    kind: AtomKind
    text: str
    word: int
    glued: bool


END: Final = Atom(AtomKind.END, "", -1, glued=False)


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a text that has no marks of layout."""
    after_number = False
    for whole in text.split():
        for at in range(0, len(whole), LONGEST_WORD):
            word = _word(whole[at : at + LONGEST_WORD], after_number=after_number)
            after_number = word.core[-1:].isdigit()
            yield word


def _word(display: str, *, after_number: bool) -> Word:
    said = _UCUM.sub(lambda found: LEXICON.ucum[found[0]], display) if set("[(") & set(display) else display
    if "{" in said and (after_number or said[0] != "{"):
        said = _ANNOTATION.sub("", said)
        if said.startswith("/") or not said:
            return Word(display, "", said, "")
        said = said.removesuffix("/")
    core = said.lstrip(OPENING)
    opening = said[: len(said) - len(core)]
    closed = core.rstrip(CLOSING + STOPS)
    return Word(display, opening, closed, core[len(closed) :])


def atoms_of(words: Sequence[Word]) -> list[Atom]:
    """Return the atoms of all words in order; a word that is but punctuation has none."""
    return [
        Atom(AtomKind[found.lastgroup or "SIGN"], found[0], number, glued=found.start() > 0)
        for number, word in enumerate(words)
        for found in _ATOM.finditer(word.core)
    ]

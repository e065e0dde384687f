"""The input and the result of a rule: an atom with those around it, and what is said for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from tts_queue.ear.atoms import DASHES, END, Atom, AtomKind, Word


class After(Enum):
    """What was said just before, without a pause since."""

    NOTHING = "nothing, or a pause"
    WORD = "a word"
    NUMBER = "a number"
    QUANTITY = "a number with its unit"
    CODE = "letters with a number"
    YEAR = "a year"
    PLACE = "a time of day, or a place in an order"
    DAY = "a day of a month"
    TO = "the middle of a range"


AMOUNTS = frozenset({After.NUMBER, After.QUANTITY, After.YEAR, After.PLACE})


@dataclass(frozen=True, slots=True)
class LeftContext:
    """What stands to the left of a place."""

    after: After = After.NOTHING
    word: str = ""  # the last word, as written
    before: str = ""  # the one before it
    numbered: bool = False  # a Roman numeral here is a number
    dosed: bool = False  # a dose, a route or a frequency has just been said
    one: bool = False  # the number was exactly 1


class SpokenPiece(NamedTuple):
    """Words for the atom so many places further."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a rule made of `atoms` atoms. A piece that begins with a comma makes a pause before it."""

    atoms: int
    pieces: tuple[SpokenPiece, ...]
    after: After = After.WORD
    one: bool = False


class Place:
    """An atom among all, seen from a rule: offsets count from it, and look a few atoms around."""

    __slots__ = ("_at", "_atoms", "_words", "left")

    def __init__(self, words: Sequence[Word], atoms: Sequence[Atom], at: int, left: LeftContext) -> None:
        self._words, self._atoms, self._at, self.left = words, atoms, at, left

    def __getitem__(self, offset: int) -> Atom:
        """Return the atom at an offset, or END."""
        at = self._at + offset
        return self._atoms[at] if 0 <= at < len(self._atoms) else END

    def text(self, offset: int) -> str:
        """Return the text of the atom at an offset."""
        return self[offset].text

    def word(self, offset: int) -> Word:
        """Return the word of the atom at an offset, which is there."""
        return self._words[self[offset].word]

    def is_number(self, offset: int) -> bool:
        """Return whether there is a number."""
        return self[offset].kind is AtomKind.NUMBER

    def is_whole(self, offset: int) -> bool:
        """Return whether there are digits alone."""
        return self[offset].kind is AtomKind.NUMBER and self[offset].text.isdecimal()

    def is_dash(self, offset: int) -> bool:
        """Return whether there is one dash."""
        return (
            self[offset].kind is AtomKind.SIGN and len(self[offset].text) == 1 and self[offset].text in DASHES
        )

    def is_sign(self, offset: int, *texts: str) -> bool:
        """Return whether there is one of these signs."""
        return self[offset].kind is AtomKind.SIGN and self[offset].text in texts

    def is_word(self, offset: int, *texts: str) -> bool:
        """Return whether there are these letters, whatever their case."""
        return self[offset].kind is AtomKind.LETTERS and self[offset].text.casefold() in texts

    def glued(self, *offsets: int) -> bool:
        """Return whether each of these belongs to the word of the atom before it."""
        for offset in offsets:
            if not self[offset].glued:
                return False
        return True

    def joined(self, offset: int) -> bool:
        """Return whether no pause lies between the atom at an offset and the one before it."""
        here, before = self[offset], self[offset - 1]
        if here is END or before is END:
            return False
        return here.glued or (not self._words[before.word].stop and not self._words[here.word].opening)

    def ends_word(self, offset: int) -> bool:
        """Return whether the atom at an offset is the last of its word."""
        return not self[offset + 1].glued


Rule: TypeAlias = Callable[[Place], Rewritten | None]

"""Powers of ten, in the many ways in which blood counts are written."""

from __future__ import annotations

from typing import Final

from tts_queue.ear.atoms import RAISED, AtomKind
from tts_queue.ear.numbers import in_words
from tts_queue.ear.place import After, Place, Rewritten, SpokenPiece

_USUAL: Final = frozenset({"3", "6", "9", "12"})  # "10*9" is a power, "10*5 mg" may be ten times five


def power(place: Place, at: int) -> Rewritten | None:
    """Return the power of ten that begins at an offset; its pieces count from there."""
    if place.text(at) != "10" or place[at].kind is not AtomKind.NUMBER:
        return None
    if place[at + 1].kind is AtomKind.RAISED and place.glued(at + 1):
        return _ten_to(place.text(at + 1).translate(RAISED), 2)
    if not place.glued(at + 1, at + 2):
        return None
    if place.is_sign(at + 1, "^"):
        minus = place.is_dash(at + 2)
        exponent = at + 3 if minus or place.is_sign(at + 2, "+") else at + 2
        if place.is_whole(exponent) and place.glued(exponent):
            return _ten_to(("-" if minus else "") + place.text(exponent), exponent - at + 1)
    if place.is_sign(at + 1, "*") and place.is_whole(at + 2):
        below = place.is_sign(at + 3, "/")
        return _ten_to(place.text(at + 2), 3) if below or place.text(at + 2) in _USUAL else None
    if place.is_word(at + 1, "e") and place.is_whole(at + 2):
        return _ten_to(place.text(at + 2), 3)
    if place.is_sign(at + 1, "(") and place.is_whole(at + 2) and place.is_sign(at + 3, ")"):
        return _ten_to(place.text(at + 2), 4)
    return None


def _ten_to(exponent: str, atoms: int) -> Rewritten:
    minus = "minus " if exponent.startswith("-") else ""
    return Rewritten(
        atoms, (SpokenPiece(0, f"ten to the {minus}{in_words(exponent.lstrip('+-'))}"),), After.NUMBER
    )

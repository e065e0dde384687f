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
    if place.is_sign(at + 1, "*"):
        minus = place.is_dash(at + 2) and place.glued(at + 3)
        exponent = at + 2 + minus
        sure = place.is_sign(exponent + 1, "/") or place.text(exponent) in _USUAL
        said = ("-" if minus else "") + place.text(exponent)
        return _ten_to(said, exponent - at + 1) if sure and place.is_whole(exponent) else None
    if place.is_dash(at + 1) and _is_multiplied(place, at) and place.is_whole(at + 2):
        return _ten_to(f"-{place.text(at + 2)}", 3) if len(place.text(at + 2)) == 1 else None
    if place.is_word(at + 1, "e") and place.is_whole(at + 2):
        return _ten_to(place.text(at + 2), 3)
    if place.is_sign(at + 1, "(") and place.is_whole(at + 2) and place.is_sign(at + 3, ")"):
        return _ten_to(place.text(at + 2), 4)
    return None


def scientific(place: Place) -> Rewritten | None:
    """Return "1.2E-5". "2E5" may be a name, and "10E-9" one of two numbers: they are read elsewhere."""
    if not place.is_number(0) or place.text(0) == "10" or not (place.is_word(1, "e") and place.glued(1, 2)):
        return None
    if place.glued(0) and place[-1].kind is AtomKind.LETTERS:
        return None
    minus = place.is_dash(2)
    signed = minus or place.is_sign(2, "+")
    exponent = 3 if signed else 2
    if not (place.is_whole(exponent) and place.glued(exponent) and len(place.text(exponent)) < 3):
        return None
    if not signed and "." not in place.text(0):
        return None
    power_of_ten = place.text(exponent).lstrip("0") or "0"
    (ten,) = _ten_to(("-" if minus else "") + power_of_ten, 1).pieces
    pieces = (SpokenPiece(0, in_words(place.text(0))), SpokenPiece(1, f"times {ten.text}"))
    return Rewritten(exponent + 1, pieces, After.NUMBER)


def _is_multiplied(place: Place, at: int) -> bool:
    """Tell of "2×10-3" and "1.5 x 10-3", where a raised minus was lost; "2 x 10-5 mg" may be a range."""
    times = place.is_word(at - 1, "x") or place.is_sign(at - 1, "×", "*", "∙", "·")
    return times and place.is_number(at - 2) and (place.glued(at) or "." in place.text(at - 2))


def _ten_to(exponent: str, atoms: int) -> Rewritten:
    minus = "minus " if exponent.startswith("-") else ""
    return Rewritten(
        atoms, (SpokenPiece(0, f"ten to the {minus}{in_words(exponent.lstrip('+-'))}"),), After.NUMBER
    )

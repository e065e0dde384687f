"""Say numbers with a "/": pressures, scores, fractions, British durations; and "½" and the like."""

from __future__ import annotations

from math import gcd
from typing import Final

from tts_queue.ear.atoms import AtomKind
from tts_queue.ear.lexicon import LEXICON
from tts_queue.ear.numbers import in_words
from tts_queue.ear.place import After, Place, Rewritten, SpokenPiece
from tts_queue.ear.units import symbol

_SIGNS: Final = {
    "½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3), "⅕": (1, 5), "⅛": (1, 8), "⅜": (3, 8),
    "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip
_PARTS: Final = {2: "half", 3: "third", 4: "quarter", 5: "fifth", 8: "eighth"}
_SPANS: Final = {"7": "day", "52": "week", "12": "month"}
_FOR_SPANS: Final = frozenset({"for", "in", "over", "every", "x", "within", "after"})
_AGO: Final = frozenset({"ago", "history", "hx"})
_VOWELS: Final = "aeiou"


def slashed(place: Place) -> Rewritten | None:
    """Return numbers with "/" between them."""
    if not (place.is_number(0) and place.is_sign(1, "/") and place.is_number(2) and place.joined(2)):
        return None
    if place.glued(1) != place.glued(2):
        return None
    if place.glued(0) and place.is_sign(-1, "+"):
        return _listed(place)
    if place.is_sign(3, "/") and place.is_number(4) and place.glued(3, 4):
        return _listed(place)
    first, second = place.text(0), place.text(2)
    if not (place.is_whole(0) and place.is_whole(2)):
        return _over(place)
    if any(len(digits) > 1 and digits[0] == "0" for digits in (first, second)):
        return Rewritten(
            3,
            (SpokenPiece(0, in_words(first)), SpokenPiece(1, "slash"), SpokenPiece(2, in_words(second))),
            After.NUMBER,
        )
    return _span(place) or _fraction(place) or _over(place)


def _listed(place: Place) -> Rewritten:
    pieces, at = [SpokenPiece(0, in_words(place.text(0)))], 1
    while place.is_sign(at, "/") and place.is_number(at + 1) and place.glued(at, at + 1):
        pieces += [SpokenPiece(at, ","), SpokenPiece(at + 1, in_words(place.text(at + 1)))]
        at += 2
    return Rewritten(at, tuple(pieces), After.NUMBER)


def _span(place: Place) -> Rewritten | None:
    """Return "5/7" as five days where a time is asked for."""
    unit = _SPANS.get(place.text(2))
    if unit is None or len(place.text(0)) > 2:
        return None
    after = place.text(3).casefold() if place.joined(3) else ""
    timed = place.left.word.casefold() in _FOR_SPANS or after in _AGO or unit == "week"
    if not timed or symbol(place, 3):
        return None
    said = unit if place.text(0) == "1" else f"{unit}s"
    return Rewritten(3, (SpokenPiece(0, in_words(place.text(0))), SpokenPiece(2, said)), After.QUANTITY)


def _over(place: Place) -> Rewritten:
    """Return a pressure, or what else has the greater number first, as "over"; a score as "out of"."""
    first, second = (float(place.text(at).replace(",", "")) for at in (0, 2))
    near = {place.left.word, place.left.before}
    near |= {word.casefold() for word in near}
    over = first > second or bool(near & (LEXICON.pressures | LEXICON.acuities))
    unit = symbol(place, 3) if place.joined(3) else None
    word = "over" if over or unit else "out of"
    said = (
        SpokenPiece(0, in_words(place.text(0))),
        SpokenPiece(1, word),
        SpokenPiece(2, in_words(place.text(2))),
    )
    return Rewritten(3, said, After.NUMBER)


def _fraction(place: Place) -> Rewritten | None:
    top, bottom = int(place.text(0)), int(place.text(2))
    if bottom not in _PARTS or not 0 < top < bottom or gcd(top, bottom) > 1:
        return None
    if place.left.after is After.NUMBER and place.joined(0) and _halved(place, 3):
        return Rewritten(3, (SpokenPiece(0, _and_part(top, bottom)),), After.NUMBER)
    return _part_of(place, top, bottom, 3, sure=False)


def fraction_sign(place: Place) -> Rewritten | None:
    """Return "½" and its like, alone or after a number."""
    if place[0].kind is not AtomKind.FRACTION:
        return None
    top, bottom = _SIGNS[place.text(0)]
    if place.left.after is After.NUMBER and place.joined(0):
        return Rewritten(1, (SpokenPiece(0, _and_part(top, bottom)),), After.NUMBER)
    return _part_of(place, top, bottom, 1, sure=True)


def _part_of(place: Place, top: int, bottom: int, atoms: int, *, sure: bool) -> Rewritten | None:
    """Return "half a", "one quarter of a" before what can be halved; "two thirds" before "of"."""
    part = f"{in_words(str(top))} {_plural(bottom, top)}"
    if place.joined(atoms) and place.is_word(atoms, "of"):
        return Rewritten(atoms, (SpokenPiece(0, part),), After.WORD)
    if place.joined(atoms) and place.is_word(atoms, "a", "an"):
        return Rewritten(atoms, (SpokenPiece(0, "half" if bottom == 2 else f"{part} of"),), After.WORD)
    noun = _halved(place, atoms)
    if not noun:
        return Rewritten(atoms, (SpokenPiece(0, part),), After.WORD) if sure else None
    if noun in ("normal", "strength", "life", "saline", "dextrose"):
        return Rewritten(atoms, (SpokenPiece(0, "half" if bottom == 2 else part),), After.WORD)
    if noun.endswith("s") and noun not in LEXICON.units:
        return Rewritten(atoms, (SpokenPiece(0, part),), After.WORD)
    unit = symbol(place, atoms)
    named = unit.one if unit else noun
    article = (
        "an" if named[0] in _VOWELS and not named.startswith("unit") else "an" if named == "hour" else "a"
    )
    said = f"half {article}" if bottom == 2 else f"{part} of {article}"
    return Rewritten(atoms, (SpokenPiece(0, said),), After.NUMBER if unit else After.WORD, one=True)


def _halved(place: Place, at: int) -> str:
    """Return the thing at an offset if it can be halved, else nothing."""
    text = place.text(at)
    if not place.joined(at) or place[at].kind is not AtomKind.LETTERS:
        return ""
    known = {text.casefold(), text.casefold().removesuffix("s")} & LEXICON.halved
    return text.casefold() if known else ""


def _and_part(top: int, bottom: int) -> str:
    return f"and {'a' if top == 1 else in_words(str(top))} {_plural(bottom, top)}"


def _plural(bottom: int, top: int) -> str:
    return _PARTS[bottom] if top == 1 else f"{_PARTS[bottom]}s"

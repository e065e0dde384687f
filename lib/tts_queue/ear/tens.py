"""An "s" after round digits: decades ("the 1980s"), tens ("HR 110s", "BP 80s/50s"), or seconds ("for 30s")."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

from tts_queue.ear.atoms import AtomKind
from tts_queue.ear.lexicon import LEXICON
from tts_queue.ear.moments import is_year
from tts_queue.ear.numbers import cardinal, year
from tts_queue.ear.place import After, Place, Rewritten, SpokenPiece

_IN_TENS: Final = frozenset(
    "the his her their my your early mid late low lower high upper".split()
)  # before tens, never before seconds
_LASTING: Final = frozenset({"for", "over", "after", "every", "within", "lasting", "lasted"})
_LEADING: Final = frozenset({"to", "of", "from", "around", "about", "now", "still", "is", "was", "were"})
_EITHER: Final = frozenset({"in", "of"})  # "woman in 60s", "relief in 30s"
_JOINING: Final = frozenset({"to", "and", "or", "over"})
_BACK: Final = 8  # atoms back to which a measure is looked for
_LEAST: Final = 20  # no pulse and no pressure is "in the tens"
_SYSTOLIC: Final = 50  # and more: "80s/50s" is a pressure, "30s/10s" may be on and off


class _Sense(Enum):
    TENS = "eighties"
    SECONDS = "eighty seconds"
    UNSURE = "eighty S"


def tens(place: Place) -> Rewritten | None:
    """Return round digits with an "s" as tens, or as they stand where they may be seconds as well.

    None: they are seconds, which the rules of units say.
    """
    digits = place.text(0)
    if not _is_round(place, 0):
        return None
    further = 2 if _has_s(place, 1) else 1
    goes_on = place.glued(further, further + 1) and place.is_whole(further + 1)
    if goes_on and place.is_sign(further, "/") and not is_year(digits):
        return _pressure(place, further)
    if further == 1 or not (place.ends_word(1) or (goes_on and (place.is_dash(2) or is_year(digits)))):
        return None
    if is_year(digits):
        return Rewritten(2, (SpokenPiece(0, _tens_said(digits)),), After.YEAR)
    sense = _sense(place)
    if sense is _Sense.SECONDS:
        return None
    return Rewritten(2, (SpokenPiece(0, _said(digits, sense)),), After.PLACE)


def _pressure(place: Place, over: int) -> Rewritten | None:
    """Return "80s/50s" and "80/50s", the stroke at an offset."""
    first, second = place.text(0), place.text(over + 1)
    if not (_is_round(place, over + 1) and _has_s(place, over + 2) and place.ends_word(over + 2)):
        return None
    sure = int(first) > int(second) >= _LEAST and int(first) >= _SYSTOLIC
    sense = _Sense.TENS if sure else _Sense.UNSURE
    said = (
        SpokenPiece(0, _said(first, sense) if over == 2 else cardinal(int(first))),
        SpokenPiece(over, "over" if sure else "slash"),
        SpokenPiece(over + 1, _said(second, sense)),
    )
    return Rewritten(over + 3, said, After.PLACE)


def _sense(place: Place) -> _Sense:
    words = list(_words_before(place, _before_range(place)))
    nearest = words[0] if words else frozenset()
    if nearest & _IN_TENS:
        return _Sense.TENS
    if any(word & _LASTING for word in words):
        return _Sense.SECONDS
    names = LEXICON.pressures | LEXICON.ranged
    if int(place.text(0)) >= _LEAST and any(word & names for word in words):
        return _Sense.TENS if nearest & (names | _LEADING) else _Sense.UNSURE
    return _Sense.UNSURE if nearest & _EITHER else _Sense.SECONDS


def _before_range(place: Place) -> int:
    """Return the offset before this number, and before what it is the end of a range with: "70s to 80s"."""
    at = -1
    while at > -_BACK and (place.is_dash(at) or place.is_word(at, *_JOINING)):
        number = at - 1 - _has_s(place, at - 1)
        if not place.is_whole(number):
            break
        at = number - 1
    return at


def _words_before(place: Place, at: int) -> Iterator[frozenset[str]]:
    """Yield the words back from an offset, as they stand and in parts, and commas as nothing.

    They end at the end of a clause, and at a number that is no round one with an "s".
    """
    for offset in range(at, at - _BACK, -1):
        if place[offset].kind is AtomKind.END:
            return
        stop = "" if place.glued(offset + 1) else place.word(offset).stop
        if stop not in ("", ":", ","):
            return
        if stop == ",":
            yield frozenset()
        if place.is_number(offset) and not (place.glued(offset) or _has_s(place, offset + 1)):
            return
        if place[offset].kind is AtomKind.LETTERS:
            yield frozenset({place.text(offset).casefold(), place.word(offset).core.casefold()})


def _is_round(place: Place, at: int) -> bool:
    digits = place.text(at)
    return place.is_whole(at) and digits[-1] == "0" and (len(digits) in (2, 3) or is_year(digits))


def _has_s(place: Place, at: int) -> bool:
    return place.glued(at) and place.text(at) == "s"


def _said(digits: str, sense: _Sense) -> str:
    return _tens_said(digits) if sense is _Sense.TENS else f"{cardinal(int(digits))} S"


def _tens_said(digits: str) -> str:
    said = year(int(digits)) if is_year(digits) else cardinal(int(digits))
    return f"{said}s" if digits[-2:] in ("00", "10") else f"{said.removesuffix('y')}ies"

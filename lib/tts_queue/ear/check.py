"""The check backwards: what is to be said is read again, and held against what is written.

Numbers, units, the signs that change a number, sides and negations have to be the same on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tts_queue.ear.aloud import Facts, Number, read_aloud
from tts_queue.ear.lexicon import LEXICON
from tts_queue.ear.numbers import by_digit
from tts_queue.ear.page import read_page

_SIGN_NAMES: Final = {
    ".": "point", ",": "comma", "/": "slash", ":": "colon", "^": "to the", "*": "star", "+": "plus", "(": "",
    ")": "", "−": "dash", "-": "dash", "–": "dash", "—": "dash",
}  # fmt: skip
_SAID_ALONE: Final = re.compile(r"\d+|[^\W\d_]+(?:['’][^\W\d_]+)*|\S")
_EXPONENT: Final = re.compile(r"(?<=\d[eE*^])[-−–](?=\d)")
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


def differs(written: str, spoken: str, before: str = "") -> bool:
    """Return whether the facts of `spoken` are not those of `written`; `before` is the word before it."""
    said = read_aloud(spoken)
    if _same(read_page(written, before), said):
        return False
    return not ("/" in written and _same(read_page(written, before, spans=True), said))


def _same(here: Facts, said: Facts) -> bool:
    if here.others - said.others or said.others - here.others - here.maybe:
        return False
    places = {0}  # how many of the numbers that are said may be accounted for
    for number in here.numbers:
        after = {end for at in places if (end := _accounted(number, said.numbers, at)) is not None}
        places = after | places if number.letters == "x" else after
    return len(said.numbers) in places


def _accounted(number: Number, said: Sequence[Number], at: int) -> int | None:
    """Return the place after those that are said for `number`, or None if another is.

    One number may be said as several ("twenty twenty-four"), never several as one.
    """
    if at < len(said) and said[at].letters:
        return at + 1 if said[at].letters == number.letters else None
    end, digits = at, ""
    while end < len(said) and len(digits) < len(number.digits):
        digits, end = digits + said[end].digits, end + 1
    if digits != number.digits or not digits or (number.to is not None and number.to != bool(said[at].to)):
        return None
    return end


def sign_by_sign(written: str) -> str:
    """Return a word with nothing left out: digits one by one, signs by name, letters as they stand."""
    said = []
    for part in _SAID_ALONE.findall(_EXPONENT.sub(" minus ", written.translate(_RAISED))):
        if part.isdecimal():
            said.append(by_digit(part))
        elif part[0].isalpha():
            said.append(LEXICON.greek.get(part, part))
        else:
            said.append(_SIGN_NAMES.get(part, LEXICON.signs.get(part, "")))
    return " ".join(word for word in said if word)

"""Numbers in words, by Unicode's rules for English: "one hundred twenty", "six point nine".

Without "and": "one hundred and five" could be 100 and 5.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from unicode_rbnf import FormatPurpose, RbnfEngine

_ENGINE: Final = RbnfEngine.for_language("en")
_DIGITS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LONGEST: Final = 6  # digits without a comma that are a number: more are a name, unless they end in zeros
_MOST: Final = 12  # digits of a number that anybody follows


@lru_cache(maxsize=4096)
def cardinal(number: int) -> str:
    """Return a whole number in words."""
    return _ENGINE.format_number(number, purpose=FormatPurpose.CARDINAL).text


@lru_cache(maxsize=512)
def ordinal(number: int) -> str:
    """Return an ordinal: "twenty-first"."""
    return _ENGINE.format_number(number, purpose=FormatPurpose.ORDINAL).text


@lru_cache(maxsize=512)
def year(number: int) -> str:
    """Return a year: "twenty twenty-four", "nineteen oh five"."""
    return _ENGINE.format_number(number, purpose=FormatPurpose.YEAR).text.replace("oh-", "oh ")


def by_digit(digits: str) -> str:
    """Return digits one by one."""
    return " ".join(_DIGITS[int(digit)] for digit in digits)


def is_name(digits: str) -> bool:
    """Return whether whole digits are no amount: a number of a bed, a phone or a patient."""
    long = len(digits) > LONGEST and not digits.endswith("000")
    return long or len(digits) > _MOST or (len(digits) > 1 and digits[0] == "0")


def in_words(written: str) -> str:
    """Return a written number ("1,200", "0.50", ".5") in words, with every digit after the point."""
    whole, point, rest = written.partition(".")
    grouped, whole = "," in whole, whole.replace(",", "") or "0"
    said = by_digit(whole) if (is_name(whole) and not grouped) or len(whole) > _MOST else cardinal(int(whole))
    return f"{said} point {by_digit(rest)}" if point else said

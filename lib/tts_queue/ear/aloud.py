"""Read the facts of a spoken text: numbers, units, signs, sides and negations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tts_queue.ear.lexicon import LEXICON

_SMALL: Final = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen".split()
    )
} | {"oh": 0, "tens": 10}
_TENS: Final = {
    word: 10 * number
    for number, word in enumerate("twent thirt fort fift sixt sevent eight ninet".split(), 2)
    for word in (f"{word}y", f"{word}ies")  # "in the twenties"
}
GREAT: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
        "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(),
        1,
    )
} | {
    f"{word}ieth": 10 * number
    for number, word in enumerate("twent thirt fort fift sixt sevent eight ninet".split(), 2)
}
_PARTS: Final = {
    "half": "2",
    "halves": "2",
    "quarter": "4",
    "quarters": "4",
    "thirds": "3",
    "fifths": "5",
    "eighths": "8",
}
_SIDES: Final = frozenset({"left", "right"})
_NEGATIONS: Final = frozenset("no not never without non none nil nothing cannot nor neither negative".split())
_SIGNS: Final = {
    ("plus", "or", "minus"): "±", ("at", "least"): "≥", ("at", "most"): "≤", ("minus",): "-", ("plus",): "+",
    ("above",): ">", ("below",): "<", ("about",): "~", ("positive",): "positive", ("thousand",): "thousand",
    ("once", "a", "day"): "1 a day", ("twice", "a", "day"): "2 a day",
    ("three", "times", "a", "day"): "3 a day", ("four", "times", "a", "day"): "4 a day",
}  # fmt: skip
MONTHS: Final = {name.casefold(): name for name in LEXICON.months}


@dataclass(slots=True)
class Number:
    """Digits of one number. `to`: what lies between it and the one before is "to"; None: it may be.

    `letters`: a Roman numeral as it is written, which may be said in place of the number.
    """

    digits: str
    to: bool | None = False
    letters: str = ""


@dataclass(slots=True)
class Facts:
    """What a reader found. `maybe`: facts that the other side may have."""

    numbers: list[Number] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    maybe: Counter[str] = field(default_factory=Counter)


def _unit_names() -> dict[tuple[str, ...], str]:
    names: dict[tuple[str, ...], str] = {}
    for one, many in LEXICON.units.values():
        for name in (one, many):
            names[tuple(_WORD.findall(name.casefold()))] = one
    return names


_WORD: Final = re.compile(r"o'clock|(?:[^\W\d_]\.)+[^\W\d_](?:'s)?|[^\W\d_]+(?:'t\b)?|,")
_ROMAN: Final = re.compile(r"(i{1,3}|iv|vi{0,3}|ix|xi{1,2}|x(?=[a-e]))[a-e]?")
_UNITS: Final = _unit_names()
_LONGEST: Final = max(map(len, _UNITS))


def read_aloud(spoken: str) -> Facts:
    """Return the facts in words that are to be said."""
    return read(words_of(spoken), Facts())


def words_of(said: str) -> list[str]:
    """Return the words of a text, and its commas, which end a number."""
    return _WORD.findall(said.casefold().replace("’", "'"))


def read(tokens: Sequence[str | Number], facts: Facts) -> Facts:
    """Add to `facts` those of words, among which there may be numbers in digits."""
    words = [token if isinstance(token, str) else "" for token in tokens]
    at, to = 0, False
    while at < len(words):
        word, token = words[at], tokens[at]
        if isinstance(token, Number):
            link = to if token.to is False else token.to
            scale = _scale(words, at + 1) if token.digits.isdecimal() and not token.letters else 1
            digits = str(int(token.digits) * scale) if scale > 1 else token.digits
            facts.numbers.append(Number(digits, link, token.letters))
            at, to = at + (2 if scale > 1 else 1), False
            continue
        if (named := _phrase(words, at)) is not None:
            name, used = named
            facts.others[name] += 1
            at += used
            continue
        if found := _number_at(words, at):
            groups, at = found
            for index, group in enumerate(groups):
                facts.numbers.append(Number(group, to=to and index == 0))
            to = False
            continue
        if (numeral := roman(word)) is not None:
            facts.numbers.append(Number("", None, numeral))
        elif word == "to":
            power = words[at + 1 : at + 2] == ["the"]
            facts.others["power"] += power
            to = not power
        elif word == "every" and tuple(words[at + 1 : at + 2]) in _UNITS:
            facts.numbers.append(Number("1"))
        elif word in _SIDES or word in MONTHS:
            facts.others[word] += 1
        elif word in _NEGATIONS or word.endswith("n't"):
            facts.others["not"] += 1
        at += 1
    return facts


def roman(word: str) -> str | None:
    """Return a word, or letters said one by one, without dots if it may be a Roman numeral; "x" is none."""
    letters = word.replace(".", "")
    return letters if _ROMAN.fullmatch(letters) else None


def _scale(words: Sequence[str], at: int) -> int:
    """Return by how much the word after a whole number makes it greater: "5 million"."""
    word = words[at] if at < len(words) else ""
    return 100 if word == "hundred" else GREAT.get(word, 1)


def _phrase(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """Return the sign or the unit that is named from a word on, the longest, and its words."""
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        key = tuple(words[at : at + length])
        if (sign := _SIGNS.get(key)) is not None:
            return sign, length
        if key == ("second",) and not (at and (words[at - 1] == "per" or _is_number(words[at - 1]))):
            return None
        if (unit := _UNITS.get(key)) is not None:
            return unit, length
    return None


def _is_number(word: str) -> bool:
    return word in _SMALL or word in _TENS


def _number_at(words: Sequence[str], at: int) -> tuple[list[str], int] | None:
    """Return the digits of the number that begins at a word, in groups, and the place after it."""
    word = words[at]
    if word == "o'clock":
        return ["00"], at + 1
    if word in _PARTS:
        alone = word == "half" or (word == "quarter" and at and words[at - 1] == "a")
        counted = at and _is_number(words[at - 1])
        return (["1"] if alone and not counted else []) + [_PARTS[word]], at + 1
    if word in _ORDINALS:
        a_third = word == "third" and at and words[at - 1] == "a"
        return ["1", "3"] if a_third else [str(_ORDINALS[word])], at + 1
    if word not in _SMALL and word not in _TENS:
        return None
    value, at, hundreds = _cardinal(words, at)
    if not value and list(words[at : at + 2]) == ["hundred", "hours"]:
        return ["0", "00"], at + 1
    if words[at : at + 1] == ["point"] and at + 1 < len(words) and _SMALL.get(words[at + 1], 10) < 10:
        digits, at = "", at + 1
        while at < len(words) and _SMALL.get(words[at], 10) < 10:
            digits, at = digits + str(_SMALL[words[at]]), at + 1
        return [f"{value}.{digits}"], at
    if hundreds and words[at : at + 1] == ["hours"]:
        return [str(value // 100), "00"], at
    return [str(value)], at


def _cardinal(words: Sequence[str], at: int) -> tuple[int, int, bool]:
    """Return a whole number or an ordinal, the place after it, and whether it ends with a hundred."""
    total, least = 0, 10**15
    while True:
        part, at = _below_hundred(words, at)
        hundreds = at < len(words) and words[at] in ("hundred", "hundreds", "hundredth") and part > 0
        if hundreds:
            part, at = part * 100, at + 1
            if at < len(words) and _begins_rest(words[at]):
                rest, at = _below_hundred(words, at)
                part, hundreds = part + rest, False
        great = GREAT.get(words[at].removesuffix("th"), 0) if at < len(words) else 0
        if not part or not great or great >= least:
            return total + part, at, hundreds
        total, least, at = total + part * great, great, at + 1
        if at >= len(words) or not _begins_rest(words[at]):
            return total, at, False


def _begins_rest(word: str) -> bool:
    return _SMALL.get(word, 0) > 0 or word in _TENS or word in _ORDINALS


def _below_hundred(words: Sequence[str], at: int) -> tuple[int, int]:
    word = words[at]
    if word in _ORDINALS:
        return _ORDINALS[word], at + 1
    if word in _SMALL:
        return _SMALL[word], at + 1
    follows = words[at + 1] if at + 1 < len(words) else ""
    units = _SMALL.get(follows, 0) if 0 < _SMALL.get(follows, 0) < 10 else _ORDINALS.get(follows, 0)
    return (_TENS[word] + units, at + 2) if 0 < units < 10 else (_TENS[word], at + 1)

"""Check that words of a free text support what a model copied from them. Pure.

Words count where they stand in the text, and as they are meant there: "penicillin" out of "no allergy to
penicillin" bears no allergy. A value belongs to the name that it stands right behind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from exaim_core.grounding.seen import seen
from exaim_core.text.assertion import Status, statuses_around
from exaim_core.text.quantities import NUMBER, quantities, unit_name

MOST_BETWEEN: Final = 6  # words between a name and its value: "potassium this morning was again 6.9"

_END: Final = re.compile(
    r"[.?!]+(?=\s|\Z)|\n(?=[ \t]*\n)|\n(?=[ \t]*(?:[-*•#]|\d{1,2}[.)]\s|[A-Z][\w /-]{0,40}:))|(?<=[:;])\n"
)
"""Where a sentence ends, or a line that stands for itself; a line that is only wrapped goes on in the next."""
_LABEL: Final = re.compile(r"\s*(?:#{1,6}\s+[^\n]{1,80}|[^\n]{1,80}:)\s*\Z")
_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}(?![\d,]))")
_LISTED: Final = re.compile(r"[-*•]|\d{1,2}[.)]\s")
_OVER: Final = re.compile(
    r"\b(?:stopped|discontinued|ceased|withheld|on hold|held|withdrawn|paused|no longer|came off|was off|until|"
    r"previously|formerly|used to|in the past|planned|proposed|to be (?:started|given|begun))\b",
    re.IGNORECASE,
)
"""What a sentence holds whose drug may not be taken now; all its drugs are left to whoever corrects the paper."""
_NO_MORE: Final = re.compile(
    r"(?:\s+(?:allergy|intolerance|reaction))?\W{0,3}(?:none|nil|no|denied|negative)\b", re.IGNORECASE
)
"""What stands right behind a name in a form that was filled in: "Penicillin allergy: none"."""
_ONCE: Final = re.compile(r"\bonce(?= (?:daily|weekly|monthly|nightly|a |per |every |each ))", re.IGNORECASE)
_BOUND: Final = re.compile(r"[<>≤≥~≈]\s*\Z|(?:\A|[\s(:=])[-−–]\Z")
"""What makes a number another one: a limit, or a minus."""
_FIGURE: Final = re.compile(rf"(?<![\w.])(?:{NUMBER})")


class NotBorne(Exception):
    """Words don't bear an entry; the message says why, without quoting it."""


@dataclass(frozen=True, slots=True)
class WordsPlace:
    """Where words stand in the text, and as what they are written there."""

    words: str
    start: int
    end: int


def place_of(text: str, words: str) -> WordsPlace:
    """Return where words stand in a text, blanks of any kind counting as one. Raises: NotBorne."""
    parts = words.split()
    if not parts:
        raise NotBorne("no words of the text were given for it")
    found = re.search(r"(?<!\w)" + r"\s+".join(map(re.escape, parts)) + r"(?!\w)", text)
    if found is None:
        raise NotBorne("these words do not stand in the text")
    return WordsPlace(found.group(), found.start(), found.end())


def meant_plainly(text: str, place: WordsPlace, *, may_be_past: bool = True) -> None:
    """Check that the text says the words of this patient, outright and of now. Raises: NotBorne."""
    start, end = sentence_around(text, place)
    sentence = _ONCE.sub("    ", text[start:end])  # a frequency, and not "once it is given"
    at, to = place.start - start, place.end - start
    told = statuses_around(sentence, at, to)
    label = f"{label_above(text, start)} "
    under = statuses_around(f"{label}{sentence.replace(':', ' ')}", len(label) + at, len(label) + to)
    if Status.NEGATED in told | under or _NO_MORE.match(sentence[to:]):
        raise NotBorne("the text denies it")
    if Status.OTHER_PERSON in told | under:
        raise NotBorne("the text says it of somebody else")
    if Status.CONDITIONAL in told:
        raise NotBorne("the text only supposes it")
    if not may_be_past and _OVER.search(sentence):
        raise NotBorne("the text may say that this is over, or not begun")


def sentence_around(text: str, place: WordsPlace) -> tuple[int, int]:
    """Return the bounds of the sentence or line in which words begin, and of all in which they go on."""
    within = [each for each in sentences(text) if each.start < place.end and place.start < each.end]
    return (within[0].start, within[-1].end) if within else (place.start, place.end)


def sentences(text: str) -> list[WordsPlace]:
    """Return a text's sentences and lines, in order."""
    return list(_sentences(text))


@lru_cache(maxsize=16)
def _sentences(text: str) -> tuple[WordsPlace, ...]:
    ends = [match.end() for match in _END.finditer(text)]
    found = []
    for start, end in pairwise([0, *ends, len(text)]):
        words = text[start:end].strip()
        if words:
            at = start + text[start:end].index(words[0])
            found.append(WordsPlace(words, at, at + len(words)))
    return tuple(found)


def label_above(text: str, start: int) -> str:
    """Return the label or heading above the line at `start`, alone or in a list; "" if there is none."""
    label: WordsPlace | None = None
    direct = False
    for each in _sentences(text):
        if each.start >= start:
            break
        direct = _LABEL.fullmatch(each.words) is not None
        if direct:
            label = each
        elif not _LISTED.match(text, each.start):
            label = None
    if label is None:
        return ""
    follows = direct and "\n\n" not in text[label.end : start].replace(" ", "")
    return label.words.strip("#: ") if follows or _LISTED.match(text, start) else ""


def told_with(text: str, place: WordsPlace) -> str:
    """Return the sentence of words, after the label that it stands under."""
    start, end = sentence_around(text, place)
    return f"{label_above(text, start)} {text[start:end]}"


def named_in(place: WordsPlace, name: str) -> WordsPlace:
    """Return where in a place a name stands; its end, where the name is only there as an abbreviation.

    Raises: NotBorne: it is not there at all.
    """
    names(place.words, name)
    found = re.search(r"\s+".join(map(re.escape, name.split())), place.words, re.IGNORECASE)
    start, end = found.span() if found else (len(place.words) - 1, len(place.words))
    return WordsPlace(place.words[start:end], place.start + start, place.start + end)


def names(words: str, name: str) -> None:
    """Check that words hold a name, in full or as its usual abbreviation. Raises: NotBorne."""
    if _at(words, name) is None:
        raise NotBorne("what it names does not stand in these words")


def holds(words: str, part: str) -> bool:
    """Return whether a part stands in words: letter by letter, or as the usual abbreviation."""
    plain = " ".join(words.split()).casefold()
    return " ".join(part.split()).casefold() in plain or _at(words, part) is not None


def number_in(words: str, number: float) -> bool:
    """Return whether a number stands in words, in figures, and as itself: not "<14", not "-14"."""
    return any(
        _value(match) == number for match in _figures(words) if not _BOUND.search(words[: match.start()])
    )


def unit_of(words: str, name: str, number: float, unit: str | None) -> str:
    """Return the unit of a name's value as written; "" if there is none. Raises: NotBorne."""
    if not number_in(words, number):
        raise NotBorne("its number does not stand in these words")
    if _first_behind(words, name) != number:
        raise NotBorne("in these words another number stands next to its name")
    plain = _DECIMAL_COMMA.sub(".", words)
    for each in quantities(plain):
        if each.value == number:
            written = _unit_written(plain[each.start : each.end])
            if unit and unit_name(unit) != each.unit:
                raise NotBorne("its number has another unit in these words, or none")
            return written
    raise NotBorne("its number can't be read in these words")


def range_in(words: str, low: float | None, high: float | None) -> bool:
    """Return whether a reference range stands in words as one: "135-145", "3.5 to 5.1"."""
    if low is None or high is None:
        return False
    plain = _DECIMAL_COMMA.sub(".", words)
    pairs = re.finditer(rf"(?<![\w.])({NUMBER})\s?(?:[-–]|to)\s?({NUMBER})(?![\w.]*\d)", plain)
    return any((_float(pair[1]), _float(pair[2])) == (low, high) for pair in pairs)


# -- inside ------------------------------------------------------------------------------------------


def _at(words: str, name: str) -> tuple[int, int] | None:
    """Return where a name stands among the words as they are compared."""
    forms, wanted = _forms(words), _forms(name)
    if not wanted:
        return None
    for at in range(len(forms) - len(wanted) + 1):
        if forms[at : at + len(wanted)] == wanted:
            return at, at + len(wanted)
    return None


def _forms(text: str) -> Sequence[str]:
    return [word.form for word in seen(text).words]


def _first_behind(words: str, name: str) -> float | None:
    """Return the first number near behind a name, or else before it ("6.9 mmol/L potassium")."""
    found = seen(words).words
    place = _at(words, name)
    if place is None:
        return None
    for word in found[place[1] : place[1] + MOST_BETWEEN]:
        if word.number:
            return _float(word.number)
    before = [word.number for word in found[max(0, place[0] - MOST_BETWEEN) : place[0]] if word.number]
    return _float(before[-1]) if before else None


def _figures(words: str) -> list[re.Match[str]]:
    return [*_FIGURE.finditer(_DECIMAL_COMMA.sub(".", words))]


def _value(match: re.Match[str]) -> float:
    return _float(match.group())


def _float(number: str) -> float:
    plain = re.match(NUMBER, number)
    return float(plain.group().replace(",", "")) if plain else float("nan")


def _unit_written(quantity: str) -> str:
    match = re.match(rf"(?:{NUMBER})(?:/\d+)?(?:\s?(?:[-–]|to)\s?(?:{NUMBER}))?[\s-]?", quantity)
    return quantity[match.end() :].strip() if match else ""

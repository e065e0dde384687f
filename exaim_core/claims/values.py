"""Find which value a sentence gives for a name: the newest one, with the words about it alone.

A number with a unit that fits belongs to the name before it unless something else begins between them; a number
without one only if nothing but words that lead to a value stand between. In a course ("was 138 a year
ago and is 109 today") each value has the words up to the next, and the one that is said to be of now counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from exaim_core.lexicon.withdrawn import blank
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon

REACH: Final = 60  # characters from a name, or from the value before, to a value


@dataclass(frozen=True, slots=True)
class Given:
    """A value, and its sentence with blanks for words about other values of the same thing."""

    quantity: Quantity
    view: str
    now: bool  # it is called the present or newest value
    beyond: str = ""  # "above" or "below" if the value is said to lie there
    said_from: int = -1  # the start of that word or sign


_FORMS: Final = lexicon("claims/values")
_LABEL: Final = re.compile(r"(?<=[:;])\s*[^:;,.]{1,30}:(?=\s)")
LEADING_WORDS: Final = 6  # words between a name and a number without a unit; the last lead to it
THRESHOLD_WORDS: Final = 4  # words before a number: a word so near makes it a limit
_ARRIVES: Final = re.compile(r"\b(?:to|at|from)\s*\Z", re.IGNORECASE)
_DENIED: Final = re.compile(r"\bnot (?:at |of )?\Z", re.IGNORECASE)
_RANGE_GOES_ON: Final = re.compile(r"\s?[-–]\s?\d")
_CLOCK: Final = re.compile(r":\d")
_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)"
)
_MONTH_AFTER: Final = re.compile(rf"(?:st|nd|rd|th)?(?: of)?[ /-]{_MONTH}\b")
_MONTH_BEFORE: Final = re.compile(rf"\b{_MONTH}\.? \Z")
_SENTENCE_PART: Final = re.compile(r"[;:.](?=\s)")


def newest_value(text: str, start: int, end: int, stop: int, reads: Callable[[str], bool]) -> Given | None:
    """Return the newest value that `text` gives for the name at [start, end), or None.

    `stop` is where the next thing is named. `reads` returns whether a number with a unit ("" for none) may be its
    value.
    """
    found = _candidates(text, start, end, stop, reads)
    if not found:
        return None
    last = _SENTENCE_PART.search(text, found[-1].end, stop)
    parted = (_parted(text, one.end, other.start) for one, other in pairwise(found))
    bounds = [end, *parted, last.start() if last else stop]
    regions = [(bounds[at], bounds[at + 1]) for at in range(len(found))]
    opening = max((match.end() for match in _SENTENCE_PART.finditer(text, 0, start)), default=0)
    said = [text[first:last] for first, last in regions]
    now = [
        any(
            (
                _FORMS["now"].search(words) and not _FORMS["was_today"].search(words),
                _FORMS["is"].search(text, first, one.start),
                _FORMS["right"].match(text, one.end),
            )
        )
        for words, one, (first, _) in zip(said, found, regions, strict=True)
    ]
    then = [
        _FORMS["then"].search(words) is not None for words in [f"{text[opening:start]} {said[0]}", *said[1:]]
    ]
    for at, (one, other) in enumerate(pairwise(found)):
        if _FORMS["came_to"].search(text[one.end : other.start]):  # a course begins with what was
            now[at], then[at] = False, True
    chosen = _newest(now, then)
    others = [region for at, region in enumerate(regions) if at != chosen]
    newer = chosen > 0 and then[0] and not then[chosen]
    lies = _lies_beyond(text, text[regions[chosen][0] : found[chosen].start], found[chosen].end)
    return Given(
        found[chosen],
        blank(text, others),
        now=newer or (len(found) > 1 and now[chosen]) or _FORMS["now"].search(said[chosen]) is not None,
        beyond="" if lies is None else "above" if lies["above"] else "below",
        said_from=-1 if lies is None else regions[chosen][0] + lies.start("word"),
    )


def value_after(sentence: str, start: int, reads: Callable[[str], bool]) -> Quantity | None:
    """Return the newest value after a name that ends at `start`; `reads` as in `newest_value`."""
    found = newest_value(sentence, start, start, len(sentence), reads)
    return found.quantity if found else None


def value_before(text: str, start: int, reads: Callable[[str], bool]) -> Quantity | None:
    """Return the value that stands right before a name that begins at `start`: "a 6.9 mmol/L potassium"."""
    for quantity in quantities(text):
        if not quantity.unit and not _FORMS["article"].search(text, 0, quantity.start):
            continue
        if reads(quantity.unit) and text[quantity.end : start].strip() == "" and quantity.end < start:
            return quantity
    return None


def _candidates(text: str, start: int, end: int, stop: int, reads: Callable[[str], bool]) -> list[Quantity]:
    found: list[Quantity] = []
    passed = False  # the number before is none that was measured
    since, changes = end, _FORMS["change_of"].search(text, 0, start) is not None
    every = quantities(text)
    for quantity in every[bisect_left(every, end, key=lambda each: each.start) :]:
        if quantity.start >= stop or quantity.start > since + REACH:
            break
        link = text[since : quantity.start]
        if not reads(quantity.unit) or _CLOCK.match(text, quantity.end) or _is_of_a_clock(quantity):
            continue
        if _is_of_a_date(text, quantity):
            continue
        if (
            (_is_limit(link) and not _lies_beyond(text, link, quantity.end))
            or _FORMS["limit_after"].match(text, quantity.end)
            or _FORMS["difference"].search(link)
        ):
            break
        if changes and not _ARRIVES.search(link):
            break
        if _DENIED.search(link) or _FORMS["mistaken"].search(link) or _FORMS["modal"].search(link):
            since, passed = quantity.end, not link.endswith("from ")
            continue
        if passed and link == " to ":
            since, passed = quantity.end, False
            continue  # "should have risen 10 to 20 g/L"
        if not _is_linked(text, start, link, quantity, first=not found):
            break
        found.append(quantity)
        since = quantity.end
    return found


def _is_of_a_clock(quantity: Quantity) -> bool:
    """Return whether it is written as an hour is and no value is: whole, after a zero, no unit ("at 06")."""
    number = quantity.number
    return not quantity.unit and len(number) > 1 and number.startswith("0") and number.isdigit()


def _is_of_a_date(text: str, quantity: Quantity) -> bool:
    """Return whether it is the day of a month: "K 2.9 mmol/L (12 May)"."""
    if quantity.unit or not quantity.number.isdigit():
        return False
    return bool(_MONTH_AFTER.match(text, quantity.end) or _MONTH_BEFORE.search(text[: quantity.start]))


def _is_linked(text: str, start: int, link: str, quantity: Quantity, *, first: bool) -> bool:
    in_range = "-" in quantity.number or _RANGE_GOES_ON.match(text, quantity.end) is not None
    if in_range and (not first or link.rstrip().endswith("(")):
        return False  # "6.9 mmol/L (3.5-5.0)": the usual range
    lies = _lies_beyond(text, link, quantity.end)
    leads = _FORMS["between"].match(link[: lies.start("word")] if lies else link) is not None
    if quantity.unit:
        labels = _LABEL.findall(link)
        if not first and any(not _FORMS["timed"].search(label) for label in labels):
            return False
        goes_on = not first and any(not link[each.end() :].strip() for each in _FORMS["now"].finditer(link))
        return leads or goes_on or _FORMS["new_subject"].search(_LABEL.sub("", link)) is None
    leads = leads or (not first and _FORMS["and_is"].search(link) is not None)
    leads = leads or (
        first
        and len(link.split()) <= LEADING_WORDS
        and _FORMS["leads"].match(link) is not None
        and _FORMS["new_subject"].search(link) is None
    )
    if not leads or _FORMS["no_value"].match(text, quantity.end):
        return False
    return not (link.strip() == "of" and _FORMS["ordinal"].search(text, 0, start))


def _lies_beyond(text: str, link: str, end: int) -> re.Match[str] | None:
    """Return the words of `link` that say of a value that it lies beyond the number that ends at `end`; or None.

    A verb says so ("is under 7"), or the test that gave it ("pH < 6.8 on the gas"). A comparator alone does not.
    """
    said = _FORMS["lies_beyond"].search(link)
    if said is None and _FORMS["on_a_test"].match(text, end):
        return _FORMS["compared"].fullmatch(link)
    return said


def _is_limit(link: str) -> bool:
    near = " ".join(link.split()[-THRESHOLD_WORDS:])
    return _FORMS["threshold"].search(near) is not None


def _parted(text: str, start: int, end: int) -> int:
    """Return where the words about the value ending at `start` give way to the next value's, at `end`."""
    marks = [match.start() for match in _FORMS["part"].finditer(text, start, end)]
    return marks[-1] if marks else start


def _newest(now: list[bool], then: list[bool]) -> int:
    places = range(len(now))
    for wanted in ([at for at in places if now[at]], [at for at in places if not then[at]]):
        if wanted:
            return wanted[-1]
    return len(now) - 1

"""Which value a sentence gives for what it names: of several the newest, with what is said of that one alone.

A number with a unit that fits belongs to the name before it unless something else begins between them; a number
without one only where nothing but words that lead to a value stand between. Of a course ("was 138 a year
ago and is 109 today") each value has the words up to the next, and the one that is said to be of now counts.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from exaim_core.lexicon.withdrawn import blank
from exaim_core.text.quantities import Quantity, quantities

REACH: Final = 60  # characters from a name, or from the value before, to a value


@dataclass(frozen=True, slots=True)
class Given:
    """A value, and the sentence with each letter at its place, blank where it speaks of other values of the same."""

    quantity: Quantity
    view: str
    now: bool  # it is said to be of now, or to be the newest
    beyond: str = ""  # "above" or "below" if the value is said to lie there
    said_from: int = -1  # where that word or sign begins


# No text fits two of these alternatives or two ways through one, so that it is read once: hence \d++.
_BETWEEN: Final = re.compile(
    r"[\s,;:=*~≈→]*(?:\(?(?:level|value|concentration|count|reading|result|today|now|currently|only|still|is|was|are|were|of|at|has|have|"
    r"come|came|back|as|risen|fallen|doubled|climbed|jumped|peaked|dropped|gone|increased|decreased|rose|fell|to|just|critically|high|low|about|around|nearly|from|repeat|"
    r"remains?|stands?|reads?|measures?|runs?|shows?|reported|up|down|the|an?|and|mg/dL|(?:in|on|from|over|by|at) (?:(?:the|his|her|their|both|this|repeat|second|latest|room) )*(?:(?:right|left|upper|lower|arterial|venous|radial|brachial|femoral|blood) )*(?:arms?|legs?|wrist|thigh|air|line|gas|sample|cuff|monitor|side|limbs?|ward|bedside|measurement|oxygen)|(?:on|by) (?:the )?(?:arrival|admission|repeat)|(?:taken|measured|checked|recorded|repeated|confirmed)(?: twice| again)?|lying(?: down)?|standing|sitting|supine|this (?:morning|afternoon|evening|week)|suddenly|here|it|most recent(?:ly)?|latest|newest|second|third|then|later|yesterday|earlier|before|previously|initially|overnight|at first|first|(?:an?|one|two|three|some|\d++) (?:years?|months?|weeks?|days?|hours?|minutes?) (?:ago|earlier|before|later)|last (?:year|month|week|night)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|\d++(?:\.\d++)?)\)?[\s,;:=*~≈→]*)*\(?\Z",
    re.IGNORECASE,
)
_REPEATED: Final = r"(?:repeat(?:ed)?|second|third|latest|newest|new|fresh|confirmatory|true|real|actual|correct|proper|right)"
_GOES_ON: Final = (
    rf"and|but|is|are|has|have|had|was|were|it|this|that|now|came|come|still|from|in|on|at|by|to|up|down|drawn|taken|which|measured|{_REPEATED}|confirmed|rechecked|currently|today|"
    r"yesterday|later|then|only|just|again|previously|previous|initially|initial|earlier|before|after|reads?|reading|values?|results?|levels?|current|critical\w*|low|high|about|around|nearly|almost|"
    rf"approximately|roughly|baseline|admission|not|(?:the|an?|his|her|its) (?:{_REPEATED}|result|value|level|figure|reading)|hers|his (?:is|was|own)"
)
_NEW_SUBJECT: Final = re.compile(
    rf"(?:[,:;(]|\band\b|\bwith\b|\bbut\b)\s*+(?!(?:{_GOES_ON})\b|[\d+=~≈<>(])\S", re.IGNORECASE
)
_LABEL: Final = re.compile(r"(?<=[:;])\s*[^:;,.]{1,30}:(?=\s)")
_TIMED: Final = re.compile(
    r"\d|\b(?:admission|arrival|today|now|yesterday|baseline|repeat|latest|current|previous|initial|day|hour|morning|evening|night)\b",
    re.IGNORECASE,
)
_THRESHOLD: Final = re.compile(
    r"(?<!\w)(?:above|below|over|under|exceeds?|exceeding|beyond|less than|more than|greater than|higher than|lower than|at least|at most|no more than|target|goal|"
    r"ref|range|normal|limit|threshold|aim(?:ing)?|stays?|until|cut-?off|reference|never|or (?:more|less|higher|lower))(?!\w)|[<>≤≥]",
    re.IGNORECASE,
)
_LIES_BEYOND: Final = re.compile(
    r"(?:\A\s*:|\b(?:is|was|remains|reads|now|back(?: at)?|risen to|fallen to))(?: (?:now|still|well|far|even|already|just))*\s+"
    r"(?P<word>(?P<above>above|over|more than|greater than|higher than|>=?|≥)|below|under|less than|lower than|<=?|≤)\s*\Z",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(
    r"[^,;:()]*?(?:, (?:which|that) (?:is|was) |(?<!\w)(?:to|of|is|was|reads?|now|(?:is|sits|stands|remains|now|down|up|back) at) )(?:only |just |about |around |now |still |even )*\Z",
    re.IGNORECASE,
)
LEADING_WORDS: Final = 6  # between a name and a number without a unit, of which the last lead to it
THRESHOLD_WORDS: Final = 4  # before a number: so near a word makes it a limit
_LIMIT_AFTER: Final = re.compile(
    r"\s*(?:or|and) (?:more|less|above|below|worse|better|higher|lower|greater|over|under|fewer)\b|\s*[+≥≤](?!\d)",
    re.IGNORECASE,
)
_DIFFERENCE: Final = re.compile(
    r"\bby(?: (?:about|around|nearly|some|another|a further|only))?\s*\Z", re.IGNORECASE
)
_CHANGE_OF: Final = re.compile(
    r"\b(?:rise|fall|drop|increase|decrease|change|difference|reduction|gain|loss|decline|swing|shift|excess|deficit) (?:in|of) (?:(?:the|his|her|their|its|serum|plasma) )*\Z",
    re.IGNORECASE,
)
_ARRIVES: Final = re.compile(r"\b(?:to|at|from)\s*\Z", re.IGNORECASE)
_DENIED: Final = re.compile(r"\bnot (?:at |of )?\Z", re.IGNORECASE)
_MISTAKEN: Final = re.compile(r"\b(?:wrongly|mistakenly|erroneously|falsely|in error)\b", re.IGNORECASE)
_MODAL: Final = re.compile(r"\b(?:could|may|might|would|should|can)(?: \w+){0,3}\s*\Z", re.IGNORECASE)
_RANGE_GOES_ON: Final = re.compile(r"\s?[-–]\s?\d")
_AND_IS: Final = re.compile(
    r"(?:\band|\bbut|;)(?: it| they)? (?:is|are|was|were)(?: now| back| down| up| at)*\s*\Z", re.IGNORECASE
)
_ARTICLE: Final = re.compile(r"\b(?:an?|the|his|her) \Z", re.IGNORECASE)
_CLOCK: Final = re.compile(r":\d")
_NO_VALUE: Final = re.compile(
    r"\s*(?:(?:of|pools?|units?|bags?|doses?|tablets?|ampoules?|vials?|times|samples?|results?|pages?|beds?|more|less|[ap]\.?m|o['’]clock|st|nd|rd|th|years?|days?|weeks?|months?)\b|[a-zµ]+/[a-z]|:\d)",
    re.IGNORECASE,
)
_ORDINAL: Final = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|last|\d+(?:st|nd|rd|th)) \Z", re.IGNORECASE
)
_PART: Final = re.compile(r"[;,(]|\b(?:and|but|then|to)\b|→|->", re.IGNORECASE)
_NOW: Final = re.compile(
    rf"\b(?:now|today|currently|at present|this (?:morning|afternoon|evening)|most recent(?:ly)?|{_REPEATED})\b",
    re.IGNORECASE,
)
_IS: Final = re.compile(r"\b(?:is|are|has come)\b", re.IGNORECASE)
_THEN: Final = re.compile(
    r"\b(?:was|were|had been|initial(?:ly)?|previous(?:ly)?|prior|earlier|before|admission|arrival|presentation|baseline|at first|yesterday|ago|last (?:week|month|year|night)|from|overnight|in (?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_RIGHT: Final = re.compile(r" (?:is|was) (?:the )?(?:right|correct|true|real)\b", re.IGNORECASE)
_SENTENCE_PART: Final = re.compile(r"[;:.](?=\s)")


def given(text: str, start: int, end: int, stop: int, reads: Callable[[str], bool]) -> Given | None:
    """Return the value that `text` gives for the name at [start, end), before `stop`, where the next thing is named.

    `reads` tells whether a number with a unit ("" for none) may be a value of it.
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
                _NOW.search(words),
                _IS.search(text, first, one.start),
                _RIGHT.match(text, one.end),
            )
        )
        for words, one, (first, _) in zip(said, found, regions, strict=True)
    ]
    then = [_THEN.search(words) is not None for words in [f"{text[opening:start]} {said[0]}", *said[1:]]]
    chosen = _newest(now, then)
    others = [region for at, region in enumerate(regions) if at != chosen]
    newer = chosen > 0 and then[0] and not then[chosen]
    lies = _LIES_BEYOND.search(text[regions[chosen][0] : found[chosen].start])
    return Given(
        found[chosen],
        blank(text, others),
        now=newer or (len(found) > 1 and now[chosen]) or _NOW.search(said[chosen]) is not None,
        beyond="" if lies is None else "above" if lies["above"] else "below",
        said_from=-1 if lies is None else regions[chosen][0] + lies.start("word"),
    )


def value_after(
    sentence: str, start: int, units: Mapping[str, float], *, bare: bool = False
) -> Quantity | None:
    """Return the newest value after a name that ends at `start`: in one of `units`, or with `bare` without one."""
    found = given(sentence, start, start, len(sentence), lambda unit: unit in units or (bare and not unit))
    return found.quantity if found else None


def value_before(text: str, start: int, reads: Callable[[str], bool]) -> Quantity | None:
    """Return the value that stands right before a name that begins at `start`: "a 6.9 mmol/L potassium"."""
    for quantity in quantities(text):
        if not quantity.unit and not _ARTICLE.search(text, 0, quantity.start):
            continue
        if reads(quantity.unit) and text[quantity.end : start].strip() == "" and quantity.end < start:
            return quantity
    return None


def _candidates(text: str, start: int, end: int, stop: int, reads: Callable[[str], bool]) -> list[Quantity]:
    found: list[Quantity] = []
    since, changes = end, _CHANGE_OF.search(text, 0, start) is not None
    every = quantities(text)
    for quantity in every[bisect_left(every, end, key=lambda each: each.start) :]:
        if quantity.start >= stop or quantity.start > since + REACH:
            break
        link = text[since : quantity.start]
        if not reads(quantity.unit) or _CLOCK.match(text, quantity.end):
            continue
        if (
            (_is_limit(link) and not _LIES_BEYOND.search(link))
            or _LIMIT_AFTER.match(text, quantity.end)
            or _DIFFERENCE.search(link)
        ):
            break
        if changes and not _ARRIVES.search(link):
            break
        if _DENIED.search(link) or _MISTAKEN.search(link) or _MODAL.search(link):
            since = quantity.end
            continue
        if not _is_linked(text, start, link, quantity, first=not found):
            break
        found.append(quantity)
        since = quantity.end
    return found


def _is_linked(text: str, start: int, link: str, quantity: Quantity, *, first: bool) -> bool:
    in_range = "-" in quantity.number or _RANGE_GOES_ON.match(text, quantity.end) is not None
    if in_range and (not first or link.rstrip().endswith("(")):
        return False  # "6.9 mmol/L (3.5-5.0)": what is usual
    lies = _LIES_BEYOND.search(link)
    leads = _BETWEEN.match(link[: lies.start("word")] if lies else link) is not None
    if quantity.unit:
        labels = _LABEL.findall(link)
        if not first and any(not _TIMED.search(label) for label in labels):
            return False
        return leads or _NEW_SUBJECT.search(_LABEL.sub("", link)) is None
    leads = leads or (not first and _AND_IS.search(link) is not None)
    leads = leads or (
        first
        and len(link.split()) <= LEADING_WORDS
        and _LEADS.match(link) is not None
        and _NEW_SUBJECT.search(link) is None
    )
    if not leads or _NO_VALUE.match(text, quantity.end):
        return False
    return not (link.strip() == "of" and _ORDINAL.search(text, 0, start))


def _is_limit(link: str) -> bool:
    near = " ".join(link.split()[-THRESHOLD_WORDS:])
    return _THRESHOLD.search(near) is not None


def _parted(text: str, start: int, end: int) -> int:
    """Return where the words about the value that ends at `start` give way to those about the next, at `end`."""
    marks = [match.start() for match in _PART.finditer(text, start, end)]
    return marks[-1] if marks else start


def _newest(now: list[bool], then: list[bool]) -> int:
    places = range(len(now))
    for wanted in ([at for at in places if now[at]], [at for at in places if not then[at]]):
        if wanted:
            return wanted[-1]
    return len(now) - 1

"""When things happen in a sentence of a model's own words: each at its own time, and in the order of the cited text."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from typing import Final

from exaim_core.binding import Said
from exaim_core.paraphrase import concept, telling
from exaim_core.quantities import quantities
from exaim_core.worded_standing import bare

_WHEN: Final = re.compile(
    r"\b(?:\d+ (?:minute|hour|day|week|month|year)s? (?:ago|earlier|before|later)|(?:a|an|the) (?:minute|hour|day|week|month|year) (?:ago|earlier|before|later)|yesterday|tomorrow|tonight|"
    r"(?:this|last|next) (?:morning|afternoon|evening|night|week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:on|since|until|by) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|"
    r"(?:on |by |at )?(?:day|week|month) \d+|on arrival|on admission|at (?:noon|midnight|night|birth)|overnight|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|(?:19|20)\d\d|\d{1,2}:\d\d)\b",
    re.IGNORECASE,
)
_EVENT_ENDS: Final = re.compile(
    r"[;.:!?]\s|,\s(?:and |but |then )?|\s(?:and|but|while|whereas|then|though|although)\s", re.IGNORECASE
)


_WEIGHT: Final = 3  # of a number, where clauses are compared: it tells more than a word


def _shared(one: frozenset[str], other: frozenset[str]) -> int:
    return sum(_WEIGHT if word[0].isdigit() else 1 for word in one & other)


def _events(text: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return the clauses of `text` that have a time: the times, and the other telling words."""
    found = []
    for clause in _EVENT_ENDS.split(text):
        when = frozenset(match.group().lower() for match in _WHEN.finditer(clause))
        if when:
            rest = _WHEN.sub(" ", clause)
            what = (*telling(bare(rest)), *(quantity.number for quantity in quantities(rest)))
            found.append((when, frozenset(what)))
    return found


def times(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What happened at one time is not told of another at which something else happened."""
    there = [event for source in said for event in _events(source.text)]
    for when, words in _events(told):
        mine = words - names
        here = max((_shared(mine, what) for other, what in there if other & when), default=None)
        elsewhere = max((_shared(mine, what) for other, what in there if not other & when), default=0)
        if here is not None and here < elsewhere:
            return "a time belongs to something else in the cited text"
    return None


_WHICH_FIRST: Final = re.compile(r"\b(before|after)\s", re.IGNORECASE)


def _pairs(text: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return for each "A before B", or "B after A", the telling words of A and of B."""
    pairs = []
    for clause in re.split(r"[.;,:]\s", text):
        match = _WHICH_FIRST.search(clause)
        if match:
            one, two = frozenset(telling(clause[: match.start()])), frozenset(telling(clause[match.end() :]))
            pairs.append((one, two) if match[1].lower() == "before" else (two, one))
    return pairs


_ORDER: Final = re.compile(
    r"\b(before|after|until) (?:(?:the|her|his|any|an?|every|each|that|this) )*(\w+)", re.IGNORECASE
)


def in_order(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What comes before something does not come after it."""
    there: dict[str, set[str]] = {}
    for source in said:
        for when, what in _ORDER.findall(source.text):
            there.setdefault(concept(what), set()).add(when.lower())
    known = [pair for source in said for pair in _pairs(source.text)]
    for first, then in _pairs(told):
        if any(
            first & two - one and then & one - two and not (first & one - two or then & two - one)
            for one, two in known
        ):
            return "an order in time is turned round"
    for when, what in _ORDER.findall(told):
        way, ways = when.lower(), there.get(concept(what), set())
        if ways and not ways & ({way} if way == "after" else {"before", "until"}):
            return "an order in time is turned round"
    return None


_LEVEL: Final = re.compile(r"\b(above|below) (?:(?:the|her|his|its|their|a|an|any) )*([a-z]+)", re.IGNORECASE)


def levels(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What is above something, such as a target, is not below it."""
    there: dict[str, set[str]] = {}
    for source in said:
        for way, what in _LEVEL.findall(source.text):
            there.setdefault(concept(what), set()).add(way.lower())
    for way, what in _LEVEL.findall(told):
        if way.lower() not in there.get(concept(what), {way.lower()}):
            return "a limit is turned round"
    return None

"""What is measured: names, units and limits, from `data/critical.json`, and how to find the names.

A name that has no limit here is known too ("others"): a number behind it is not the value of the name
before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from exaim_core.text.datafiles import data_table
from exaim_core.text.hints import Hints
from exaim_core.text.patterns import compiled_by_all
from exaim_core.text.quantities import Quantity


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The bounds of a critical value: at or below `low`, at or above `high`."""

    low: float | None = None
    high: float | None = None

    def is_high(self, value: float) -> bool:
        """Return whether `value` is critically high."""
        return self.high is not None and value >= self.high

    def beyond(self, value: float) -> bool:
        """Return whether `value` is critical."""
        return self.is_high(value) or (self.low is not None and value <= self.low)


@dataclass(frozen=True, kw_only=True)
class Limit(Bounds):
    """A thing that is measured, the units in which it is read, and its bounds; a row of the file.

    `pattern` finds its name in any case, `symbols` as they are written. `units` gives a factor, or a factor and a
    summand, to the unit of the bounds. `bare` are the units that a number without one may be in. `child` are the
    bounds of small children, `places` the decimals of the base unit, if values come in several scales.
    `whole`: it is counted, or read in whole numbers, so a bare number with decimals is of something else.
    `of_things` finds owners that are no patient ("room" of a temperature), `unless` a word beside the value that
    makes it one of something else. `in_gas` is the limit under which a value of a blood gas is read instead.
    """

    name: str = ""
    pattern: str
    symbols: str = ""
    units: Mapping[str, float | tuple[float, float]]
    bare: tuple[str, ...] = ()
    plausible: tuple[float, float]
    child: Bounds | None = None
    problems: tuple[str, ...] = ()
    places: int | None = None
    whole: bool = False
    of_things: str = ""
    unless: str = ""
    in_gas: str = ""

    def reads(self, unit: str) -> bool:
        """Return whether a number with this unit may be its value; "" is a number without one."""
        return unit in self.units or (not unit and bool(self.bare))

    def measured(self, quantity: Quantity, *, child: bool = False) -> float | None:
        """Return the value in the unit of the bounds; None if it is impossible.

        A number without a unit is critical only if it is critical in each unit that it may be in: otherwise the
        reading that is not critical is returned.
        """
        if self.whole and not quantity.unit and not quantity.value.is_integer():
            return None
        units = (quantity.unit,) if quantity.unit in self.units else self.bare
        values = [self._in_base(quantity.value, unit) for unit in units]
        possible = [value for value in values if self.plausible[0] <= value <= self.plausible[1]]
        return min(possible, key=self.bounds_for(child=child).beyond, default=None)

    def bounds_for(self, *, child: bool) -> Bounds:
        """Return the bounds for a small child, or for anybody else."""
        return self.child if child and self.child is not None else self

    def _in_base(self, value: float, unit: str) -> float:
        row = self.units[unit]
        factor, summand = row if isinstance(row, tuple) else (row, 0.0)
        return round(value * factor + summand, 6)


@dataclass(frozen=True, slots=True)
class AnalyteMention:
    """Where a sentence names what is measured; `limit` is None if it has none here."""

    limit: Limit | None
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A named emergency: words for it, and words (`event`) that say by themselves that it is happening.

    `verbatim`: it is told in those words, which hold a side or an amount. `problem` is its name in a key.
    `example` alarms and `counter` does not; `reviewer` is the clinician who checked the row, "" for nobody.
    """

    name: str
    pattern: str
    event: str = ""
    verbatim: bool = False
    problem: str = ""
    example: str = ""
    counter: str = ""
    reviewer: str = ""


@dataclass(frozen=True, slots=True)
class _Others:
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two things measured that are critical together: `high` above a value while `low` is below another."""

    name: str
    high: str
    above: float
    low: str
    below: float

    def holds(self, high: float, low: float) -> bool:
        """Return whether the two values together are critical."""
        return high > self.above and low < self.below

    def is_eased_by(self, name: str, value: float) -> bool:
        """Return whether the value of the sign called `name` alone says that it is over."""
        return name == self.low and value >= self.below  # a pulse that settles ends no low pressure


@dataclass(frozen=True, slots=True)
class CriticalTable:
    """What `data/critical.json` holds."""

    values: tuple[Limit, ...]
    pairs: tuple[Pair, ...]
    cues: tuple[Cue, ...]
    others: _Others


def table() -> CriticalTable:
    """Return the rows of the file, in its order. Raises: pydantic.ValidationError."""
    return data_table("critical.json", CriticalTable)


def _pattern(limit: Limit, *, any_case: bool) -> str:
    if not limit.symbols:
        return limit.pattern
    return f"{limit.pattern}|(?{'' if any_case else '-i'}:{limit.symbols})"


@cache
def _names(*, any_case: bool) -> re.Pattern[str]:
    """Return one pattern for all names; the matching group is the limit's index, or `o` for the others.

    With `any_case` symbols are read in any case.
    """
    others = f"(?P<o>{'|'.join(table().others.names)})"
    limits = enumerate(table().values)
    known = (f"(?P<l{place}>{_pattern(limit, any_case=any_case)})" for place, limit in limits)
    return re.compile(
        rf"(?<![\w-])(?:{'|'.join((others, *known))})(?!\w)(?P<h> (?:{_HEADS})(?!\w))?", re.IGNORECASE
    )


@compiled_by_all
def _all_names() -> None:
    for any_case in (True, False):
        _names(any_case=any_case)


# Three or more short names with a number each: "na 107 k 3.3 cl 74".
_PANEL: Final = re.compile(
    r"(?:(?<![\w.])[a-z][a-z\d]{0,4}\+?[ :=]{1,2}\d+(?:[./]\d+)?[ ,;]+){2}[a-z][a-z\d]{0,4}\+?[ :=]{1,2}\d"
)

# Words that contain a measured thing's name but are not its value: "the potassium shift".
_HEADS: Final = (
    "shift|deficit|excess|gap|load|intake|replacement|supplement(?:s|ation)?|infusion|clearance|excretion|restriction|"
    "correction|target|goal|binders?|drip|wasting|balance|ratio|index|tablets?|solution"
)


@compiled_by_all
@cache
def _hints() -> Hints:
    """Return a quick test on single words: long names by a piece of four letters, others as they are."""
    patterns = [each for limit in table().values for each in (limit.pattern, limit.symbols) if each]
    known = re.compile(rf"(?<![\w-])(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)
    return Hints(patterns, (known,))


@lru_cache(maxsize=2048)
def may_measure(text: str) -> bool:
    """Return quickly whether `text` may give a value of something that has a limit."""
    return any(map(str.isdigit, text)) and _hints().may(text)


@lru_cache(maxsize=2048)
def analytes_named(text: str) -> tuple[AnalyteMention, ...]:
    """Return where `text` names what is measured, in order, none inside another."""
    return tuple(
        AnalyteMention(_limit_of(match), match.start(), match.end())
        for match in _names(any_case=_PANEL.search(text) is not None).finditer(text)
    )


def _limit_of(match: re.Match[str]) -> Limit | None:
    if match["o"] or match["h"]:
        return None
    return table().values[int((match.lastgroup or "l0")[1:])]

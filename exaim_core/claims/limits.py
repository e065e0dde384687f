"""What is measured: names, units and limits, from `data/critical.json`; and where a sentence names them.

A name that has no limit here is known too ("others"): what stands behind it is not the value of the name
before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from exaim_core.text.datafiles import data_json
from exaim_core.text.hints import Hints
from exaim_core.text.quantities import Quantity


@dataclass(frozen=True, slots=True)
class Bounds:
    """From where on a value is critical: at or below `low`, at or above `high`."""

    low: float | None
    high: float | None

    def is_low(self, value: float) -> bool:
        """Tell whether `value` is critically low."""
        return self.low is not None and value <= self.low

    def is_high(self, value: float) -> bool:
        """Tell whether `value` is critically high."""
        return self.high is not None and value >= self.high

    def beyond(self, value: float) -> bool:
        """Tell whether `value` is critical."""
        return self.is_low(value) or self.is_high(value)


@dataclass(frozen=True, slots=True)
class Limit:
    """What is measured, in which units it is read, and from where on its value is critical.

    `units` gives a factor and a summand to the unit of the bounds. `bare` are the units that a number
    without one may be in. `of_things` finds owners that are no patient ("room" of a temperature),
    `unless` a word beside the value that makes it one of something else.
    """

    name: str
    units: Mapping[str, tuple[float, float]]
    bare: tuple[str, ...]
    plausible: tuple[float, float]
    bounds: Bounds
    child: Bounds
    problems: tuple[str, ...]
    places: int | None  # decimals of the base unit, where values come in several scales
    of_things: str
    unless: str

    def reads(self, unit: str) -> bool:
        """Tell whether a number with this unit may be its value; "" is a number without one."""
        return unit in self.units or (not unit and bool(self.bare))

    def measured(self, quantity: Quantity, *, child: bool = False) -> float | None:
        """Return the value in the unit of the bounds; None if nobody can have it.

        A number without a unit is critical only if it is so in each unit that it may be in: else a reading
        that is not critical is returned.
        """
        units = (quantity.unit,) if quantity.unit in self.units else self.bare
        values = [self._in_base(quantity.value, unit) for unit in units]
        possible = [value for value in values if self.plausible[0] <= value <= self.plausible[1]]
        return min(possible, key=self.bounds_for(child=child).beyond, default=None)

    def bounds_for(self, *, child: bool) -> Bounds:
        """Return the bounds of a small child, or of anybody else."""
        return self.child if child else self.bounds

    def _in_base(self, value: float, unit: str) -> float:
        factor, summand = self.units[unit]
        return round(value * factor + summand, 6)


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a sentence names what is measured; `limit` is None for what has none here."""

    limit: Limit | None
    start: int
    end: int


def _limit(row: dict[str, Any]) -> Limit:
    bounds = Bounds(row["low"], row["high"])
    child = Bounds(row["child"]["low"], row["child"]["high"]) if "child" in row else bounds
    factors = {
        unit: (factor[0], factor[1]) if isinstance(factor, list) else (float(factor), 0.0)
        for unit, factor in row["units"].items()
    }
    return Limit(
        row["name"],
        factors,
        tuple(row["bare"]),
        (row["plausible"][0], row["plausible"][1]),
        bounds,
        child,
        tuple(row["problems"]),
        row.get("places"),
        row.get("of_things", ""),
        row.get("unless", ""),
    )


@cache
def limits() -> tuple[Limit, ...]:
    """Return what has a limit, in the order of the file."""
    return tuple(map(_limit, data_json("critical.json")["values"]))


def patterns() -> tuple[str, ...]:
    """Return the patterns of all names with a limit."""
    rows = data_json("critical.json")["values"]
    return tuple(row[name] for row in rows for name in ("pattern", "symbols") if name in row)


def _pattern(row: dict[str, Any], *, any_case: bool) -> str:
    if "symbols" not in row:
        return str(row["pattern"])
    return f"{row['pattern']}|(?{'' if any_case else '-i'}:{row['symbols']})"


@cache
def _names(*, any_case: bool) -> re.Pattern[str]:
    """Return one pattern for all names; the group that fits is the limit's place, or `o` for the others.

    With `any_case` symbols are read in any case.
    """
    raw = data_json("critical.json")
    others = f"(?P<o>{'|'.join(raw['others']['names'])})"
    known = (f"(?P<l{place}>{_pattern(row, any_case=any_case)})" for place, row in enumerate(raw["values"]))
    return re.compile(
        rf"(?<![\w-])(?:{'|'.join((others, *known))})(?!\w)(?P<h> (?:{_HEADS})(?!\w))?", re.IGNORECASE
    )


# Three or more short names with a number each: "na 107 k 3.3 cl 74".
_PANEL: Final = re.compile(
    r"(?:(?<![\w.])[a-z][a-z\d]{0,4}\+?[ :=]{1,2}\d+(?:\.\d+)?[ ,;]+){2}[a-z][a-z\d]{0,4}\+?[ :=]{1,2}\d"
)

# What is called after something measured and is not its value: "the potassium shift".
_HEADS: Final = (
    "shift|deficit|excess|gap|load|intake|replacement|supplement(?:s|ation)?|infusion|clearance|excretion|restriction|"
    "correction|target|goal|binders?|drip|wasting|balance|ratio|index|tablets?|solution"
)


@cache
def _hints() -> Hints:
    """Return a look at single words: a name of several holds one of four letters, others fit as they are."""
    rows = data_json("critical.json")["values"]
    known = "|".join(row[name] for row in rows for name in ("pattern", "symbols") if name in row)
    return Hints(patterns(), (re.compile(rf"(?<![\w-])(?:{known})(?!\w)", re.IGNORECASE),))


@lru_cache(maxsize=2048)
def may_measure(text: str) -> bool:
    """Tell quickly whether `text` may give a value of something that has a limit."""
    return any(map(str.isdigit, text)) and _hints().may(text)


@lru_cache(maxsize=2048)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return where `text` names what is measured, in order, none inside another."""
    return tuple(
        Mention(_limit_of(match), match.start(), match.end())
        for match in _names(any_case=_PANEL.search(text) is not None).finditer(text)
    )


def _limit_of(match: re.Match[str]) -> Limit | None:
    if match["o"] or match["h"]:
        return None
    return limits()[int((match.lastgroup or "l0")[1:])]

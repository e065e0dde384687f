"""Find vital signs that alarm together, even if neither is critical alone: fast pulse, low pressure.

The pairs, each with its source, are in `data/critical.json`. Both signs have to be this patient's now, by the same
reading as any critical value (`belonging.py`), in one sentence or near each other in one turn and under one heading.
Nothing is concluded from them: the alarm tells both numbers as they stand. For a child none is computed, since
what is fast and low in an adult is not so in a child.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.claims.belonging import is_child, is_young
from exaim_core.claims.finding import Critical, Sign
from exaim_core.claims.limits import Pair, analytes_named, table
from exaim_core.claims.measured import MeasuredValue, is_of_then, is_one_state, readings
from exaim_core.text.units import Sentence

PAIRS: Final = frozenset(pair.name for pair in table().pairs)
MOST_APART: Final = 6  # sentences, list items or rows of a turn from one sign to the other


@dataclass(frozen=True, slots=True)
class _Seen:
    """A sign as it was last read in a turn: the number of its sentence, and what that stands under."""

    reading: MeasuredValue
    unit: Sentence
    at: int
    group: tuple[str, ...]


class Signs:
    """The newest value of each sign that one agent gave in its turn."""

    def __init__(self) -> None:
        self._newest: dict[str, _Seen] = {}
        self._child = False  # the patient is said to be under twelve
        self._at = 0

    def end_turn(self) -> None:
        """Forget what was read: the next turn may speak of another hour."""
        self._newest.clear()

    def together(self, unit: Sentence) -> Iterator[tuple[Critical, Sentence | None]]:
        """Yield each alarm that `unit` completes, with the earlier sentence of the other sign (or None).

        If the pressure stood before and was critical alone, it has alarmed already, and nothing is yielded.
        """
        self._at += 1
        group = tuple(title for title in unit.above if not analytes_named(title))
        paired = [name for pair in table().pairs for name in (pair.high, pair.low)]
        given = [each for each in readings(unit.full, unit.above) if each.limit.name in paired]
        fresh = {each.limit.name: each for each in given if not is_of_then(each)}
        self._child = self._child or is_child(unit.full)
        if not is_one_state(unit.full):
            return
        self._newest |= {name: _Seen(each, unit, self._at, group) for name, each in fresh.items()}
        for pair in table().pairs if not (self._child or is_young(unit.full)) else ():
            high, low = self._newest.get(pair.high), self._newest.get(pair.low)
            if high is None or low is None or not {pair.high, pair.low} & fresh.keys():
                continue
            if abs(high.at - low.at) > MOST_APART or high.group != low.group:
                continue
            alone = low.reading.alarm()
            if not pair.holds(high.reading.value, low.reading.value) or (low.at < self._at and alone):
                continue
            if _are_alternatives(high, low):
                continue
            other = next((each.unit for each in (high, low) if each.at < self._at), None)
            yield _alarm(pair, high.reading, low.reading), other


def with_pressure(found: Critical, unit: Sentence) -> Critical:
    """Return a critical pulse with the low pressure of its sentence, which alone would not be critical."""
    pair = next((pair for pair in table().pairs if pair.high == found.name), None)
    if pair is None or found.beside is not None or not is_one_state(unit.full):
        return found
    given = [each for each in readings(unit.full, unit.above) if each.limit.name == pair.low]
    low = next((each for each in given if each.value < pair.below and not is_of_then(each)), None)
    if low is None or low.alarm() is not None:
        return found
    return replace(found, beside=Sign(low.as_finding().name, low.name, low.written))


def _are_alternatives(one: _Seen, other: _Seen) -> bool:
    """Return whether one sentence offers the two as alternatives: "a pulse of 130 or a BP of 85/45"."""
    if one.unit is not other.unit:
        return False
    spans = sorted(
        (each.reading.given.quantity.start, each.reading.given.quantity.end) for each in (one, other)
    )
    return one.reading.part == other.reading.part and bool(
        _OR.search(one.reading.part, spans[0][1], spans[1][0])
    )


_OR: Final = re.compile(r"\bor\b", re.IGNORECASE)


def _alarm(pair: Pair, high: MeasuredValue, low: MeasuredValue) -> Critical:
    """Return both as one finding, by the key of the low one, so that it is told and taken back once."""
    alone = low.alarm()
    found = alone or low.as_finding()
    beside = Sign(high.limit.name, high.name, high.written)
    return replace(found, problem=found.problem if alone else pair.name, beside=beside)

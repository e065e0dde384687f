"""Find alarms on a value of which a newer one was stated since, and word them with both.

Told late, the older value would be heard as the present one. The danger is told all the same, with what was stated
since beside it. Who of two speakers looks at the newer sheet is not known, so another speaker is named.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isnan
from typing import Final

from exaim_core.claims.belonging import is_young
from exaim_core.claims.finding import without_count
from exaim_core.claims.limits import Limit
from exaim_core.claims.measured import MeasuredValue, key_of, may_be_of_before, readings, would_act_at
from exaim_core.lexicon.prose import is_sought
from exaim_core.lexicon.statements import supposes
from exaim_core.schema import Newer, SpokenItem, SpokenKind
from exaim_core.text.assertion import Status, statuses_at
from exaim_core.text.names import Names, inner, person
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence, Unit
from exaim_core.words.remeasured import is_aside
from exaim_core.words.since_then import Beside, last_seq, said_since, stands
from exaim_core.words.templates import said_words
from exaim_core.words.unnamed import NEAR, named

MOST_STATED: Final = 400  # values that are kept; the longest of the recorded discussions state some eighty
MOST_SINCE: Final = 2  # values that are told with an item that is no alarm
_OWN: Final = "Critical"  # how an alarm in the engine's own words begins


@dataclass(frozen=True, slots=True)
class _Given:
    """A value that somebody stated last: of what, its key, as written, and whether it is critical."""

    limit: Limit
    name: str
    key: str
    value: float
    number: str
    written: str
    critical: bool
    now: bool
    agent_id: str
    seq: int
    turn_from: int = 0  # the first delta of its turn: one may read the newest value first
    holds: bool = True  # False: it was put right


class NewestValues(Beside[_Given, Newer]):
    """The newest value that was stated of each thing that has a limit, and what the alarms on older ones became."""

    def __init__(self) -> None:
        super().__init__()
        self._young = False  # the patient is said to be a small child
        self._before = deque[Sentence](maxlen=NEAR)

    def read(self, said: Iterable[Unit]) -> None:
        """Take the values that sentences state for this patient now.

        A value that was stated before is only spoken of ("it cannot raise a potassium of 7.4"), unless it is called
        the one of now.
        """
        for unit in said:
            if not isinstance(unit, Sentence):
                continue
            self._young = self._young or is_young(unit.full)
            turn_from = self._turn_of(unit.source)
            for each in _stated(unit, self._before, child=self._young):
                if each.now or all(each.key != other.key for other in self._stated):
                    self._stated.append(replace(each, turn_from=turn_from))
            self._before.append(unit)
        del self._stated[:-MOST_STATED]

    def unsay(self, agent_id: str, first_seq: int) -> None:
        """Forget the values that an agent stated from delta `first_seq` on."""
        super().unsay(agent_id, first_seq)
        self._before.clear()
        self._speaker = ""

    def disown(self, values: Iterable[tuple[str, str]]) -> None:
        """Forget values (name and number) that were put right."""
        wrong = {*values}
        self._stated = [
            replace(each, holds=False) if (each.limit.name, each.number) in wrong else each
            for each in self._stated
        ]

    def since(self, item: SpokenItem, names: Names) -> str:
        """Return the newer values of what `item` gives a value of, with who stated them; "" for none.

        At most `MOST_SINCE`, the newest.
        """
        told = dict[str, set[str]]()
        for value in _values_in(said_words(item.text)):
            told.setdefault(value.limit.name, set()).add(value.as_finding().key)
        found = [(given, keys) for name, keys in told.items() if (given := self._newest(name)) is not None]
        newer = [each for each, keys in found if each.turn_from > last_seq(item) and each.key not in keys]
        said = dict[str, list[str]]()
        for each in sorted(newer, key=lambda each: each.seq)[-MOST_SINCE:]:
            said.setdefault(each.agent_id, []).append(f"{each.name} {each.written}")
        return said_since(item, [(agent, " and ".join(values)) for agent, values in said.items()], names)

    def _newest(self, name: str) -> _Given | None:
        """Return the value that was stated last of the thing `name`; None for none that holds."""
        return next((each for each in reversed(self._stated) if each.limit.name == name and each.holds), None)

    def _beside(self, items: Sequence[SpokenItem], names: Names) -> Iterable[Newer]:
        alarms = [item for item in items if item.kind is SpokenKind.CRITICAL and item.cites]
        return (self._of(item, alarms, names) for item in alarms)

    def _of(self, item: SpokenItem, alarms: Iterable[SpokenItem], names: Names) -> Newer:
        """Return what was stated since of the things whose values an alarm tells."""
        told = _values_told(item)
        since = [
            given
            for name, old in told.items()
            if (given := self._newest(name)) is not None
            and given.seq > last_seq(item)
            and given.key != old.as_finding().key
        ]
        if not since:
            return stands(item)
        is_own = not _is_of_order(item)
        return Newer(
            item_id=item.item_id,
            critical_key=item.critical_key or "",
            text=f"{item.text.rstrip('.!')}; {_since(since, item, names, bare=is_own and len(told) == 1)}.",
            eased=is_own and len(since) == len(told) and not any(each.critical for each in since),
            alarms=is_own
            and len(told) == 1
            and any(self._is_told(given, told[given.limit.name], item, alarms) for given in since),
        )

    def _is_told(
        self, given: _Given, old: MeasuredValue, item: SpokenItem, alarms: Iterable[SpokenItem]
    ) -> bool:
        """Return whether a newer alarm tells the value, and that it lies beyond the same limit as the `old` one."""
        bounds = given.limit.bounds_for(child=self._young)
        alike = bounds.is_high(given.value) is bounds.is_high(old.value)
        return alike and any(
            without_count(each.critical_key or "") == given.key and last_seq(each) > last_seq(item)
            for each in alarms
        )


@lru_cache(maxsize=512)
def _values_in(words: str) -> tuple[MeasuredValue, ...]:
    """Return the values that a sentence gives of this patient, without those at which something is to be done."""
    return tuple(each for each in readings(words) if not (_is_anothers(each) or would_act_at(each)))


def _stated(unit: Sentence, before: Iterable[Sentence], *, child: bool) -> Iterable[_Given]:
    """Yield the values that a sentence states for this patient now; none if it asks, supposes, or aims at them.

    `before`: the sentences before it, which may name what it gives a number of.
    """
    if unit.section is Section.ACTIONS:
        return
    if is_aside(unit.full) or is_sought(unit.full) or supposes(unit.full):
        return
    of_before = may_be_of_before(unit.full)
    without_name = named(unit, [*before])
    for each in (*readings(unit.full, unit.above), *(readings(without_name) if without_name else ())):
        if _is_anothers(each):
            continue
        if (each.given.now or not of_before) and not isnan(each.value) and not would_act_at(each):
            if len([*each.given.quantity.ends()]) == 1:
                yield _given(each, unit, child=child)


def _is_anothers(reading: MeasuredValue) -> bool:
    """Return whether a value is told of somebody else: "110/70 on the other patient"."""
    given = reading.given
    return Status.OTHER_PERSON in statuses_at(given.view, given.quantity.start, given.quantity.end)


def _given(reading: MeasuredValue, unit: Sentence, *, child: bool) -> _Given:
    found = reading.as_finding()
    return _Given(
        limit=reading.limit,
        name=found.name,
        key=found.key,
        value=reading.value,
        number=reading.given.quantity.number,
        written=reading.written,
        critical=reading.alarm(child=child) is not None,
        now=reading.given.now,
        agent_id=unit.source.agent_id,
        seq=unit.source.first_seq,
    )


def _values_told(item: SpokenItem) -> dict[str, MeasuredValue]:
    """Return the values on which an alarm rests, by the thing measured: of a quotation only the one of its key."""
    key = without_count(item.critical_key or "")
    return {
        each.limit.name: each
        for each in readings(said_words(item.text))
        if item.text.startswith(_OWN) or _is_of_order(item) or key_of(each.limit, each.given.quantity) == key
    }


def _is_of_order(item: SpokenItem) -> bool:
    """Return whether an alarm is on an order that met a condition, so that all its values are what it met."""
    return (item.critical_key or "").startswith("contraindication:")


def _since(since: Sequence[_Given], item: SpokenItem, names: Names, *, bare: bool) -> str:
    """Return the values stated since an alarm: "since then 5.5", and who says so, if it is somebody else."""
    values = " and ".join(each.written if bare else f"{each.name} {each.written}" for each in since)
    own = {person(agent) for agent in item.agents}
    others = dict.fromkeys(each.agent_id for each in since if person(each.agent_id) not in own)
    who = " and ".join(inner(names(agent)) for agent in others)
    return f"since then {values}" + (f", {'say' if len(others) > 1 else 'says'} {who}" if who else "")

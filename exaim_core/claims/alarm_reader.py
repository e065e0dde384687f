"""Read critical values, and which of them are taken back or normal again. Each agent has one `AlarmReader`."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Final

from exaim_core.claims.belonging import is_young
from exaim_core.claims.called_out import reads_tests
from exaim_core.claims.claim_words import claim_of
from exaim_core.claims.claims import Claim, Kind, Stance
from exaim_core.claims.critical import critical_findings, relieved
from exaim_core.claims.measured import is_of_then, readings, would_act_at
from exaim_core.claims.pregnancy import hypertension_over_two
from exaim_core.claims.put_right import numbers_taken_back, value_taken_back_after, values_taken_back
from exaim_core.claims.signs import PAIRS, Signs, with_pressure
from exaim_core.lexicon import prose
from exaim_core.text.quantities import quantities
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence

MOST_ALARMED: Final = 32  # critical values of one agent that it may later take back by number


class AlarmReader:
    """Reads one agent's critical findings, and keeps what a later sentence may take back or complete."""

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id
        self._alarmed: dict[str, Claim] = {}  # critical values that this agent gave, by their numbers
        self._signs = Signs()
        self._young = False  # the patient is said to be a small child

    def end_turn(self) -> None:
        """Forget signs that wait for another: the turn is over."""
        self._signs.end_turn()

    def read(self, unit: Sentence, before: Sequence[Sentence]) -> list[Claim]:
        """Return the critical findings of `unit`; a sign that is told with another is not told alone as well.

        `before` are the sentences before it in its turn.
        """
        self._young = self._young or is_young(unit.full)
        earlier = before[-1].full if before else ""
        found = critical_findings(
            unit.full,
            unit.section,
            unit.above,
            child=self._young,
            earlier=earlier,
            reported=unit.listed and reads_tests(self._agent_id),
        )
        limits = _limits(unit, before) if found else ()
        found = tuple(each for each in found if each.key not in limits)
        made: list[Claim] = []
        for one, other in self._signs.together(unit):
            with_other = unit if other is None else replace(unit, source=other.source.to(unit.source))
            text = unit.full if other is None else f"{other.full.rstrip('.')}. {unit.full}"
            made.append(self._claim(Kind.CRITICAL, with_other, entity=one.name, critical=one, text=text))
            named = {one.name, one.beside.name if one.beside else ""}
            found = tuple(each for each in found if each.name not in named)
        over_two = None if found else hypertension_over_two(unit, before)
        if over_two is not None:
            one, other = over_two
            joined = replace(unit, source=other.source.to(unit.source))
            text = f"{other.full} {unit.full}"
            made.append(self._claim(Kind.CRITICAL, joined, entity=one.name, critical=one, text=text))
        found = found if self._young else tuple(with_pressure(each, unit) for each in found)
        return made + [self._claim(Kind.CRITICAL, unit, entity=one.name, critical=one) for one in found]

    def over(self, unit: Sentence, before: Sentence | None, made: Sequence[Claim]) -> list[Claim]:
        """Return which critical values `unit` takes back or gives as normal again; keep those of `made`.

        `made` are its own critical findings, `before` is the sentence before it on its line.
        """
        gone = [
            self._claim(Kind.CRITICAL, unit, entity=key, stance=Stance.WITHDRAWS)
            for key in values_taken_back(unit.full)
        ]
        gone += self._takes_back_a_number(unit, [claim.entity for claim in (*made, *gone)])
        self._keep((*made, *gone))
        return [*gone, *self._takes_back_the_last(unit, before), *self._back_to_normal(unit)]

    def _keep(self, made: Iterable[Claim]) -> None:
        self._alarmed.update(
            (each.number, claim)
            for claim in made
            if claim.critical is not None
            for value in (claim.critical.value, claim.critical.beside.value if claim.critical.beside else "")
            for each in quantities(value)[:1]
        )
        while len(self._alarmed) > MOST_ALARMED:
            del self._alarmed[next(iter(self._alarmed))]

    def _takes_back_a_number(self, unit: Sentence, known: Sequence[str]) -> list[Claim]:
        """Return that `unit` takes back a critical value of this agent's by number, unless it is in `known`."""
        gone = [self._alarmed[number] for number in numbers_taken_back(unit.full, self._alarmed)]
        return [
            self._claim(
                *(Kind.CRITICAL, unit),
                entity=one.key,
                stance=Stance.WITHDRAWS,
                text=f"{alarm.text} {unit.full}",
                revokes=(f"the {one.name} of {one.value}",),
                rests_on=(alarm,),
            )
            for alarm in gone
            if (one := alarm.critical) is not None and one.key not in known
        ]

    def _takes_back_the_last(self, unit: Sentence, before: Sentence | None) -> list[Claim]:
        """Return that `unit` takes back the critical value of the sentence before it."""
        found = value_taken_back_after(before.full, unit.full) if before is not None else None
        if before is None or found is None:
            return []
        gone = self._claim(
            *(Kind.CRITICAL, unit),
            entity=found.key,
            stance=Stance.WITHDRAWS,
            text=f"{before.full} {unit.full}",
            revokes=(f"the {found.name} of {found.value}",),
            rests_on=(self._claim(Kind.FINDING, before),),
        )
        return [gone]

    def _back_to_normal(self, unit: Sentence) -> list[Claim]:
        """Return what `unit` says is normal again; without a unit only alarms of two signs together end."""
        if unit.section is Section.ACTIONS or prose.is_sought(unit.full):
            return []
        problems = relieved(unit.full, unit.above, child=self._young)
        if not prose.is_reading(unit.full):
            problems = tuple(each for each in problems if each in PAIRS)
        return [
            self._claim(Kind.CRITICAL, unit, entity=each, stance=Stance.REJECTS)
            for each in dict.fromkeys(problems)
        ]

    def _claim(self, kind: Kind, unit: Sentence, **facts: object) -> Claim:
        return claim_of(self._agent_id, kind, unit, **facts)


def _limits(unit: Sentence, before: Iterable[Sentence]) -> Container[str]:
    """Return the keys of values at which the speaker would act, if its turn gave another value for the patient."""
    acted_at = [each for each in readings(unit.full, unit.above) if would_act_at(each)]
    given = [each for one in before for each in readings(one.full, one.above)] if acted_at else []
    last = {each.limit.name: each.as_finding().key for each in given if not is_of_then(each)}
    keys = ((each.limit.name, each.as_finding().key) for each in acted_at)
    return {key for name, key in keys if last.get(name, key) != key}

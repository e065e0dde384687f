"""Keep the hazards of one session so that a turn can be taken out of them again, as if it had not been said.

What is known is kept as each turn begins, and so is each step that is read while a turn is open. To withdraw a turn,
what was known as it began is put back, and the steps of others since then are taken again. That holds for whatever a
turn states or takes off: allergies, treatments, bans, conditions, and which alarms were told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from exaim_core.claims.claims import Claim, ListEnd
from exaim_core.patient.allergies import Allergies
from exaim_core.patient.class_bans import ClassBans
from exaim_core.patient.contraindications import Contraindications
from exaim_core.patient.hazards import Hazards
from exaim_core.patient.treatments import Treatments
from exaim_core.text.names import person
from exaim_core.text.places import Source
from exaim_core.text.units import Unit

_PARTS: Final = (Allergies, ClassBans, Contraindications, Treatments)
"""What holds a part of the hazards; all else in them are collections of values that never change."""
_State = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unsaid:
    """What alarms on orders become without a turn.

    `again` are raised without it, each with the unit that raises it. `fallen` are the keys of those that only it
    raised.
    """

    again: tuple[tuple[Claim, Unit], ...] = ()
    fallen: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Step:
    """A unit that was read, or the begin of a turn if nothing is to be done; `raised` are its alarms."""

    agent_id: str
    unit: Unit | None = None
    do: Callable[[], Sequence[Claim]] | None = None
    raised: Sequence[Claim] = ()

    def take(self) -> None:
        if self.do is not None:
            self.raised = self.do()


@dataclass(slots=True)
class HazardTurns:
    """The open turns of one session, as far as they read `hazards`."""

    hazards: Hazards
    _steps: list[_Step] = field(default_factory=list)
    _begun: dict[str, tuple[_Step, _State]] = field(default_factory=dict)  # by agent: with what was known

    def begin(self, agent_id: str, is_open: Callable[[str], bool]) -> None:
        """Begin a turn of the agent; turns that are over by `is_open` can't be withdrawn any more."""
        self._begun = {each: kept for each, kept in self._begun.items() if each != agent_id and is_open(each)}
        begins = {id(step) for step, _ in self._begun.values()}
        first = next((at for at, step in enumerate(self._steps) if id(step) in begins), len(self._steps))
        del self._steps[:first]
        self._begin(_Step(agent_id))

    def _begin(self, step: _Step) -> None:
        self._steps.append(step)
        self._begun[step.agent_id] = step, _state(self.hazards)

    def read(
        self,
        unit: Unit,
        claims: Iterable[Claim | ListEnd],
        *,
        wrong: Sequence[tuple[str, str]] = (),
        away: Source | None = None,
    ) -> Sequence[Claim]:
        """Take in a unit with its claims; return an alarm for each order that meets a hazard.

        `wrong`: values (name and number) that it calls not the patient's. `away`: the sentence that it gives to
        somebody else.
        """
        do = partial(self._read, unit, tuple(claims), tuple(wrong), away)
        return self._take(_Step(person(unit.source.agent_id), unit, do))

    def _read(
        self,
        unit: Unit,
        claims: tuple[Claim | ListEnd, ...],
        wrong: tuple[tuple[str, str], ...],
        away: Source | None,
    ) -> Sequence[Claim]:
        if wrong:
            self.hazards.disown(wrong)
        if away is not None:
            self.hazards.give_away(away)
        return self.hazards.read(unit, claims)

    def unsay(self, key: str) -> None:
        """Forget the alarm of this key, which could not be told: met again, its hazard alarms again."""
        self._take(_Step("", do=partial(self._unsay, key)))

    def _unsay(self, key: str) -> Sequence[Claim]:
        self.hazards.unsay(key)
        return ()

    def _take(self, step: _Step) -> Sequence[Claim]:
        step.take()
        if self._begun:
            self._steps.append(step)
        return step.raised

    def withdraw(self, agent_id: str) -> Unsaid:
        """Take the agent's newest turn out; return what that makes of alarms."""
        if agent_id not in self._begun:
            return Unsaid()
        begins, known = self._begun.pop(agent_id)
        at = next(at for at, step in enumerate(self._steps) if step is begins)
        since, self._steps = self._steps[at + 1 :], self._steps[:at]
        raised = {claim.critical.key for step in since for claim in step.raised if claim.critical is not None}
        _restore(self.hazards, known)
        again = list[tuple[Claim, Unit]]()
        for step in since:
            if step.agent_id == agent_id:
                continue
            if step.do is None:
                self._begin(step)
            else:
                self._take(step)
                again += [(claim, step.unit) for claim in step.raised if step.unit is not None]
        return Unsaid(tuple(again), frozenset(raised - self.hazards.told))


def _state(owner: object) -> _State:
    """Return what `owner` and its parts hold, with its collections copied."""
    return {
        name: _state(value) if isinstance(value, _PARTS) else copy(value)
        for name, value in vars(owner).items()
    }


def _restore(owner: object, state: _State) -> None:
    """Put back what `_state` returned, which is not used again."""
    for name, value in state.items():
        part = getattr(owner, name)
        if isinstance(part, _PARTS):
            _restore(part, value)
        else:
            setattr(owner, name, value)

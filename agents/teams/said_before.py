"""Read from a session's log what a cut run had told; checkpoints know what it had answered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from agents.stream import Progress, TeamEvent, TurnMark
from agents.teams.event_queue import EventPlace

Step = tuple[str, tuple[str, ...], str, int | None]
Turn = tuple[str, str | None, int | None, str | None]


@dataclass(slots=True)
class SaidBefore:
    """Counts what was told, whole turns only; each may be asked for as often as it was told."""

    _steps: Counter[Step] = field(default_factory=Counter)
    _turns: Counter[Turn] = field(default_factory=Counter)
    _costs: Counter[str | None] = field(default_factory=Counter)
    _open: dict[int, EventPlace] = field(default_factory=dict)

    def read(self, event: TeamEvent) -> None:
        """Take an event of the log, in its order."""
        if event.progress is not None:
            self._steps[_step(event.progress, event.round)] += 1
        elif event.agent_id is not None and event.llm is not None:
            self._costs[event.run_id] += 1
        elif event.agent_id is not None and event.turn is not None and event.mark is not None:
            place = EventPlace(event.agent_id, event.turn, event.round, event.in_reply_to, event.run_id)
            self._bound(place, event.turn, event.mark)

    @property
    def half_turns(self) -> list[EventPlace]:
        """Return the turns that were begun and have no end."""
        return list(self._open.values())

    def had_step(self, step: Progress, round_: int | None) -> bool:
        """Return whether a step was told, once for each time."""
        return _once(self._steps, _step(step, round_))

    def had_turn(self, place: EventPlace) -> bool:
        """Return whether a turn of that agent, run, round and question was told to its end, once for each."""
        return _once(self._turns, _turn(place))

    def had_cost(self, run: str) -> bool:
        """Return whether the cost of a call of that run was told, once for each."""
        return _once(self._costs, run)

    def _bound(self, place: EventPlace, turn: int, mark: TurnMark) -> None:
        if mark is TurnMark.TURN_START:
            self._open[turn] = place
            return
        self._open.pop(turn, None)
        if mark is TurnMark.TURN_END:
            self._turns[_turn(place)] += 1


def _step(step: Progress, round_: int | None) -> Step:
    return step.kind.value, step.agents, step.text, round_


def _turn(place: EventPlace) -> Turn:
    return place.agent, place.run, place.round, place.in_reply_to


def _once(counted: Counter[Any], key: Any) -> bool:
    if not counted[key]:
        return False
    counted[key] -= 1
    return True

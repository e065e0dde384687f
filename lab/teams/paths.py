"""How long a case takes beside the critical path of its calls, on virtual time: no model, no stack, no clock.

Each case is a graph of calls drawn by chance: how many rounds, whom each asks, when each answer's first word comes
and how fast it is written. The critical path is the sum, over the steps that follow one another, of the longest call
of each step: the plan, the round's specialists, … , the synthesis; of the doctors each turn, for each hears those
before. What the team itself adds, and calls that wait for one another without need, make a case longer than that.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from langchain_core.messages import BaseMessage

from agents.stream import EventType
from agents.teams.cdss import CdssTeam
from agents.teams.cdss.state import ORCHESTRATOR, ROUNDS, SPECIALISTS
from agents.teams.doctors import DoctorsTeam
from agents.teams.port import Case, NoInbox
from agents.teams.running import Running
from agents.teams.scripted import ScriptedChatModel, ScriptLine
from lab.bench.figures import Figure, figure
from tts_queue.virtual_time import runner

MOST: Final = 1.1
CASE: Final = Case("lab", "A woman of 68 has had a fit. Her sodium is 112 mmol/L.", "A fit")
FINAL: Final = "### Final Decision\n**Low sodium**\n"
SUPERVISOR: Final = "supervisor"
FIRST_S: Final = (0.3, 12.0)
WORDS: Final = (20, 200)
WORDS_PER_S: Final = (8.0, 60.0)

Roles = dict[str, dict[str, dict[int, ScriptLine]]]


@dataclass(frozen=True, slots=True)
class Called:
    """One call of a model, on the loop's clock."""

    role: str
    began_s: float
    ended_s: float


@dataclass(frozen=True, slots=True)
class Walked:
    """One case. `apart_s`: the most by which calls that need not wait for one another began apart."""

    seed: int
    calls: int
    took_s: float
    path_s: float
    apart_s: float

    @property
    def ratio(self) -> float:
        """How much longer the case took than the critical path of its calls."""
        return self.took_s / self.path_s


class _Timed(ScriptedChatModel):
    """Notes when it was asked, and when its answer had ended."""

    calls: list[Called]

    async def _astream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        async for chunk in super()._astream(messages, *args, **kwargs):
            yield chunk
        self.calls.append(Called(self.role, began_s, loop.time()))

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        whole = await super()._agenerate(messages, *args, **kwargs)
        self.calls.append(Called(self.role, began_s, loop.time()))
        return whole


class _Models:
    """The models of a graph of calls, and what was asked of them."""

    def __init__(self, roles: Roles) -> None:
        self.calls: list[Called] = []
        self._made = {name: _Timed(role=name, lines=lines, calls=[]) for name, lines in roles.items()}
        for each in self._made.values():
            each.calls = self.calls  # one for all: pydantic has copied what it was given

    def of(self, role: str) -> ScriptedChatModel:
        """Return a role's model."""
        return self._made[role]


def cdss_graph(chance: random.Random) -> tuple[Roles, list[tuple[str, ...]]]:
    """Return who says what, and the steps of the case: who is asked at once in each."""
    rounds = chance.randint(1, ROUNDS)
    asked = [tuple(chance.sample(tuple(SPECIALISTS), chance.randint(1, 4))) for _ in range(rounds)]
    roles: Roles = {
        name: {"turn": {number: _line(chance) for number in range(1, rounds + 1)}} for name in SPECIALISTS
    }
    plans = {number: _plan(chance, names) for number, names in enumerate(asked, start=1)}
    ended = {} if rounds == ROUNDS else {rounds + 1: _plan(chance, (), done=True)}
    roles[ORCHESTRATOR] = {"route": plans | ended, "synthesis": {0: _line(chance, FINAL)}}
    steps: list[tuple[str, ...]] = []
    for names in asked:
        steps += [(ORCHESTRATOR,), names]
    return roles, [*steps, *([(ORCHESTRATOR,)] * len(ended)), (ORCHESTRATOR,)]


def doctors_graph(chance: random.Random) -> tuple[Roles, list[tuple[str, ...]]]:
    """Return who says what, and the steps: each doctor's turn, then the supervisor's."""
    rounds, count = chance.randint(1, 3), chance.randint(2, 4)
    names = [f"doctor{number}" for number in range(count)]
    roles: Roles = {
        name: {"turn": {number: _line(chance) for number in range(1, rounds + 1)}} for name in names
    }
    open_rounds = {
        number: _line(chance, "### Open Questions\n- Which drug?\n") for number in range(1, rounds)
    }
    roles[SUPERVISOR] = {"chair": open_rounds | {rounds: _line(chance, FINAL)}}
    return roles, [(name,) for _ in range(rounds) for name in (*names, SUPERVISOR)]


def walk(team: str, seed: int) -> Walked:
    """Run one case on virtual time. Raises: ValueError: other calls were made than the graph has."""
    chance = random.Random(seed)
    roles, steps = cdss_graph(chance) if team == "cdss" else doctors_graph(chance)
    models, how = _Models(roles), Running(structured="text")
    ours = CdssTeam(how) if team == "cdss" else DoctorsTeam(how, doctors=len(roles) - 1)

    async def scene() -> float:
        async with aclosing(ours.run(CASE, models, NoInbox())) as events:
            async for event in events:
                if event.type is EventType.ERROR:
                    raise ValueError(event.data)
        return asyncio.get_running_loop().time()

    with runner() as virtual:
        took_s = virtual.run(scene())
    made = list(_steps(models.calls, steps))
    path_s = sum(max(each.ended_s - each.began_s for each in step) for step in made)
    apart_s = max(max(each.began_s for each in step) - min(each.began_s for each in step) for step in made)
    return Walked(seed, len(models.calls), took_s, path_s, apart_s)


def rows(team: str, walked: Sequence[Walked]) -> list[Figure]:
    """Return the figures of some cases of one team."""
    return [
        figure(
            *(f"{team}: wall time ÷ critical path", "×", [round(each.ratio, 3) for each in walked]),
            most=MOST,
            at="max",
            aim=f"max ≤ {MOST:g}",
        ),
        figure(
            *(f"{team}: independent calls began apart by", "ms", [1000 * each.apart_s for each in walked]),
            most=1.0,
            at="max",
            aim="max ≤ 1 ms",
        ),
        figure(f"{team}: calls of a case", "calls", [each.calls for each in walked]),
    ]


def _steps(calls: Iterable[Called], steps: Sequence[tuple[str, ...]]) -> Iterable[list[Called]]:
    """Yield the calls of each step, in order. Raises: ValueError."""
    of = {
        name: sorted((c for c in calls if c.role == name), key=lambda c: c.began_s) for name in _names(steps)
    }
    taken = dict.fromkeys(of, 0)
    made = []
    for names in steps:
        step = [of[name][taken[name]] for name in names if taken[name] < len(of[name])]
        for name in names:
            taken[name] += 1
        made.append(step)
    if any(taken[name] != len(of[name]) for name in of):
        raise ValueError(
            f"the graph has {taken} calls, and { ({n: len(c) for n, c in of.items()}) } were made"
        )
    for before, after in pairwise(made):
        if min(each.began_s for each in after) < max(each.ended_s for each in before):
            raise ValueError("a step began before the one that it hangs on had ended")
    return made


def _names(steps: Iterable[tuple[str, ...]]) -> set[str]:
    return {name for step in steps for name in step}


def _plan(chance: random.Random, names: Sequence[str], *, done: bool = False) -> ScriptLine:
    plan = [{"specialist": name, "task": f"Look at it, {name}."} for name in names]
    form = {"summary": "Sodium 112.", "next": plan, "done": done}
    return ScriptLine(form=form, first_s=chance.uniform(*FIRST_S), words_per_s=chance.uniform(*WORDS_PER_S))


def _line(chance: random.Random, begins: str = "") -> ScriptLine:
    words = " ".join(f"word{at}" for at in range(chance.randint(*WORDS)))
    return ScriptLine(
        text=f"{begins}{words}.",
        first_s=chance.uniform(*FIRST_S),
        words_per_s=chance.uniform(*WORDS_PER_S),
    )

"""Tell a debate as events in turns; a resumed run repeats nothing that its session has already."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from agents.stream import THOUGHT, LLMMetadata, Progress, TokenType, TurnMark
from agents.teams.event_queue import EventPlace, EventQueue
from agents.teams.mdagents.telling import Spoken
from agents.teams.said_before import SaidBefore


@dataclass(slots=True)
class _Turn:
    """A turn that is not ended. `told`: what of its text was told, thinking aside."""

    place: EventPlace
    told: str = ""


@dataclass(slots=True)
class Heard:
    """Tells a debate to a queue, one turn at a time per agent. `before`: what was told before a restart."""

    queue: EventQueue
    before: SaidBefore = field(default_factory=SaidBefore)
    _open: dict[str, _Turn] = field(default_factory=dict)  # by agent
    _one_by_one: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def hears_writing(self) -> bool:
        """Whoever listens hears answers while they are written."""
        return True

    async def void_half_turns(self) -> None:
        """Withdraw the turns that an earlier life has begun and not ended."""
        for place in self.before.half_turns:
            await self.queue.mark(place, TurnMark.TURN_ABORTED)

    async def wrote(
        self, agent: str, run: str, text: str, kind: TokenType, *, round_: int | None = None
    ) -> None:
        """Hand on a piece of a turn."""
        async with self._one_by_one:
            turn = await self._turn(agent, run, round_)
            await self.queue.say(turn.place, text, kind, thinks=kind in THOUGHT)
            if kind not in THOUGHT:
                turn.told += text

    async def spoken(self, said: Spoken) -> None:
        """Hand on what of an agent's turn is not told yet, what it decided, and its end."""
        place = EventPlace(said.agent, None, said.round, said.in_reply_to, f"{said.agent}: {said.run}")
        if self.before.had_turn(place):
            return
        async with self._one_by_one:
            turn = self._open.get(said.agent)
            if turn is not None and not said.text.startswith(turn.told):
                await self._end(said.agent, TurnMark.TURN_ABORTED)  # it was written anew
            turn = await self._turn(said.agent, said.run, said.round, said.in_reply_to)
            if rest := said.text[len(turn.told) :]:
                await self.queue.say(turn.place, rest, TokenType.of(said.context), thinks=False)
            if said.decision is not None:
                await self.queue.decided(turn.place, said.decision)
            await self._end(said.agent, TurnMark.TURN_END)

    async def broke_off(self, agent: str) -> None:
        """Withdraw what an agent was writing."""
        async with self._one_by_one:
            if agent in self._open:
                await self._end(agent, TurnMark.TURN_ABORTED)

    async def withdraw(self) -> None:
        """Withdraw the turns that were begun and never ended: their agents have failed."""
        for agent in list(self._open):
            await self.broke_off(agent)

    async def progress(self, step: Progress, *, round_: int | None = None, turn: int | None = None) -> None:
        """Hand on a step."""
        if not self.before.had_step(step, round_):
            await self.queue.progress(step.kind, step.agents, step.text, share=step.share, round=round_)

    async def cost(self, agent: str, run: str, cost: LLMMetadata) -> None:
        """Hand on what a call cost."""
        place = EventPlace(agent, run=f"{agent}: {run}")
        if not self.before.had_cost(f"{agent}: {run}"):
            await self.queue.cost(place, cost)

    # -- inside ----------------------------------------------------------------------------------

    async def _turn(self, agent: str, run: str, round_: int | None, in_reply_to: str | None = None) -> _Turn:
        """Return the agent's turn for `run`; begin it, and withdraw one for something else, if need be."""
        turn, named = self._open.get(agent), f"{agent}: {run}"
        if turn is not None and turn.place.run == named:
            return turn
        if turn is not None:
            await self._end(agent, TurnMark.TURN_ABORTED)
        turn = self._open[agent] = _Turn(EventPlace(agent, self.queue.new_turn(), round_, in_reply_to, named))
        await self.queue.mark(turn.place, TurnMark.TURN_START)
        return turn

    async def _end(self, agent: str, mark: TurnMark) -> None:
        await self.queue.mark(self._open.pop(agent).place, mark)

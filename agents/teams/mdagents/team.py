"""MDAgents on the port of a team: the same work, heard while it is done."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from agents.stream import THOUGHT, LLMMetadata, Progress, TeamEvent, TokenType, TurnMark
from agents.teams.checking import checked
from agents.teams.desk import Desk, Place
from agents.teams.mdagents.asking import Asker
from agents.teams.mdagents.settings import VOICE, Settings
from agents.teams.mdagents.solving import solve
from agents.teams.mdagents.telling import Spoken
from agents.teams.mdagents.work import Work
from agents.teams.port import Case, Inbox, Models
from agents.teams.running import Running, told

ROLES: Final = ("assessor", "recruiter", "physician", "assistant", "moderator", "coordinator")
HEARD: Final = Running(structured="text")  # the way of JSON that can be heard while it is written


class MDAgentsTeam:
    """A team that fits itself to the case. `how`: its bounds, and how its models give JSON (docs/llm.md)."""

    def __init__(self, settings: Settings = VOICE, how: Running = HEARD) -> None:
        self._settings, self._how = settings, how

    @property
    def name(self) -> str:
        """What it is called."""
        return "mdagents"

    @property
    def agents(self) -> tuple[str, ...]:
        """Return who is known to speak beforehand: nobody, as the experts are recruited for the case."""
        return ()

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles that may have models of their own; an expert's is its name."""
        return ROLES

    async def run(self, case: Case, models: Models, inbox: Inbox) -> AsyncGenerator[TeamEvent, None]:
        """Reason, and yield events numbered from 0, END last. Closing it ends every call under way."""
        desk = Desk(secrets.token_hex(8))
        work = told(desk, self._work(case, models, inbox, desk))
        async with aclosing(desk.fetch(work)) as events:
            async for event in events:
                yield event

    async def _work(self, case: Case, models: Models, inbox: Inbox, desk: Desk) -> None:
        checked(case)
        heard = _Heard(desk)
        callers = self._how.callers(models)
        asker = Asker(callers, heard, bounds=self._how.ledger(), waits=desk.waits)
        work = Work(case.text, case.options, self._settings, asker, listener=heard, inbox=inbox)
        try:
            await solve(work)
        except Exception:
            await heard.withdraw()
            raise
        await heard.withdraw()


@dataclass(slots=True)
class _Turn:
    """A turn that is not ended. `told`: what of its text was told, thinking aside."""

    place: Place
    told: str = ""


@dataclass(slots=True)
class _Heard:
    """Gives a desk what is told, in turns: each agent has one at a time."""

    desk: Desk
    _open: dict[str, _Turn] = field(default_factory=dict)  # by agent
    _one_by_one: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def hears_writing(self) -> bool:
        """Whoever listens hears answers while they are written."""
        return True

    async def wrote(
        self, agent: str, run: str, text: str, kind: TokenType, *, round_: int | None = None
    ) -> None:
        """Hand on a piece of a turn."""
        async with self._one_by_one:
            turn = await self._turn(agent, run, round_)
            await self.desk.say(turn.place, text, kind, thinks=kind in THOUGHT)
            if kind not in THOUGHT:
                turn.told += text

    async def spoken(self, said: Spoken) -> None:
        """Hand on what of an agent's turn is not told yet, what it decided, and its end."""
        async with self._one_by_one:
            turn = self._open.get(said.agent)
            if turn is not None and not said.text.startswith(turn.told):
                await self._end(said.agent, TurnMark.TURN_ABORTED)  # it was written anew
            turn = await self._turn(said.agent, said.run, said.round, said.in_reply_to)
            if rest := said.text[len(turn.told) :]:
                await self.desk.say(turn.place, rest, TokenType.of(said.context), thinks=False)
            if said.decision is not None:
                await self.desk.decided(turn.place, said.decision)
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
        await self.desk.progress(step.kind, step.agents, step.text, share=step.share, round=round_)

    async def cost(self, agent: str, run: str, cost: LLMMetadata) -> None:
        """Hand on what a call cost."""
        await self.desk.cost(Place(agent, run=f"{agent}: {run}"), cost)

    async def _turn(self, agent: str, run: str, round_: int | None, in_reply_to: str | None = None) -> _Turn:
        """Return the agent's turn for `run`; begin it, and withdraw one for something else, if need be."""
        turn, named = self._open.get(agent), f"{agent}: {run}"
        if turn is not None and turn.place.run == named:
            return turn
        if turn is not None:
            await self._end(agent, TurnMark.TURN_ABORTED)
        turn = self._open[agent] = _Turn(Place(agent, self.desk.new_turn(), round_, in_reply_to, named))
        await self.desk.mark(turn.place, TurnMark.TURN_START)
        return turn

    async def _end(self, agent: str, mark: TurnMark) -> None:
        await self.desk.mark(self._open.pop(agent).place, mark)

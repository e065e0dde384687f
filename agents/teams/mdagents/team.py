"""MDAgents on the port of a team: the same work, heard while it is done."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, Final

from agents.stream import THOUGHT, EventType, LLMMetadata, Progress, TeamEvent, TokenType, TurnMark
from agents.teams.mdagents.asking import LIVE, Asker, Callers
from agents.teams.mdagents.errors import MDAgentsError
from agents.teams.mdagents.settings import VOICE, Settings
from agents.teams.mdagents.solving import solve
from agents.teams.mdagents.telling import Spoken
from agents.teams.mdagents.work import Work
from agents.teams.port import Case, Inbox, Models
from exaim_core.llm.calls import CallLimits
from exaim_core.llm.errors import LLMError

log = logging.getLogger(__name__)

ROLES: Final = ("assessor", "recruiter", "physician", "assistant", "moderator", "coordinator")
QUEUED: Final = 256  # events that wait for whoever reads; then the work waits too


class MDAgentsTeam:
    """A team that fits itself to the case. `structured`: how its models give JSON (docs/llm.md)."""

    def __init__(
        self, settings: Settings = VOICE, *, structured: str = "text", limits: CallLimits = LIVE
    ) -> None:
        self._settings, self._structured, self._limits = settings, structured, limits

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
        heard = _Heard()
        working = asyncio.create_task(self._work(case, models, inbox, heard), name="mdagents")
        try:
            while (event := await heard.queue.get()) is not None:
                yield event
            await working
        finally:
            working.cancel()
            await asyncio.wait({working})

    async def _work(self, case: Case, models: Models, inbox: Inbox, heard: _Heard) -> None:
        callers = Callers(models, structured=self._structured, limits=self._limits)
        work = Work(
            case.text, case.options, self._settings, Asker(callers, heard), listener=heard, inbox=inbox
        )
        try:
            await solve(work)
        except (MDAgentsError, LLMError) as error:
            await heard.end()
            await heard.tell(type=EventType.ERROR, data=str(error))
        except Exception as error:  # whatever it is, the listener must not wait for ever
            log.exception("the team broke off")
            await heard.end()
            await heard.tell(type=EventType.ERROR, data=f"the team broke off: {type(error).__name__}")
        await heard.end()
        await heard.tell(type=EventType.END)
        await heard.queue.put(None)


@dataclass(slots=True)
class _Turn:
    """A turn that is not ended. `told`: what of its text was told, thinking aside."""

    run: str
    about: dict[str, Any]
    told: str = ""


@dataclass(slots=True)
class _Heard:
    """Makes events of what is told, numbers them, and waits while nobody takes them."""

    queue: asyncio.Queue[TeamEvent | None] = field(default_factory=lambda: asyncio.Queue(QUEUED))
    _seq: int = 0
    _turns: dict[str, int] = field(default_factory=dict)
    _open: dict[str, _Turn] = field(default_factory=dict)  # by agent
    _one_by_one: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def tell(self, **fields: Any) -> None:
        """Number one event and hand it on."""
        event = TeamEvent(seq=self._seq, source_ms=_now_ms(), **fields)
        self._seq += 1
        await self.queue.put(event)

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
            await self.tell(type=EventType.TOKEN, data=text, token_type=kind, **turn.about)
            if kind not in THOUGHT:
                turn.told += text

    async def spoken(self, said: Spoken) -> None:
        """Hand on what of an agent's turn is not told yet, what it decided, and its end."""
        async with self._one_by_one:
            turn = self._open.get(said.agent)
            if turn is not None and not said.text.startswith(turn.told):
                await self._end(said.agent)  # it was written anew
            turn = await self._turn(said.agent, said.run, said.round, said.in_reply_to)
            about = turn.about
            if rest := said.text[len(turn.told) :]:
                await self.tell(
                    type=EventType.TOKEN, data=rest, token_type=TokenType.of(said.context), **about
                )
            if said.decision is not None:
                await self.tell(type=EventType.METADATA, decision=said.decision, **about)
            await self._end(said.agent)

    async def end(self) -> None:
        """End the turns that were begun and never ended: their agents have failed."""
        for agent in list(self._open):
            await self._end(agent)

    async def _turn(self, agent: str, run: str, round_: int | None, in_reply_to: str | None = None) -> _Turn:
        """Return the agent's turn for `run`; begin it, and end one for something else, if need be."""
        turn = self._open.get(agent)
        if turn is not None and turn.run == run:
            return turn
        if turn is not None:
            await self._end(agent)
        number = self._turns.get(agent, 0)
        self._turns[agent] = number + 1
        about: dict[str, Any] = {
            "agent_id": agent,
            "run_id": f"{agent}: {run}",
            "turn": number,
            "round": round_,
        }
        if in_reply_to is not None:
            about["in_reply_to"] = in_reply_to
        turn = self._open[agent] = _Turn(run, about)
        await self.tell(type=EventType.METADATA, mark=TurnMark.TURN_START, **about)
        return turn

    async def _end(self, agent: str) -> None:
        turn = self._open.pop(agent)
        await self.tell(type=EventType.METADATA, mark=TurnMark.TURN_END, **turn.about)

    async def progress(self, step: Progress, *, round_: int | None = None, turn: int | None = None) -> None:
        """Hand on a step."""
        async with self._one_by_one:
            await self.tell(type=EventType.METADATA, progress=step, round=round_)

    async def cost(self, agent: str, run: str, cost: LLMMetadata) -> None:
        """Hand on what a call cost."""
        async with self._one_by_one:
            await self.tell(type=EventType.METADATA, llm=cost, agent_id=agent, run_id=f"{agent}: {run}")


def _now_ms() -> int:
    return round(asyncio.get_running_loop().time() * 1000)

"""Queue a team's events, bounded and numbered, until they are fetched; report slow models."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agents.stream import (
    Decision,
    EventType,
    LLMMetadata,
    Progress,
    ProgressKind,
    TeamEvent,
    TokenType,
    TurnMark,
)
from agents.teams.waiting import Waits

MOST_WAITING: Final = 1_000  # events that nobody fetched; the calls then wait
PIECE_CHARS: Final = 2_000  # of one event; the server takes 8,000
TEXT_CHARS: Final = 1_000  # of a step's text
LOOK_S: Final = 1.0  # how late a wait is noticed


@dataclass(frozen=True, slots=True)
class EventPlace:
    """Whose words, in which turn and round, and which message of the clinician they answer.

    `turn` is None of what belongs to no turn. `run` names what was asked for; by default it is the team's run.
    """

    agent: str
    turn: int | None = None
    round: int | None = None
    in_reply_to: str | None = None
    run: str | None = None


@dataclass(frozen=True, slots=True)
class _Told:
    type: EventType
    at_ms: int
    fields: Mapping[str, Any]


class EventQueue:
    """Takes a run's events in order; `fetch` yields them, numbered. For use in one event loop."""

    def __init__(self, run_id: str, *, first_turn: int = 0) -> None:
        self._run_id = run_id
        self._turn = first_turn
        self._seq = 0
        self._queue: asyncio.Queue[_Told | None] = asyncio.Queue(MOST_WAITING)
        self._put_count = 0
        self._taken = 0  # whoever fetches came back for another one
        self._took = asyncio.Event()
        self.waits = Waits()
        self._began_s = asyncio.get_running_loop().time()

    def new_turn(self) -> int:
        """Return the number of a new turn."""
        self._turn += 1
        return self._turn

    async def say(self, place: EventPlace, text: str, token_type: TokenType, *, thinks: bool) -> None:
        """Tell words of an agent, or of its model's thinking (`thinks`)."""
        self.waits.heard(place.agent, thinks=thinks)
        text = text.encode("utf-8", "replace").decode()
        for at in range(0, len(text), PIECE_CHARS):
            await self._put(EventType.TOKEN, place, data=text[at : at + PIECE_CHARS], token_type=token_type)

    async def mark(self, place: EventPlace, mark: TurnMark) -> None:
        """Tell that a turn begins, ends or broke off."""
        await self._put(EventType.METADATA, place, mark=mark)

    async def cost(self, place: EventPlace, llm: LLMMetadata) -> None:
        """Tell what a call cost."""
        await self._put(EventType.METADATA, place, llm=llm)

    async def decided(self, place: EventPlace, decision: Decision) -> None:
        """Tell what an agent states as its decision."""
        await self._put(EventType.METADATA, place, decision=decision)

    async def progress(
        self,
        kind: ProgressKind,
        agents: Sequence[str] = (),
        text: str = "",
        *,
        share: float | None = None,
        round: int | None = None,
    ) -> None:
        """Tell a step of the team's work."""
        step = Progress(kind=kind, agents=tuple(agents), text=text[:TEXT_CHARS], share=share)
        await self._put(EventType.METADATA, None, progress=step, round=round)

    async def delivered(self) -> None:
        """Wait until the reader of `fetch` has handled every event told so far."""
        until = self._put_count
        while self._taken < until:
            self._took.clear()
            await self._took.wait()

    async def fetch(self, work: Coroutine[Any, Any, None]) -> AsyncGenerator[TeamEvent, None]:
        """Run `work` and yield the events that it tells; the last one is END.

        `work` tells its own failures as ERROR. What it raises is raised here, and then there is no END.
        Closing this generator cancels `work`.
        """
        doing = asyncio.create_task(self._done(work), name="team")
        watching = asyncio.create_task(self._watch(), name="team-waits")
        try:
            while (told := await self._queue.get()) is not None:
                yield self._numbered(told)
                self._taken += 1
                self._took.set()
            await doing
            yield self._numbered(_Told(EventType.END, self._at_ms(), {}))
        finally:
            for each in (doing, watching):
                each.cancel()
            await asyncio.gather(doing, watching, return_exceptions=True)

    async def error(self, why: str) -> None:
        """Tell why the run ends early."""
        await self._put(EventType.ERROR, None, data=why[:PIECE_CHARS])

    async def _done(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except asyncio.CancelledError:
            raise  # nobody fetches any more
        except BaseException:
            await self._queue.put(None)
            raise
        await self._queue.put(None)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            for agent, text in self.waits.overdue():
                await self.progress(ProgressKind.WAITING, (agent,), text)

    async def _put(self, kind: EventType, place: EventPlace | None, **fields: Any) -> None:
        if place is not None:
            fields |= {
                "agent_id": place.agent,
                "turn": place.turn,
                "round": place.round,
                "in_reply_to": place.in_reply_to,
                "run_id": place.run or self._run_id,
            }
        await self._queue.put(_Told(kind, self._at_ms(), fields))
        self._put_count += 1

    def _numbered(self, told: _Told) -> TeamEvent:
        """Return an event with its number: given as it leaves, so that order and numbers agree."""
        seq, self._seq = self._seq, self._seq + 1
        fields = {"run_id": self._run_id, **told.fields}
        return TeamEvent(type=told.type, seq=seq, source_ms=told.at_ms, **fields)

    def _at_ms(self) -> int:
        return round((self._now_s() - self._began_s) * 1000)

    def _now_s(self) -> float:
        return asyncio.get_running_loop().time()

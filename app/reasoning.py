"""Reason about one session: fill its event log from the source, and run the engine on it.

Two tasks that know nothing of each other but the log. A successor needs no state of the one before:
it reads the log from the start, the engine (whose timers run on the log's append times) cuts the
same segments, and updates that are there already are passed over by their ids.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from redis.asyncio import Redis

from agents.recorded import Catalogue, Trace, TraceError, UnknownCase, replay
from agents.recorded.errors import TraceSchemaError
from agents.stream import THOUGHT, EventType, StreamEvent, StreamFull, TurnMark
from app.fair_share import Delay, LoopShare, Shares
from app.writing import Writer, retold_of
from exaim_core import EXAIM, CasePaper, Delta, Stated, StatedKind, Update
from infra.errors import CorruptSession
from infra.leases import Fence, Lease
from infra.papers import read_paper
from infra.sessions import OVER, Reasoning, SessionRecord, SessionStore
from infra.store import clock_ms
from infra.streams import UPDATE_BOUND, Command, Logged, SessionSink, SessionStreams
from infra.team_log import TeamLog

log = logging.getLogger(__name__)

READ_BLOCK_MS: Final = 200  # how late an idle engine's timers may fire
READ_COUNT: Final = 100  # of up to 8,000 characters each
FIELDS_NAMED: Final = 5  # of a case paper that is wrong, in the log
TEAM_LOOK_S: Final = 0.5  # how late it is noticed that a live team's words have expired
OVER_LOOK_S: Final = 2.0  # how late an abandoned session gives its place to another
TICK_BEHIND_S: Final = 0.1  # idle timers run so far behind the store, for events under way


class Cases:
    """The catalogue for several sessions of one process: read by one thread at a time, off the loop."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._turn = asyncio.Lock()

    async def load(self, case_id: str) -> Trace:
        """Return a case's trace. Raises: TraceError."""
        async with self._turn:
            return await asyncio.to_thread(self._catalogue.load, case_id)

    async def paper(self, client: Redis, record: SessionRecord) -> CasePaper | None:
        """Return the paper of a session's case, or None if it has none; a live case's is in the store.

        Raises: TraceError; StoreUnavailable, CorruptSession.
        """
        if record.live:
            return await read_paper(client, record.keys)
        try:
            async with self._turn:
                found = await asyncio.to_thread(self._catalogue.paper, record.case_id)
        except UnknownCase:
            return None
        try:
            return CasePaper.of_store(found) if found else None
        except ValidationError as error:  # its own text quotes the paper
            wrong = ", ".join(".".join(map(str, each["loc"])) for each in error.errors()[:FIELDS_NAMED])
            raise TraceSchemaError(
                Path(f"{record.case_id}.paper.json"),
                f"not of the kind they should be: {wrong}",
                "mend or remove it",
            ) from None


@dataclass(slots=True)
class _Lull:
    """A silence of the team: what was read by then is told once, at a time that the log alone decides.

    So a successor, who reads the log again, makes the same of it.
    """

    silence_s: float
    newest_s: float = math.inf  # append time of the newest event; infinity: none yet, or the silence was told

    async def told(self, exaim: EXAIM, until_s: float) -> tuple[Update, ...]:
        """Return what is told of a silence that is long enough by `until_s`, if there is one."""
        at_s = self.newest_s + self.silence_s
        if until_s < at_s:
            return ()
        self.newest_s = math.inf
        return await exaim.fall_silent(at_s)


class SessionReasoning:
    """Fills and reads one session's log while the `reason` lease is held."""

    def __init__(
        self,
        client: Redis,
        record: SessionRecord,
        cases: Cases,
        lease: Lease,
        writer: Writer | None = None,
        shares: Shares | None = None,
    ) -> None:
        self._client = client
        self._record = record
        self._cases = cases
        self._lease = lease
        self._writer = writer or Writer()
        self._shares = shares or Shares()
        self._read_at_s = math.inf  # append time of the event that is being read
        self._streams = SessionStreams(client, record.keys)
        self._sessions = SessionStore(client)

    async def run(self) -> None:
        """Reason until the case is over or the session ends, or is abandoned: then opening it again goes on.

        Raises (in an ExceptionGroup): LeaseLost, Fenced, StreamFenced, StoreUnavailable.
        """
        fence = self._lease.fence
        with self._shares.share() as share:
            await self._run(fence, share)

    async def _run(self, fence: Fence, share: LoopShare) -> None:
        async with asyncio.TaskGroup() as group:
            holding = group.create_task(self._lease.hold(), name="reason-lease")
            ending = group.create_task(self._command("end"), name="reason-end")
            leaving = group.create_task(self._until_over(), name="reason-over")
            source = self._follow_team(fence) if self._record.live else self._play(fence)
            coming = group.create_task(source, name="reason-source")
            thinking = group.create_task(share.run(self._think(fence, share)), name="reason-think")
            await asyncio.wait({ending, leaving, thinking}, return_when=asyncio.FIRST_COMPLETED)
            for task in (holding, ending, leaving, coming, thinking):
                task.cancel()

    async def _until_over(self) -> None:
        """Look at the record until nobody speaks in the session: no command tells that it was abandoned."""
        while (await self._sessions.get(self._record.session_id)).status not in OVER:
            await asyncio.sleep(OVER_LOOK_S)

    async def _command(self, kind: str) -> None:
        after = "0-0"
        while True:
            for logged in await self._streams.read_commands(after, block_ms=1_000):
                after = logged.id
                if logged.command.kind == kind:
                    return

    # --- the source -----------------------------------------------------------------------------

    async def _play(self, fence: Fence) -> None:
        """Play the case into the log, from where it stopped. A case that can't be read ends in ERROR."""
        await self._command("ready")
        record = self._record
        sink = SessionSink(self._streams, fence)
        after_seq = await self._streams.last_event_seq()
        try:
            trace = await self._cases.load(record.case_id)
        except TraceError as error:
            log.warning("the case of %s can't be played: %s", record.session_id, type(error).__name__)
            await sink.append(self._failure(after_seq + 1, "the case can't be read"))
            return
        await replay(
            trace,
            sink=sink,
            session_id=record.session_id,
            thread_id=record.thread_id,
            trace_id=record.case_id,
            speed=record.speed,
            after_seq=after_seq,
        )

    async def _follow_team(self, fence: Fence) -> None:
        """End a live team's reasoning in ERROR if its words have expired: nobody has them any more.

        Its events come by the API, and its own END ends it. A silence ends nothing: the team may go on.
        """
        log_of_team = TeamLog(self._client, self._record.keys)
        while not await log_of_team.sealed():
            await asyncio.sleep(TEAM_LOOK_S)
        newest = await self._streams.last_event_seq()
        if newest < 0 and await log_of_team.seal(self._failure(0, "the team's words have expired"), fence):
            log.info("the reasoning of %s is over: the team's words have expired", self._record.session_id)

    def _failure(self, seq: int, why: str) -> Sequence[StreamEvent]:
        record = self._record
        ids = {
            "thread_id": record.thread_id,
            "session_id": record.session_id,
            "trace_id": record.case_id,
        }
        return (
            StreamEvent(type=EventType.ERROR, seq=seq, data=why, **ids),
            StreamEvent(type=EventType.END, seq=seq + 1, **ids),
        )

    # --- the engine -----------------------------------------------------------------------------

    async def _think(self, fence: Fence, share: LoopShare) -> None:
        """Read the log, and commit what the engine makes of it, until END was read.

        After an ERROR the rest is told and there is no closing: a reasoning that broke off is not finished.
        """
        try:
            paper = await self._cases.paper(self._client, self._record)
        except TraceError as error:
            log.warning("%s is reasoned about without its paper: %s", self._record.session_id, error)
            paper = None
        exaim = await self._engine(paper, share)
        try:
            await self._follow_log(exaim, fence, share)
        finally:
            await exaim.aclose()

    async def _follow_log(self, exaim: EXAIM, fence: Fence, share: LoopShare) -> None:
        delay, lull = Delay(), _Lull(self._record.team_silence_s if self._record.live else math.inf)
        after = "0-0"
        begun = failed = False
        while True:
            logged = await self._streams.read_events(after, block_ms=READ_BLOCK_MS, count=READ_COUNT)
            if not logged:
                self._read_at_s = math.inf
                await self._tell(delay.caught_up())
                until_s = await self._store_s() - TICK_BEHIND_S
                await self._commit(await exaim.tick(until_s), fence)
                await self._commit(await lull.told(exaim, until_s), fence)
            for entry in logged:
                after = entry.id
                self._read_at_s = entry.at_ms / 1000
                if not begun:
                    await self._note("thinking")
                    begun = True
                await self._commit(await lull.told(exaim, self._read_at_s), fence)
                lull.newest_s = self._read_at_s
                failed = failed or entry.event.type is EventType.ERROR
                if entry.event.type is EventType.END:
                    await self._tell(delay.caught_up())
                    ending = exaim.break_off if failed else exaim.finish
                    await self._commit(await ending(entry.at_ms / 1000), fence)
                    await self._note("failed" if failed else "finished")
                    return
                await self._commit(await feed(exaim, entry), fence)
                await self._tell(delay.read(share.waited_s))

    async def _tell(self, news: str | None) -> None:
        """Tell the page that the team is read with a delay, or in time again."""
        if news is None:
            return
        log.info("%s: %s", self._record.session_id, news)
        try:
            at_ms = int(await clock_ms(self._client))
            await self._streams.append_command(Command(kind=news, by="reasoner", at_ms=at_ms))
        except StreamFull:
            log.warning("%s has no room to be told of its delay", self._record.session_id)

    async def _engine(self, paper: CasePaper | None, share: LoopShare) -> EXAIM:
        """Return an engine that repeats the committed updates as they were."""
        logged = await self._streams.read_updates(count=UPDATE_BOUND)
        try:
            committed = [Update.model_validate(each.update) for each in logged]
        except ValidationError as error:  # its text may quote what was said
            raise CorruptSession("an update", type(error).__name__) from None
        loop = asyncio.get_running_loop()
        store_ahead_s = await self._store_s() - loop.time()

        def lag_s() -> float:
            return loop.time() + store_ahead_s - self._read_at_s

        return EXAIM(
            paper=paper,
            judge=self._writer.judge(committed, lag_s),
            summarizer=self._writer.summarizer(committed, lag_s),
            pause=share.pause,
            reader=self._writer.reader(self._record.reader),
            retold=retold_of(committed),
            retold_until=max((update.judged for update in committed), default=0),
        )

    async def _commit(self, updates: Sequence[Update], fence: Fence) -> None:
        for update in updates:
            update_id = f"u-{self._record.session_id}-{update.number:04d}"
            await self._streams.commit_update(update, update_id, fence)

    async def _store_s(self) -> float:
        return await clock_ms(self._client) / 1000

    async def _note(self, reasoning: Reasoning) -> None:
        await self._sessions.change(
            self._record.session_id, lambda record: record.model_copy(update={"reasoning": reasoning})
        )


async def feed(exaim: EXAIM, entry: Logged) -> tuple[Update, ...]:
    """Feed the engine one event of the log, at its append time, and return what it makes of it.

    Only what an agent answers counts, and what it states beside that: not what a model thinks on the way to it.
    """
    event, at_s = entry.event, entry.at_ms / 1000
    agent_id = event.agent_id or "unknown"
    match event.type:
        case EventType.TOKEN if event.token_type not in THOUGHT and event.data:
            return await exaim.feed(Delta(agent_id, event.data, event.seq, at_s))
        case EventType.METADATA if event.llm is not None and event.llm.is_cut:
            return await exaim.cut_short(agent_id, event.seq, at_s)
        case EventType.METADATA if event.mark is TurnMark.TURN_END:
            return await exaim.turn_end(agent_id, event.seq, at_s)
        case EventType.METADATA if event.mark is TurnMark.TURN_ABORTED:
            return await exaim.abort_turn(agent_id, event.seq, at_s)
        case EventType.METADATA if event.decision is not None:
            told = event.decision
            kind = StatedKind(told.kind)
            return await exaim.decide(Stated(agent_id, kind, told.text, told.rests_on, event.seq, at_s))
        case _:
            return ()

"""The engine of one case: text of many agents in, updates worth a clinician's attention out.

    delta ─▶ gate ─▶ reader ─▶ board ─▶ judge ─▶ summariser, grounding ─▶ Update

What a summariser other than the lexical one writes is admitted sentence by sentence (`words/admitting.py`).
Nothing is lost: text that triggers no update waits for the next one, and `finish` leaves none waiting.
Nothing is doubled: every delta is covered by exactly one update. The same deltas, turn ends and
ticks give the same updates, so a successor that reads the log again makes the same ones.

Work is cut into pieces of a few milliseconds, and other tasks run between them (`pause`, which may also make a
costly session wait for its turn). Of changes that come all at once, those beyond `changes.MOST_WAITING` are counted
and not spoken. A call that is cancelled at such a pause loses nothing: text that was taken in and is not read or
spoken yet comes with the next call, and so do updates that were made and not returned.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Final, Literal

from exaim_core.board.board import Board
from exaim_core.board.changes import ChangeKind
from exaim_core.board.withdrawing import withdraw
from exaim_core.claims.critical import may_not_wait
from exaim_core.coverage import Coverage
from exaim_core.hearing import Hearing, Pause
from exaim_core.judge import Judge, JudgeRequest, LexicalJudge, Path, decide
from exaim_core.listeners import SummaryCallback, TraceCallback
from exaim_core.patient.conflicts import PaperValues
from exaim_core.patient.hazards import Hazards
from exaim_core.patient.paper import CasePaper
from exaim_core.readings.pending import Readings
from exaim_core.readings.port import SegmentReader
from exaim_core.readings.settling import settle
from exaim_core.readings.stated import Stated, Statements
from exaim_core.schema import AgentSummary, Delta, Update
from exaim_core.since import Since
from exaim_core.text.boundaries import BoundaryRule
from exaim_core.text.cleaning import TextCleaner
from exaim_core.text.clock import Clock, SystemClock
from exaim_core.text.errors import DeltaOutOfOrder, Finished
from exaim_core.text.names import Names, person
from exaim_core.text.token_gate import (
    BROKE_OFF,
    END_OF_TRACE,
    FELL_SILENT,
    TURN_END,
    Chunk,
    GateCore,
    GateLimits,
    Piece,
)
from exaim_core.text.units import Unit
from exaim_core.updating import READ, Updating
from exaim_core.words.evidence import Ear
from exaim_core.words.summarizer import LexicalSummarizer, Summarizer

SILENT_S: Final = 2.0
"""After this many seconds with nothing to say, what was kept for a silence is handed on."""

FULL_TRACE = "full_trace"
MOST_WITHDRAWN: Final = 8  # claims named in the sentence that says a turn is withdrawn
STATED: Final = "stated"
"""The reason of an update that was brought by a decision which a team stated beside its words."""


class EXAIM:
    """The engine of one case. Several tasks may call its methods at once; they take turns.

    `history_k` is how many earlier summaries the judge and the summariser are shown. `reader` is a model that reads
    released text in the background; `aclose` gives up readings under way. `retold` is for a log that is read again: for
    each request to the judge, by its number, how many updates the predecessor's readings brought after it. No
    model is asked for those again.
    """

    def __init__(
        self,
        history_k: int = 3,
        *,
        limits: GateLimits | None = None,
        rule: BoundaryRule = BoundaryRule.CLINICAL,
        agent_names: Mapping[str, str] | None = None,
        paper: CasePaper | None = None,
        clock: Clock | None = None,
        judge: Judge | None = None,
        summarizer: Summarizer | None = None,
        pause: Pause | None = None,
        reader: SegmentReader | None = None,
        retold: Mapping[int, int] | None = None,
        retold_until: int = 0,
        board: Board | None = None,
    ) -> None:
        if history_k < 0:
            raise ValueError("history_k must not be negative")
        if not isinstance(paper, CasePaper | None):
            raise TypeError("paper must be a CasePaper; of a dict, CasePaper.model_validate makes one")
        if not isinstance(agent_names, Mapping | None):
            raise TypeError("agent_names must map each agent's id to how it is called aloud")
        self._names = Names(agent_names)
        self._clock = clock or SystemClock()
        self._judge = judge or LexicalJudge()
        self.paper = paper
        self.board = Board() if board is None else board
        self.board.names = self._names
        self._gate = GateCore(limits, rule, cue=lambda _, sentence: may_not_wait(sentence))
        self._coverage = Coverage()
        self._released: deque[Chunk] = deque()  # released by a timer, not read yet
        self._pause = pause or partial(asyncio.sleep, 0)
        self._since = Since()
        self._counts: dict[str, int] = {}
        self._judged = 0  # requests to the judge
        self._readings = Readings(reader, self._names) if reader is not None else None
        self._stated = Statements()
        self._hearing = Hearing(
            board=self.board,
            record=PaperValues(paper) if paper is not None else None,
            hazards=Hazards(paper),
            said=self._since.said,
            state=self._state,
            ear=Ear(),
            stated=self._stated,
            readings=self._readings,
            pause=self._pause,
        )
        self._retold, self._retold_until = dict(retold or {}), retold_until
        self._open: set[str] = set()  # agents whose turn is not over; they may have fallen silent
        self._updates = Updating(
            board=self.board,
            hearing=self._hearing,
            since=self._since,
            coverage=self._coverage,
            summarizer=summarizer or LexicalSummarizer(),
            given_names=dict(agent_names or {}),
            names=self._names,
            paper=paper,
            history_k=history_k,
            pause=self._pause,
        )
        self._turns = asyncio.Lock()
        self._last_seq = -1
        self._last_at_s = 0.0
        self._finished = False

    # -- the streaming way -----------------------------------------------------------------------

    async def feed(self, delta: Delta) -> tuple[Update, ...]:
        """Take a delta and return the updates that it and the timers due before it bring, in order.

        Raises: DeltaOutOfOrder: `seq` or `at_s` went back; Finished: `finish` was called; TypeError: it is no `Delta`.
        """
        if not isinstance(delta, Delta):
            raise TypeError("feed takes a Delta(agent_id, text, seq, at_s); on_new_token takes plain text")
        async with self._turns:
            await self._feed(delta)
            return self._updates.handed()

    async def turn_end(self, agent_id: str, seq: int, at_s: float) -> tuple[Update, ...]:
        """Take the end of an agent's turn: release its held text, complete its lists, return the updates."""
        async with self._turns:
            await self._caught_up(seq, at_s)
            await self._end_turn(agent_id, at_s)
            return self._updates.handed()

    async def cut_short(self, agent_id: str, seq: int, at_s: float) -> tuple[Update, ...]:
        """Note that an agent's answer was cut off: if no more words come, its last sentence is left out."""
        async with self._turns:
            self._check(seq, at_s)
            self._hearing.cut.add(agent_id)
            await self._settled()
            await self._due(at_s)
            return self._updates.handed()

    async def abort_turn(self, agent_id: str, seq: int, at_s: float) -> tuple[Update, ...]:
        """Withdraw an agent's turn that broke off: claims that rest on it alone no longer count.

        What was spoken of it is announced as withdrawn. If it is said again, it is news again.
        """
        async with self._turns:
            await self._caught_up(seq, at_s)
            if agent_id in self._open:  # one that is over can't be withdrawn
                await self._abort(agent_id, at_s)
            return self._updates.handed()

    async def decide(self, stated: Stated) -> tuple[Update, ...]:
        """Take a decision that an agent states beside its words; it is spoken once they have been read.

        Raises: as `feed`.
        """
        async with self._turns:
            await self._caught_up(stated.seq, stated.at_s)
            self._stated.add(stated)
            await self._chunk(Chunk(stated.agent_id, "", STATED, (), stated.at_s))
            return self._updates.handed()

    async def tick(self, at_s: float | None = None) -> tuple[Update, ...]:
        """Fire the timers that are due by `at_s`, in seconds of the deltas' clock (None: by now)."""
        async with self._turns:
            if not self._finished:
                await self._settled()
                await self._due(self._now_s() if at_s is None else at_s)
            return self._updates.handed()

    async def finish(self, at_s: float | None = None) -> tuple[Update, ...]:
        """Summarise the rest and close: the last update has path "end" and holds the closing.

        `at_s` is in seconds of the deltas' clock; None: now. Calling it again returns nothing.
        """
        async with self._turns:
            if not self._finished:
                await self._rest(self._now_s() if at_s is None else at_s)
                await self._last("end", END_OF_TRACE)
            return self._updates.handed()

    async def break_off(self, at_s: float | None = None) -> tuple[Update, ...]:
        """Summarise the rest without a closing, for reasoning that stopped before its end.

        Of open turns, whole sentences count and a sentence that was cut is left out. `at_s` as in `finish`; after this
        call, too, nothing more is taken.
        """
        async with self._turns:
            if not self._finished:
                self._hearing.cut.update(self._hearing.agents, self._gate.agents)
                await self._rest(self._now_s() if at_s is None else at_s)
                await self._last("A", BROKE_OFF)
            return self._updates.handed()

    async def fall_silent(self, at_s: float) -> tuple[Update, ...]:
        """Summarise what waits for more text because nobody has spoken for long. The case stays open.

        An open turn is read as far as it has come. If it stops within a sentence, it is read with the text that comes
        next. `abort_turn` still withdraws it, as a whole. `at_s` as in `finish`.
        """
        async with self._turns:
            if not self._finished:
                await self._settled()
                await self._due(at_s)
                for agent_id in self._hearing.agents:
                    if self._hearing.rests(agent_id):
                        await self._end_turn(agent_id, at_s, FELL_SILENT)
                if self._waits:
                    await self._update("A", FELL_SILENT)
            return self._updates.handed()

    async def aclose(self) -> None:
        """Give up readings that are under way; after `finish` there are none."""
        if self._readings is not None:
            await self._readings.aclose()

    @property
    def next_due_s(self) -> float:
        """Return when `tick` may next have something to do, in seconds; infinity if nothing is held."""
        return self._gate.next_due_s

    # -- the core document's names ---------------------------------------------------------------

    async def on_new_token(self, agent_id: str, token: str) -> AgentSummary | None:
        """Take a piece of text, timed by the clock; return the newest summary if it brought one."""
        async with self._turns:
            self._updates.listeners.tell_trace(agent_id, token)
            now_s = self._now_s()
            await self._feed(Delta(agent_id, token, self._last_seq + 1, now_s))
            await self._due(now_s)
            return self._newest()

    async def received_trace(self, agent_id: str, text: str) -> AgentSummary | None:
        """Take a whole text at once, past the gate; return the newest summary if it brought one."""
        async with self._turns:
            self._updates.listeners.tell_trace(agent_id, text)
            at_s, seq = self._now_s(), self._last_seq + 1
            await self._caught_up(seq, at_s)
            self._hearing.cut.discard(agent_id)
            self._open.discard(agent_id)
            held = self._gate.flush(agent_id, FULL_TRACE, at_s)
            if held:
                await self._chunk(held)
            self._coverage.add(agent_id, seq, at_s)
            cleaner = TextCleaner(self._hearing.cleaner(agent_id).places)
            said = cleaner.take(text) + cleaner.end_turn()
            self._hearing.hidden_whole += cleaner.hidden
            chunk = Chunk(agent_id, said, FULL_TRACE, (Piece(seq, at_s, len(said)),), at_s)
            await self._chunk(chunk, whole=True)
            return self._newest()

    async def on_turn_end(self, agent_id: str) -> AgentSummary | None:
        """Take the end of an agent's turn, timed by the clock; return the newest summary if it brought one."""
        async with self._turns:
            now_s = self._now_s()
            await self._caught_up(self._last_seq + 1, now_s)
            await self._end_turn(agent_id, now_s)
            return self._newest()

    async def flush_agent(self, agent_id: str) -> None:
        """Read what is held of the agent without judging it: it leads the next summary under its own name."""
        async with self._turns:
            chunk = self._gate.flush(agent_id, TURN_END, self._now_s())
            if chunk is not None:
                self._open.discard(agent_id)
                await self._take_in(chunk, whole=True)

    async def summaries(self) -> AsyncIterator[AgentSummary]:
        """Yield every summary from the first, waiting for the next one, until `finish` is called.

        Several readers may iterate at once, each at its own pace; nothing waits for them. A reader that falls behind by
        more than are kept (`kept.SUMMARIES`) goes on with the oldest of those.
        """
        async for summary in self._updates.kept.stream():
            yield summary

    def get_all_summaries(self) -> tuple[AgentSummary, ...]:
        """Return all summaries so far, oldest first; at most the newest `kept.SUMMARIES`."""
        return self._updates.kept.summaries

    def get_summaries_by_agent(self, agent_id: str) -> tuple[AgentSummary, ...]:
        """Return the summaries that name the agent, by id or spoken name, as whole words in any case."""
        return self._updates.kept.naming((agent_id, self._names(agent_id)))

    def get_agent_trace_count(self, agent_id: str) -> int:
        """Return how many released segments the agent has had; 0 if it is unknown."""
        return self._counts.get(agent_id, 0)

    def register_trace_callback(self, callback: TraceCallback) -> None:
        """Call `callback(agent_id, text)` for every text that `on_new_token` or `received_trace` takes.

        Raises TypeError for a coroutine function: nobody would await it.
        """
        self._updates.listeners.of_traces(callback)

    def register_summary_callback(self, callback: SummaryCallback) -> None:
        """Call `callback(summary)` for every summary, after it was stored.

        Raises TypeError for a coroutine function: nobody would await it.
        """
        self._updates.listeners.of_summaries(callback)

    # -- inside ----------------------------------------------------------------------------------

    def _newest(self) -> AgentSummary | None:
        made = self._updates.handed()
        return made[-1].summary if made else None

    async def _feed(self, delta: Delta) -> None:
        self._check(delta.seq, delta.at_s)
        due = self._released or delta.at_s >= self._gate.next_due_s
        await self._settled()
        if due:
            await self._due(delta.at_s)
        self._coverage.add(delta.agent_id, delta.seq, delta.at_s)
        self._stated.speaks(delta.agent_id)
        self._open.add(delta.agent_id)
        self._hearing.cut.discard(delta.agent_id)
        text = self._hearing.cleaner(delta.agent_id).take(delta.text)
        chunk = self._gate.add(delta.agent_id, text, delta.seq, delta.at_s)
        if chunk is not None:
            await self._chunk(chunk)

    async def _caught_up(self, seq: int, at_s: float) -> None:
        """Take note of an event; make the updates that are due before it."""
        self._check(seq, at_s)
        await self._settled()
        await self._due(at_s)

    async def _abort(self, agent_id: str, at_s: float) -> None:
        begun = self._readings.turn(agent_id) if self._readings is not None else 0
        chunk = self._gate.flush(agent_id, TURN_END, at_s) or Chunk(agent_id, "", TURN_END, (), at_s)
        self._hearing.forget_held(agent_id)
        if self._readings is not None:
            self._judged += 1
        await self._take_in(chunk, whole=True)
        self._open.discard(agent_id)
        self._withdraw(agent_id, begun)
        await self._judged_now(chunk)

    async def _rest(self, at_s: float) -> None:
        """End all turns; make the updates that the rest of their text brings."""
        await self._due(at_s)
        for agent_id in self._hearing.agents:
            await self._end_turn(agent_id, at_s, END_OF_TRACE)
        for agent_id in self._gate.agents:
            await self._end_turn(agent_id, at_s, END_OF_TRACE)
        await self._settled(wait=True)

    async def _last(self, path: Path | Literal["end"], reason: str) -> None:
        """Make the last update, and take nothing more. If it is cancelled, it may be called again."""
        try:
            if path == "end" or self._waits:
                await self._update(path, reason)
        except Exception:
            self._finish()
            raise
        self._finish()

    def _finish(self) -> None:
        self._finished = True
        self._updates.kept.close()

    @property
    def _waits(self) -> bool:
        return bool(self._since.waiting or self.board.changes.ripe)

    def _check(self, seq: int, at_s: float) -> None:
        if self._finished:
            raise Finished
        if seq <= self._last_seq or at_s < self._last_at_s:
            raise DeltaOutOfOrder(seq, self._last_seq)
        self._last_seq, self._last_at_s = seq, at_s
        self._updates.told_at_s = min(self._updates.told_at_s, at_s)

    def _now_s(self) -> float:
        return max(self._clock.now().timestamp(), self._last_at_s)

    async def _due(self, at_s: float) -> None:
        self._released += self._gate.due(at_s)
        while self._released:
            await self._chunk(self._released.popleft())

    async def _end_turn(self, agent_id: str, at_s: float, reason: str = TURN_END) -> None:
        if reason != FELL_SILENT:
            self._open.discard(agent_id)
        chunk = self._gate.flush(agent_id, reason, at_s) or Chunk(agent_id, "", reason, (), at_s)
        await self._chunk(self._hearing.last_of(chunk), whole=True)

    async def _chunk(self, chunk: Chunk, *, whole: bool = False) -> None:
        """Read a released chunk and make the updates that it triggers, if any."""
        if self._readings is not None:
            self._judged += 1  # whether or not anything waits, so that a successor counts alike
        await self._take_in(chunk, whole=whole)
        await self._judged_now(chunk)
        for _ in range(self._retold.get(self._judged, 0)):
            await self._update("A", READ)
        await self._settled()

    async def _judged_now(self, chunk: Chunk) -> None:
        if not self.board.changes.ripe and self._last_at_s - self._updates.told_at_s > SILENT_S:
            self.board.break_silence()
        decided, self._hearing.decided = self._hearing.decided, False
        if not self._waits and not decided:
            return
        self._judged += self._readings is None
        request = JudgeRequest(
            chunk=chunk,
            waiting=tuple(self._since.waiting),
            board=self.board,
            history=self._updates.history(0),
            number=self._judged,
        )
        analysis = await self._judge.judge(request)
        self._since.failed("judge", analysis.fallback if analysis is not None else "")
        path = decide(analysis)
        if path is not None:
            await self._update(path, chunk.reason)

    async def _settled(self, *, wait: bool = False) -> None:
        """Enter the segments that a model has read, in order; make the updates that they bring."""
        while self._readings is not None and len(self._readings):
            if wait:
                await self._readings.wait()
            segment = self._readings.take()
            if segment is None:
                break
            with self._hearing.of_turn(segment):
                self._since.failed("reader", settle(segment, self.board, self._readings.refused))
            if self.board.changes.ripe and self._judged > self._retold_until:
                await self._update("A", READ)

    async def _take_in(self, chunk: Chunk, *, whole: bool) -> None:
        if chunk.pieces:
            self._counts[chunk.agent_id] = self._counts.get(chunk.agent_id, 0) + 1
            self._since.waiting.append(chunk)
            self._coverage.release(chunk.agent_id, chunk.pieces[-1].seq)
        await self._hearing.take_in(chunk, whole=whole, ask=self._judged > self._retold_until)

    def _withdraw(self, agent_id: str, begun: int) -> None:
        since = self.board.floor.begun_whole(person(agent_id))
        told = withdraw(self.board, person(agent_id), self._hearing.effects)
        self._stated.withdraw(agent_id, since)
        self._since.unsay(person(agent_id), since)
        if self._readings is not None:
            self._readings.withdraw(agent_id, begun)
        items = self._since.resting_on(agent_id, since)
        if told and items:
            self._since.withdraws += items
            self.board.changes.say(ChangeKind.WITHDRAWN, told[-MOST_WITHDRAWN:], self.board.views.vote())
            self._hearing.decided = True

    def _state(self, unit: Unit) -> None:
        """Take the values and events that a sentence states; what is over may alarm again."""
        if back := self._since.read(unit):
            self.board.alarms.may_alarm_again(
                lambda claim, kind: self._since.events.may_fail_again(
                    back, claim.text, kind, claim.source.last_seq
                )
            )

    async def _update(self, path: Path | Literal["end"], reason: str) -> None:
        await self._updates.make(path, reason, judged=self._judged, now_s=self._last_at_s)

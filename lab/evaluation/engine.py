"""Our engine on recorded reasoning, on the trace's own time, in the form that is measured."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agents.recorded import Trace
from agents.recorded.records import Delta as Recorded
from agents.recorded.records import Record
from exaim_core import EXAIM, CasePaper, Delta, Update
from exaim_core.judge import BufferAnalysis, JudgeRequest, LexicalJudge
from lab.evaluation.telling import Released, Source, Telling, Told, Window

AFTER_S = 1.0  # from the last content to the end: every timer of the gate has fired by then


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece that was shown to the judge: its window, when it was released, and the thread's time at its verdict."""

    window: Window
    at_s: float
    judged_s: float


@dataclass
class Watched:
    """The engine's own judge, and what it was shown."""

    shown: list[Shown] = field(default_factory=list)
    _judge: LexicalJudge = field(default_factory=LexicalJudge)

    async def judge(self, request: JudgeRequest) -> BufferAnalysis:
        """Return the verdict; never fails."""
        verdict = await self._judge.judge(request)
        if pieces := request.chunk.pieces:
            window = pieces[0].seq, pieces[-1].seq
            self.shown.append(Shown(window, request.chunk.released_at_s, time.thread_time()))
        return verdict


@dataclass(frozen=True, slots=True)
class Run:
    """A case as the engine told it: the telling, and the updates with the time at which each was made."""

    telling: Telling
    updates: tuple[tuple[float, Update], ...]


async def run(trace: Trace, paper: CasePaper | None = None) -> Run:
    """Feed a trace's content to a new engine at its own times; timers fire when they are due."""
    judge = Watched()
    exaim = EXAIM(paper=paper, judge=judge)
    made: list[tuple[float, Update]] = []
    released: list[Released] = []
    at_s = 0.0
    for record in in_order(trace.content_records):
        at_s = max(at_s, record.t_rel_ms / 1000)
        while exaim.next_due_s < at_s:
            await _step(exaim, judge, made, released, exaim.next_due_s, None)
        await _step(exaim, judge, made, released, at_s, record)
    await _step(exaim, judge, made, released, at_s + AFTER_S, None, ends=True)
    told = tuple(_told(at, at_s, update) for at, (at_s, update) in enumerate(made))
    return Run(Telling(Source.of(trace), told, tuple(released)), tuple(made))


async def _step(
    exaim: EXAIM,
    judge: Watched,
    made: list[tuple[float, Update]],
    released: list[Released],
    at_s: float,
    record: Record | None,
    *,
    ends: bool = False,
) -> None:
    """Do one thing, and note what it brought and what the processor had to do for it."""
    judge.shown.clear()
    begun_s = time.thread_time()
    updates = await (exaim.finish(at_s) if ends else step(exaim, record, at_s))
    released += charged(judge.shown, begun_s, time.thread_time(), brought=bool(updates))
    made += [(at_s, update) for update in updates]


def charged(shown: Sequence[Shown], begun_s: float, ended_s: float, *, brought: bool) -> Iterator[Released]:
    """Yield the releases of one step, each with the time since the one before it; the last has the rest.

    `brought`: the last one brought an update, so that its time is until that summary.
    """
    for number, each in enumerate(shown, start=1):
        last = number == len(shown)
        until_s = ended_s if last else each.judged_s
        took_s, begun_s = until_s - begun_s, until_s
        judge_s, summary_s = (0.0, took_s) if last and brought else (took_s, 0.0)
        yield Released(each.window, each.at_s, judge_s, summary_s)


async def step(exaim: EXAIM, record: Record | None, at_s: float) -> tuple[Update, ...]:
    """Feed one record, or None: let the timers fire that are due."""
    match record:
        case None:
            return await exaim.tick(at_s)
        case Recorded():
            return await exaim.feed(Delta(record.agent_id, record.text, record.seq, at_s))
        case _ if record.boundary == "end":
            return await exaim.turn_end(record.agent_id, record.seq, at_s)
        case _:
            return ()


def in_order(records: Sequence[Record]) -> list[Record]:
    """Return the records by number: what was recorded of one turn may be a millisecond out of order."""
    return sorted(records, key=lambda each: each.seq)


def _told(number: int, made_s: float, update: Update) -> Told:
    fields = update.summary.model_dump()
    return Told(
        made_s=made_s,
        window=_window(update),
        text=" ".join(text for name, text in fields.items() if name != "agent_contributions"),
        whole=" ".join(fields.values()),
        spoken=tuple(item.text for item in update.items),
        latest=number - 1 if number else None,
        closing=update.path == "end",
    )


def _window(update: Update) -> tuple[int, int]:
    if not update.covers:
        return 0, -1
    return min(each.first_seq for each in update.covers), max(each.last_seq for each in update.covers)

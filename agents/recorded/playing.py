"""Plays a trace into a session's event log, at the speed at which it was recorded.

What is played is decided by `script`, a plain function; `replay` waits and appends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from agents.recorded.records import Boundary, Delta, Record
from agents.recorded.trace import Trace
from agents.stream import (
    EventSink,
    EventType,
    StreamEvent,
    StreamUnavailable,
    TokenContext,
    TokenType,
    TurnMark,
)
from exaim_core.text.names import is_moderator

BATCH_S: Final = 0.020  # recorded deltas come 8 ms apart; a batch costs a listener less than one frame
MAX_BATCH: Final = 256  # events in one append: 50 KB, so that one that comes late is no burst

RETRY_S: Final = 0.5  # between tries while the log is gone; the store's own client has tried for 2.6 s each
GIVE_UP_S: Final = 300.0  # a session's grace: who could hear it is gone by then


class ReplayClock(Protocol):
    """Time that a replay waits on; seconds from any zero, never going back."""

    def now_s(self) -> float:
        """Return the present."""
        ...

    async def sleep_until(self, at_s: float) -> None:
        """Return at `at_s` or as soon after it as can be; at once if it has passed."""
        ...


class LoopClock:
    """The running event loop's own clock: virtual in a test that runs on virtual time."""

    def now_s(self) -> float:
        """Return the loop's time."""
        return asyncio.get_running_loop().time()

    async def sleep_until(self, at_s: float) -> None:
        """Sleep; a time that has passed still lets other tasks run."""
        await asyncio.sleep(max(0.0, at_s - self.now_s()))


@dataclass(frozen=True, slots=True)
class DueEvent:
    """An event and when it is due, in seconds at speed 1 after playing begins."""

    at_s: float
    event: StreamEvent


def script(trace: Trace, *, session_id: str, thread_id: str, trace_id: str) -> tuple[DueEvent, ...]:
    """Return all events of a replay in order: content turns with their marks, then END.

    The same trace and ids give the same events with the same `seq`, so a successor continues where
    its predecessor stopped. Times never fall, and no delta follows the end of its turn.
    """
    made: list[DueEvent] = []
    at_ms = trace.origin_ms

    def add(due_ms: int, **fields: object) -> None:
        nonlocal at_ms
        at_ms = max(at_ms, due_ms)
        event = StreamEvent.model_validate(
            {
                "thread_id": thread_id,
                "trace_id": trace_id,
                "session_id": session_id,
                "run_id": trace.metadata.mas_run_id,
                "seq": len(made),
                "source_ms": due_ms,
                **fields,
            }
        )
        made.append(DueEvent((at_ms - trace.origin_ms) / 1000, event))

    concluding = _concluding(trace.content_records)
    for each in _turn_ends_last(trace.content_records):
        context = TokenContext.FINAL_SYNTHESIS if each.turn_id == concluding else TokenContext.AGENT_THOUGHT
        add(each.t_rel_ms, agent_id=each.agent_id, turn=each.turn_id, **_body(each, context))
    add(at_ms, type=EventType.END)
    return tuple(made)


async def replay(
    trace: Trace,
    *,
    sink: EventSink,
    session_id: str,
    thread_id: str,
    trace_id: str,
    speed: float = 1.0,
    after_seq: int = -1,
    clock: ReplayClock | None = None,
) -> None:
    """Append the trace's content to `sink` at its own times divided by `speed`, ending with END.

    Playing begins at once. With `after_seq` it goes on behind that event, as if that one had just
    come; behind END there is nothing to do. Never early; late by `BATCH_S` at most, unless the sink
    is slow or gone, and then what is overdue goes first and later events keep their times. One
    coroutine, no task: cancelling stops it between two appends or inside one, which may have landed.

    Raises: ValueError for a speed of 0 or less; StreamFull, StreamFenced; StreamUnavailable after 5 minutes.
    """
    if not speed > 0:
        raise ValueError("speed must be above 0")
    clock = clock or LoopClock()
    whole = script(trace, session_id=session_id, thread_id=thread_id, trace_id=trace_id)
    at = max(0, after_seq + 1)
    behind_s = whole[at - 1].at_s if 0 < at <= len(whole) else 0.0
    begun_s = clock.now_s() - behind_s / speed
    while at < len(whole):
        due = _batch(whole, at, (clock.now_s() - begun_s) * speed, BATCH_S * speed)
        await clock.sleep_until(begun_s + due[-1].at_s / speed)
        await _append(sink, [each.event for each in due], clock)
        at += len(due)


async def _append(sink: EventSink, events: Sequence[StreamEvent], clock: ReplayClock) -> None:
    """Append, again and again while the log is gone."""
    give_up_at_s = clock.now_s() + GIVE_UP_S
    while True:
        try:
            return await sink.append(events)
        except StreamUnavailable:
            if clock.now_s() >= give_up_at_s:
                raise
        await clock.sleep_until(clock.now_s() + RETRY_S)


def _batch(whole: Sequence[DueEvent], at: int, now_s: float, window_s: float) -> Sequence[DueEvent]:
    """Return what goes next in one append: all that is overdue, or all within a window of the first."""
    until_s = max(now_s, whole[at].at_s + window_s)
    end = at + 1
    while end < min(len(whole), at + MAX_BATCH) and whole[end].at_s <= until_s:
        end += 1
    return whole[at:end]


def _concluding(records: Sequence[Record]) -> int | None:
    """Return the turn that concludes the discussion: the last one, if whoever chairs speaks in it."""
    last = max(records, key=lambda each: each.turn_id, default=None)
    return last.turn_id if last is not None and is_moderator(last.agent_id) else None


def _body(each: Record, context: TokenContext) -> dict[str, object]:
    if isinstance(each, Delta):
        return {"type": EventType.TOKEN, "data": each.text, "token_type": TokenType.of(context)}
    mark = TurnMark.TURN_START if each.boundary == "start" else TurnMark.TURN_END
    return {"type": EventType.METADATA, "mark": mark}


def _turn_ends_last(records: Sequence[Record]) -> Iterator[Record]:
    """Yield in file order, but a turn's start before and its end behind all of its deltas.

    The recorder stamped boundaries and deltas in two places, so they may be off by 2 ms.
    """
    first = {each.turn_id: at for at, each in reversed(list(enumerate(records)))}
    last = {each.turn_id: at for at, each in enumerate(records)}
    starts = {
        each.turn_id: each for each in records if isinstance(each, Boundary) and each.boundary == "start"
    }
    ends = {each.turn_id: each for each in records if isinstance(each, Boundary) and each.boundary == "end"}
    for at, each in enumerate(records):
        if first[each.turn_id] == at and each.turn_id in starts:
            yield starts[each.turn_id]
        if isinstance(each, Delta):
            yield each
        if last[each.turn_id] == at and each.turn_id in ends:
            yield ends[each.turn_id]

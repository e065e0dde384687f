"""A strict stand-in for the event log, for tests of whatever appends to it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from agents.stream import EventSink, EventType, StreamEvent, StreamFenced, StreamFull, StreamUnavailable


@dataclass(frozen=True, slots=True)
class Appended:
    """One call of `append` that was taken; `at_s` is the event loop's time."""

    at_s: float
    events: tuple[StreamEvent, ...]


class ScriptedSink(EventSink):
    """Takes events as the store does: by `seq` without a gap, those that are there passed over.

    It fails on what no log would be given: an empty batch, a batch out of order, a gap, an event that
    comes again changed, anything behind END.

    Args:
        bound: how many events fit; the next append then raises StreamFull.
        fenced_at: the first `seq` that raises StreamFenced.
        slow_s: how long each append takes.
        gone_s: from when to when, on the event loop's clock, an append raises StreamUnavailable, after
            it was taken all the same: what a lost answer looks like.
    """

    def __init__(
        self,
        *,
        bound: int | None = None,
        fenced_at: int | None = None,
        slow_s: float = 0.0,
        gone_s: tuple[float, float] | None = None,
    ) -> None:
        self._gone_s = gone_s or (float("inf"), float("inf"))
        self._bound, self._fenced_at, self._slow_s = bound, fenced_at, slow_s
        self.appends: list[Appended] = []
        self.events: list[StreamEvent] = []

    async def append(self, events: Sequence[StreamEvent]) -> None:
        """Take `events`. Raises as scripted, and AssertionError on the unexpected."""
        assert events, "an empty batch was appended"
        seqs = [each.seq for each in events]
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), f"out of order: {seqs}"
        assert seqs[0] <= len(self.events), f"gap: {seqs[0]} after {len(self.events) - 1}"
        if self._slow_s:
            await asyncio.sleep(self._slow_s)
        if self._fenced_at is not None and seqs[-1] >= self._fenced_at:
            raise StreamFenced("a successor has taken over, says the script")
        fresh = [each for each in events if self._is_new(each)]
        if self._bound is not None and len(self.events) + len(fresh) > self._bound:
            raise StreamFull(self._bound)
        if fresh:
            assert not self.ended, "an event came behind END"
        self.events.extend(fresh)
        now_s = asyncio.get_running_loop().time()
        self.appends.append(Appended(now_s, tuple(events)))
        if self._gone_s[0] <= now_s < self._gone_s[1]:
            raise StreamUnavailable("the answer was lost, says the script")

    @property
    def ended(self) -> bool:
        """Whether END has come."""
        return bool(self.events) and self.events[-1].type is EventType.END

    def assert_finished(self) -> None:
        """Fail unless END has come."""
        assert self.ended, f"no END after {len(self.events)} events"

    def _is_new(self, event: StreamEvent) -> bool:
        if event.seq >= len(self.events):
            return True
        assert self.events[event.seq] == event, f"event {event.seq} came again, changed"
        return False

"""Synthesise ahead: one text at a time, the most urgent first, and a critical one beside it.

A critical one that hangs keeps no other from being made.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from itertools import count
from typing import Final

from tts_queue.model import SAMPLE_RATE_HZ, Part, Priority, VoiceFailed
from tts_queue.phases import Phase, is_over
from tts_queue.playout import PlayoutBuffer
from tts_queue.ports import Voice, VoiceUnavailable
from tts_queue.prosody import Dial, sounding
from tts_queue.registry import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefetchLimits:
    """How far ahead sound is made, and how a failed synthesis is retried."""

    ahead: int = 1  # clips after the one that plays; a clip is made in an eighth of its length or less
    stock_s: float = 8.0  # made ahead of the current item, so that an engine's restart is not heard
    in_hand_s: float = 2.0  # with so much of the current item made, the next clip may come in long parts
    deadline_s: float = 6.0  # of one part; an engine's client has its own, shorter one
    hangs_s: float = (
        1.5  # an alarm without sound for so long lets other alarms pass; a stand-in is asked after 0.4
    )
    attempts: int = 2  # so one retry, if the engine answers
    away_s: float = 30.0  # how long an engine that is away is retried; one that hangs is back after some 12 s
    away_retry_s: float = 0.25

    def again(self, error: VoiceUnavailable, attempt: int, tried_s: float) -> bool:
        """Return whether to try again after `attempt` failed, `tried_s` after the first one began."""
        return error.retryable and (tried_s < self.away_s if error.away else attempt < self.attempts)


URGENT_WORKERS: Final = 3  # so that two alarms may hang, and the next is made


def _ranked(items: Iterable[Item]) -> list[Item]:
    now_s = asyncio.get_running_loop().time()
    return sorted(items, key=lambda item: item.entry.rank(now_s))


def urgent_need(items: Iterable[Item], limits: PrefetchLimits) -> Item | None:
    """Return the critical item whose next segment is to be made, or None: one that has begun before one that waits."""
    critical = [item for item in _ranked(items) if is_critical(item)]
    waiting = (i for i in critical if i.phase is Phase.QUEUED and not i.buffer.missing)
    return next((i for i in critical if _lacks_next(i, limits)), None) or next(waiting, None)


def _lacks_next(item: Item, limits: PrefetchLimits) -> bool:
    """Return whether an item has begun and needs a clip to go on without a gap."""
    buffer = item.buffer
    begun = item.phase is not Phase.QUEUED and not buffer.complete
    return begun and buffer.ahead_of(buffer.segment) < limits.ahead


def next_need(
    items: Iterable[Item], current: Item | None, wanted: Item | None, limits: PrefetchLimits
) -> Item | None:
    """Return the item whose next segment is to be made, or None.

    In this order: what the `current` and the held items need to go on without a gap; the first segment of the
    `wanted` item, which could begin now, and of the one likely to be next; then what the `current` item lacks of its
    stock. The first segment of a critical item is left to `urgent_need`.
    """
    ranked = _ranked(items)
    begun = [item for item in ranked if item.phase is not Phase.QUEUED and not item.buffer.complete]
    for item in sorted(begun, key=lambda item: item is not current):
        if _lacks_next(item, limits):
            return item
    queued = [item for item in ranked if item.phase is Phase.QUEUED and not is_critical(item)]
    for item in [*(item for item in queued if item is wanted), *queued[:1]]:
        if not item.buffer.missing:
            return item
    stock = round(limits.stock_s * SAMPLE_RATE_HZ)
    return next((i for i in begun if i is current and i.buffer.total - i.buffer.at < stock), None)


def is_critical(item: Item) -> bool:
    """Return whether an item is as urgent as a critical finding, or more."""
    return item.utterance.priority <= Priority.CRITICAL


def _is_wanted(item: Item, buffer: PlayoutBuffer, segment: int) -> bool:
    """Return whether a segment is still the next to be made of its item.

    Meanwhile the item may end or get other words, or the sound before the segment be dropped for another pace.
    """
    if item.buffer is not buffer or is_over(item.phase):
        return False
    return segment <= buffer.missing and segment < len(buffer.plan)


class Prefetch:
    """Makes the segments that are needed next, and adds them to their items' buffers part by part."""

    def __init__(
        self,
        voice: Voice,
        limits: PrefetchLimits,
        next_need: Callable[[Iterable[Item]], Item | None],
        items: Callable[[], Iterable[Item]],
        on_part: Callable[[], None],
        on_failure: Callable[[Item, VoiceFailed], None],
        dial: Callable[[], Dial],
    ) -> None:
        """`next_need` chooses among the `items` that are not being made."""
        self._voice, self._limits, self._items, self._dial = voice, limits, items, dial
        self._next_need, self._on_part, self._on_failure = next_need, on_part, on_failure
        self._usual = asyncio.Event()
        self._urgent = [asyncio.Event() for _ in range(URGENT_WORKERS)]
        self._making: set[Item] = set()
        self._urgently: set[Item] = set()  # those of them that are made by an urgent worker
        self._hanging: dict[Item, asyncio.TimerHandle] = {}  # when an item counts as one that hangs

    def wake(self) -> None:
        """Look again for what is needed, which may have changed."""
        for wake in (self._usual, *self._urgent):
            wake.set()

    async def run(self) -> None:
        """Work until cancelled. A failed synthesis is reported to `on_failure`; any other error ends it."""
        async with asyncio.TaskGroup() as group:
            for number, wake in enumerate(self._urgent, start=1):
                working = self._work(wake, self._urgent_need, self._urgently)
                group.create_task(working, name=f"speech-prefetch-urgent-{number}")
            group.create_task(self._work(self._usual, self._next_need, set()), name="speech-prefetch-usual")

    async def _work(
        self, wake: asyncio.Event, choose: Callable[[Iterable[Item]], Item | None], mine: set[Item]
    ) -> None:
        while True:
            wake.clear()
            while (item := choose([i for i in self._items() if i not in self._making])) is not None:
                self._making.add(item)
                mine.add(item)
                self._await_sound(item)
                try:
                    await self._make(item, item.buffer, item.buffer.missing)
                finally:
                    self._making.discard(item)
                    mine.discard(item)
                    self._await_no_more(item)
                self.wake()
                wake.clear()
            await wake.wait()

    def _urgent_need(self, items: Iterable[Item]) -> Item | None:
        """Return the critical item to be made now: one at a time, but for those that hang."""
        if any(not item.hangs for item in self._urgently):
            return None
        return urgent_need(items, self._limits)

    def _await_sound(self, item: Item) -> None:
        """Have `item` count as one that hangs, unless sound of it comes within `hangs_s`."""
        self._await_no_more(item)
        loop = asyncio.get_running_loop()
        self._hanging[item] = loop.call_later(self._limits.hangs_s, self._hangs, item)

    def _await_no_more(self, item: Item) -> None:
        item.hangs = False
        if (timer := self._hanging.pop(item, None)) is not None:
            timer.cancel()

    def _hangs(self, item: Item) -> None:
        item.hangs = True
        self.wake()

    async def _make(self, item: Item, buffer: PlayoutBuffer, segment: int) -> None:
        """Make one segment; after a break-off, go on from the first incomplete word.

        A segment that is not wanted any more is given up without a failure.
        """
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        for attempt in count(1):
            try:
                await self._fill(item, buffer, segment)
            except VoiceUnavailable as error:
                buffer.broke_off()
                if not _is_wanted(item, buffer, segment):
                    return
                now_s, uid = loop.time(), item.utterance.utterance_id
                final = not self._limits.again(error, attempt, now_s - began_s)
                self._on_failure(item, VoiceFailed(uid, segment, attempt, final, error.reason, now_s))
                if final:
                    return
                if error.away:
                    await asyncio.sleep(self._limits.away_retry_s)
            else:
                return

    async def _fill(self, item: Item, buffer: PlayoutBuffer, segment: int) -> None:
        if not _is_wanted(item, buffer, segment):
            return
        text = buffer.to_make(segment).spoken
        if item.prosody is None:  # one pace for the whole of it, unless the listener asks for another
            item.prosody = sounding(item.utterance, asyncio.get_running_loop().time(), self._dial())
        prosody = item.prosody
        parts = self._voice.parts(text, prosody, urgent=is_critical(item), ahead=self._is_ahead(item))
        async with aclosing(parts):
            while (part := await self._next(parts)) is not None:
                outdated = item.prosody is not prosody and buffer.missing <= segment
                if outdated or not _is_wanted(item, buffer, segment):
                    return
                buffer.add(part)
                self._await_sound(item)
                self._on_part()

    def _is_ahead(self, item: Item) -> bool:
        """Return whether enough of the current item is made for the next clip to come in long parts."""
        if is_critical(item) or item.phase is Phase.HELD:
            return False
        sounding = (each.buffer for each in self._items() if each.phase is Phase.SPEAKING)
        return any(it.here - it.at >= self._limits.in_hand_s * SAMPLE_RATE_HZ for it in sounding)

    async def _next(self, parts: AsyncGenerator[Part, None]) -> Part | None:
        try:
            async with asyncio.timeout(self._limits.deadline_s):
                return await anext(parts, None)
        except TimeoutError:
            raise VoiceUnavailable("voice", f"no sound within {self._limits.deadline_s:g} s") from None

"""Synthesis ahead of time: one text at a time, the most urgent first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tts_queue.book import Item
from tts_queue.model import Clip, Priority, VoiceFailed
from tts_queue.phases import Phase, is_over
from tts_queue.ports import Voice, VoiceUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class KitchenLimits:
    """How far ahead, and how patient."""

    ahead: int = 1  # clips after the one that plays; a clip is made in a tenth of its length or less
    deadline_s: float = 6.0  # of one attempt; an engine's client has its own, shorter one
    attempts: int = 2  # one retry


def next_need(
    items: Iterable[Item], current: Item | None, wanted: Item | None, ahead: int
) -> tuple[Item, int] | None:
    """Return the item and the segment to synthesise next, or None.

    A critical's first segment; then what the `current` and the held ones need to go on without a gap;
    then the first segment of the `wanted` one, that could begin now, and of the likely next one.
    """
    ranked = sorted(items, key=lambda item: item.entry.rank)
    queued = [item for item in ranked if item.phase is Phase.QUEUED]
    for item in queued:
        if item.utterance.priority is Priority.CRITICAL and not item.reel.missing:
            return item, 0
    begun = [item for item in ranked if item.phase is not Phase.QUEUED and not item.reel.complete]
    for item in sorted(begun, key=lambda item: item is not current):
        if item.reel.ahead_of(item.reel.segment) < ahead:
            return item, item.reel.missing
    for item in [*(item for item in queued if item is wanted), *queued[:1]]:
        if not item.reel.missing:
            return item, 0
    return None


class Kitchen:
    """Asks `next_need` what to make, makes it, and adds it to the item's reel."""

    def __init__(
        self,
        voice: Voice,
        limits: KitchenLimits,
        next_need: Callable[[], tuple[Item, int] | None],
        on_failure: Callable[[Item, VoiceFailed], None],
    ) -> None:
        self._voice, self._limits, self._next_need = voice, limits, next_need
        self._on_failure = on_failure
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Tell that what is needed may have changed."""
        self._wake.set()

    async def run(self) -> None:
        """Work until cancelled. A failed synthesis is told of; any other error ends it."""
        while True:
            self._wake.clear()
            while (need := self._next_need()) is not None:
                await self._make(*need)
            await self._wake.wait()

    async def _make(self, item: Item, segment: int) -> None:
        for attempt in range(1, self._limits.attempts + 1):
            try:
                clip = await self._synthesise(item, segment)
            except VoiceUnavailable as error:
                final = attempt == self._limits.attempts or not error.retryable
                now_s = asyncio.get_running_loop().time()
                failed = VoiceFailed(
                    item.utterance.utterance_id, segment, attempt, final, error.reason, now_s
                )
                self._on_failure(item, failed)
                if final or is_over(item.phase):
                    return
            else:
                if not is_over(item.phase):
                    item.reel.add(clip)
                return

    async def _synthesise(self, item: Item, segment: int) -> Clip:
        try:
            async with asyncio.timeout(self._limits.deadline_s):
                return await self._voice.synthesise(item.reel.plan[segment].spoken, item.utterance.prosody)
        except TimeoutError:
            raise VoiceUnavailable("voice", f"no sound within {self._limits.deadline_s:g} s") from None

"""Synthesis ahead of time: one text at a time, the most urgent first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from tts_queue.book import Item
from tts_queue.model import Clip, VoiceFailed
from tts_queue.phases import is_over
from tts_queue.ports import Voice, VoiceUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class KitchenLimits:
    """How far ahead, and how patient."""

    ahead: int = 1  # clips after the one that plays; a clip is made in a tenth of its length or less
    deadline_s: float = 6.0  # of one attempt; an engine's client has its own, shorter one
    attempts: int = 2  # one retry


class Kitchen:
    """Asks `next_need` what to make, makes it, and adds it to the item's reel."""

    def __init__(
        self,
        voice: Voice,
        limits: KitchenLimits,
        next_need: Callable[[], tuple[Item, int] | None],
        on_clip: Callable[[Item], None],
        on_failure: Callable[[Item, VoiceFailed], None],
    ) -> None:
        self._voice, self._limits, self._next_need = voice, limits, next_need
        self._on_clip, self._on_failure = on_clip, on_failure
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
                    self._on_clip(item)
                return

    async def _synthesise(self, item: Item, segment: int) -> Clip:
        try:
            async with asyncio.timeout(self._limits.deadline_s):
                return await self._voice.synthesise(item.reel.plan[segment].spoken, item.utterance.prosody)
        except TimeoutError:
            raise VoiceUnavailable("voice", f"no sound within {self._limits.deadline_s:g} s") from None

"""Recognise one turn at a time, within a deadline, and report a failure once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import EARS_RATE_HZ, EarsConfig, EarsFailed, EarsRecovered
from realtime.ears.ports import Recogniser
from tts_queue import EngineUnavailable, Recognised


class Texts:
    """Asks in order; waiting for the one before counts towards the deadline, so no queue can grow."""

    def __init__(
        self,
        recogniser: Recogniser,
        config: EarsConfig,
        on_event: Callable[[EarsFailed | EarsRecovered], None],
    ) -> None:
        self._recogniser, self._config, self._on_event = recogniser, config, on_event
        self._one = asyncio.Lock()
        self._failed = False

    async def of(self, pcm: NDArray[np.int16], *, short: bool) -> Recognised | None:
        """Return what is said, or None: the recogniser gave nothing in time. Cancelling drops the request."""
        within_s = self._config.deadline_s + self._config.deadline_share * len(pcm) / EARS_RATE_HZ
        try:
            async with asyncio.timeout(within_s), self._one:
                heard = await self._recogniser.transcribe(pcm, short=short)
        except TimeoutError:
            self._fail(f"no text within {within_s:.1f} s")
            return None
        except EngineUnavailable as error:
            self._fail(error.reason)
            return None
        if self._failed:
            self._failed = False
            self._on_event(EarsRecovered())
        return heard

    def _fail(self, reason: str) -> None:
        if not self._failed:
            self._failed = True
            self._on_event(EarsFailed(reason))

"""The recogniser as the ears use it: one recognition at a time, within a deadline, failures told once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import EarsFailed, EarsRecovered
from realtime.ears.ports import Recogniser
from tts_queue import EngineUnavailable, Recognised


class Texts:
    """Asks in order; waiting for the one before counts towards the deadline, so no queue can grow."""

    def __init__(
        self,
        recogniser: Recogniser,
        deadline_s: float,
        on_event: Callable[[EarsFailed | EarsRecovered], None],
    ) -> None:
        self._recogniser, self._deadline_s, self._on_event = recogniser, deadline_s, on_event
        self._one = asyncio.Lock()
        self._failed = False

    async def of(self, pcm: NDArray[np.int16], *, short: bool) -> Recognised | None:
        """Return what is said, or None: the recogniser gave nothing in time. Cancelling drops the request."""
        try:
            async with asyncio.timeout(self._deadline_s), self._one:
                heard = await self._recogniser.transcribe(pcm, short=short)
        except TimeoutError:
            self._fail(f"no text within {self._deadline_s:g} s")
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

"""The ears of a session: sound in, events of turns out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import EarEvent, EarsConfig
from realtime.ears.ports import Recogniser, Vad


class Ears:
    """Listens to one microphone track after another. `feed` and `run` belong to one event loop."""

    def __init__(
        self,
        vad: Vad,
        recogniser: Recogniser,
        on_event: Callable[[EarEvent], None],
        config: EarsConfig = EarsConfig(),  # noqa: B008 - frozen
    ) -> None:
        self._vad, self._recogniser, self._on_event, self._config = vad, recogniser, on_event, config

    @property
    def silent_s(self) -> float:
        """Seconds of digital silence at the end of what was fed, since the track began."""
        raise NotImplementedError

    @property
    def dropped_s(self) -> float:
        """Seconds of sound that were dropped because the detector was behind."""
        raise NotImplementedError

    def feed(self, pcm: NDArray[np.int16]) -> None:
        """Take 16 kHz mono sound of any length, without waiting.

        Full: what is older than `backlog_s` is dropped and counted; the audio clock counts it as passed.
        """
        raise NotImplementedError

    def track_ended(self) -> None:
        """End the turn under way, after what was fed; the audio clock starts anew with the next feed."""
        raise NotImplementedError

    async def run(self) -> None:
        """Listen until cancelled; no recognition outlives this call."""
        raise NotImplementedError

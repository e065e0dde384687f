"""What the ears need from outside."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tts_queue import Recognised


class Vad(Protocol):
    """A voice detector with a memory of what came before. Quick: it is called between audio frames."""

    def probability(self, window: NDArray[np.int16]) -> float:
        """Return how likely the next 512 samples (16 kHz mono) hold a voice, 0 to 1."""
        ...

    def reset(self) -> None:
        """Forget what came before."""
        ...


class Recogniser(Protocol):
    """Speech to text, a whole turn at a time."""

    async def transcribe(self, pcm: NDArray[np.int16], *, short: bool) -> Recognised:
        """Return the text of 16 kHz mono sound; `short`: and which word of the closed vocabulary it is.

        Cancelling takes the request back. Raises: tts_queue.EngineUnavailable.
        """
        ...

"""The ports of the ears."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tts_queue import Opinion, Recognised


class Vad(Protocol):
    """A voice detector with a memory of what came before. Quick: it is called between audio frames."""

    def probability(self, window: NDArray[np.int16]) -> float:
        """Return how likely the next 512 samples (16 kHz mono) hold a voice, 0 to 1."""
        ...

    def reset(self) -> None:
        """Forget what came before."""
        ...


class EarsPort(Protocol):
    """What is needed of `realtime.ears.Ears`."""

    @property
    def silent_s(self) -> float:
        """Return for how long the microphone has given digital silence, in seconds."""
        ...

    def feed(self, pcm: NDArray[np.int16]) -> None:
        """Take 16 kHz mono sound, without waiting."""
        ...

    def track_ended(self) -> None:
        """End the turn under way."""
        ...

    async def run(self) -> None:
        """Listen until cancelled."""
        ...


class EchoProcessing(Protocol):
    """Takes what we say out of what a microphone hears, in frames of 10 ms: as many of each by turns."""

    def played(self, pcm: NDArray[np.int16], rate_hz: int) -> None:
        """Take what we said, mono."""
        ...

    def clean(self, pcm: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return the microphone's 16 kHz mono sound without it."""
        ...


class Recogniser(Protocol):
    """Speech to text, a whole turn at a time."""

    async def transcribe(self, pcm: NDArray[np.int16], *, short: bool) -> Recognised:
        """Return the text of 16 kHz mono sound; `short`: and which word of the closed vocabulary it is.

        Cancelling takes the request back. Raises: tts_queue.EngineUnavailable.
        """
        ...


class Second(Protocol):
    """Who is asked when the recogniser's text leaves something to ask."""

    def wanted(self, heard: Recognised) -> bool:
        """Return whether it does. Quick."""
        ...

    async def opinion(self, pcm: NDArray[np.int16]) -> Opinion:
        """Return what it hears in 16 kHz mono sound. Cancelling takes the request back; never raises."""
        ...


class TranscribedTurn(Protocol):
    """A turn whose sound a transcriber was given."""

    async def text(self) -> Recognised | None:
        """Return what was said in it, or None: not in time, or not at all."""
        ...


class Transcriber(Protocol):
    """Writes a turn down while it is spoken, elsewhere; what it does not, the recogniser does.

    Of one turn, in this order: `begin`, `hear`*, `end`. These are quick, and never wait or fail.
    """

    def begin(self, pcm: NDArray[np.int16]) -> None:
        """Take the first sound of a turn, 16 kHz mono."""
        ...

    def hear(self, pcm: NDArray[np.int16]) -> None:
        """Take the sound that follows."""
        ...

    def end(self, silent: int) -> TranscribedTurn:
        """End the turn, whose last `silent` samples were silence."""
        ...

    async def run(self) -> None:
        """Work until cancelled. Without it nothing is written."""
        ...

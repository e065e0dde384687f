"""WebRTC's echo canceller, as LiveKit's SDK has it: the one place of the ears that knows the SDK."""

from __future__ import annotations

from typing import Final

import numpy as np
from livekit import rtc
from numpy.typing import NDArray

from realtime.ears.model import EARS_RATE_HZ

# What a new canceller hears first: docs/ears.md has the figures with it and without it.
PRACTICE_S: Final = 4.0
PRACTICE_DBFS: Final = -30.0
PRACTICE_ECHO_DB: Final = -20.0  # below our sound
PRACTICE_DELAY_S: Final = 0.1
_FRAME_S: Final = 0.01


class WebRtcProcessing:
    """`realtime.ears.EchoProcessing`: about 55 µs of CPU for 10 ms of both sides (docs/ears.md).

    Until WebRTC has met an echo it takes whoever talks over us for one, and lets nothing of a "stop" through: for
    the first 6 s of our speech in a session. So a new one is given a faint echo of noise to practise on, which
    takes 50 ms of CPU; it finds the room's own as soon as that sounds.
    """

    def __init__(self, rate_hz: int) -> None:
        """`rate_hz` is that of our own sound; another one later would make it forget what it practised."""
        self._module = rtc.AudioProcessingModule(echo_cancellation=True)
        self._module.set_stream_delay_ms(0)  # it is asked for, and WebRTC then finds the delay by itself
        self._practise(rate_hz)

    def played(self, pcm: NDArray[np.int16], rate_hz: int) -> None:
        """Take what we said: some frames of 10 ms."""
        self._module.process_reverse_stream(_frame(pcm, rate_hz))

    def clean(self, pcm: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return as much of the microphone without it."""
        frame = _frame(pcm, EARS_RATE_HZ)
        self._module.process_stream(frame)
        return np.frombuffer(frame.data, np.int16)

    def _practise(self, rate_hz: int) -> None:
        noise = np.random.default_rng(0).normal(size=round(PRACTICE_S * EARS_RATE_HZ))
        theirs = 32768 * 10 ** (PRACTICE_DBFS / 20) * noise
        echo = 10 ** (PRACTICE_ECHO_DB / 20) * np.roll(theirs, round(PRACTICE_DELAY_S * EARS_RATE_HZ))
        at = np.arange(round(PRACTICE_S * rate_hz)) / rate_hz
        ours = np.interp(at, np.arange(noise.size) / EARS_RATE_HZ, theirs)
        frames = round(PRACTICE_S / _FRAME_S)
        for played, heard in zip(np.split(ours, frames), np.split(echo, frames), strict=True):
            self.played(played.astype(np.int16), rate_hz)
            self.clean(heard.astype(np.int16))


def _frame(pcm: NDArray[np.int16], rate_hz: int) -> rtc.AudioFrame:
    return rtc.AudioFrame(bytearray(pcm.tobytes()), rate_hz, 1, pcm.size)

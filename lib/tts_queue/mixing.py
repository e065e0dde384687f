"""Mix the voice and short tones into the track's frames, and duck the voice."""

from __future__ import annotations

from typing import Final

import numpy as np

from tts_queue.model import SAMPLE_RATE_HZ, Pcm

DUCK_DB: Final = -12.0  # soft enough to talk over, loud enough to follow
_RAMP_PER_S: Final = 12.0  # of the gain, as a factor: from full to ducked in about 60 ms, without a click
TONE_MOST_S: Final = 1.0


class Mixer:
    """Turns frames of the voice into frames of the track."""

    def __init__(self) -> None:
        self._gain = self._wanted = 1.0
        self._tone: Pcm = np.zeros(0, np.int16)

    @property
    def plain(self) -> bool:
        """Return whether frames pass unchanged."""
        return self._gain == self._wanted == 1.0 and not self._tone.size

    def duck(self, on: bool) -> None:
        """Lower the voice by `DUCK_DB`, or restore its level."""
        self._wanted = 10 ** (DUCK_DB / 20) if on else 1.0

    def tone(self, pcm: Pcm) -> None:
        """Play `pcm` from the next frame on, replacing a tone that still sounds.

        Raises: ValueError: longer than `TONE_MOST_S`.
        """
        if pcm.size > TONE_MOST_S * SAMPLE_RATE_HZ:
            raise ValueError(f"a tone of {pcm.size / SAMPLE_RATE_HZ:.1f} s")
        self._tone = pcm

    def mix(self, frame: Pcm) -> Pcm:
        """Return the frame to write, from a frame of the voice."""
        if self.plain:
            return frame
        step = _RAMP_PER_S * frame.size / SAMPLE_RATE_HZ
        end = self._gain + min(step, max(-step, self._wanted - self._gain))
        out = frame * np.linspace(self._gain, end, frame.size)
        self._gain = end
        tone, self._tone = self._tone[: frame.size], self._tone[frame.size :]
        out[: tone.size] += tone
        return np.clip(out, -32768, 32767).astype(np.int16)

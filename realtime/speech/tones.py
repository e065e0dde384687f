"""The few tones of the voice: short, soft, and each unlike the other."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tts_queue import SAMPLE_RATE_HZ

_LEVEL: Final = 32768 * 10 ** (-20 / 20)  # −20 dBFS at the peak: heard beside speech, below it
_FADE_S: Final = 0.012


def _notes(*notes: tuple[float, float]) -> NDArray[np.int16]:
    """Return notes of (frequency in Hz, length in s) one after the other, each faded at both ends."""
    parts = []
    for frequency_hz, length_s in notes:
        at = np.arange(round(length_s * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
        ramp = np.clip(np.minimum(at, length_s - at) / _FADE_S, 0.0, 1.0)
        parts.append(_LEVEL * ramp * np.sin(2 * np.pi * frequency_hz * at))
    pcm: NDArray[np.int16] = np.concatenate(parts).astype(np.int16)
    pcm.flags.writeable = False
    return pcm


STILL_WAITING: Final = _notes((523.25, 0.18), (0.0, 0.05), (392.0, 0.22))  # C5, G4: falling, unhurried
CRITICAL_WAITS: Final = _notes((880.0, 0.12), (0.0, 0.06), (880.0, 0.12), (0.0, 0.06), (1174.66, 0.2))
ALARM: Final = _notes((880.0, 0.09), (0.0, 0.03), (1174.66, 0.13))  # A5, D6: before each alarm
BACK: Final = _notes((392.0, 0.12), (0.0, 0.03), (523.25, 0.16))  # G4, C5: rising

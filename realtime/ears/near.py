"""Tell a turn's speaker from people far from the microphone, by level alone.

The detector hears a voice in people who talk across the room, so a word that is said among them comes as a
turn of seconds, and the recogniser gets their talk with it. They are fainter. Where nobody else speaks this
changes next to nothing. Pure; the figures behind each number: docs/decisions/042-a-second-opinion.md.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import EARS_RATE_HZ, WINDOW

NEAR_DB: Final = 13.0  # sound at most so much below the loudest of a turn is the speaker's own,
BEFORE_S: Final = 0.3  # and what is so near to it belongs to it, as a faint "s" does
AFTER_S: Final = 0.35
_SMOOTHED: Final = 3  # windows; one alone is a click


def own(pcm: NDArray[np.int16]) -> tuple[int, int]:
    """Return from where to where, in samples, the sound of a turn is its speaker's own."""
    count = len(pcm) // WINDOW
    if count <= _SMOOTHED:
        return 0, len(pcm)
    power = (pcm[: count * WINDOW].reshape(count, WINDOW).astype(np.float64) ** 2).mean(axis=1)
    smooth = np.convolve(power, np.ones(_SMOOTHED) / _SMOOTHED, mode="same")
    loud = np.flatnonzero(smooth >= smooth.max() * 10 ** (-NEAR_DB / 10))
    first = int(loud[0]) * WINDOW - round(BEFORE_S * EARS_RATE_HZ)
    last = (int(loud[-1]) + 1) * WINDOW + round(AFTER_S * EARS_RATE_HZ)
    return max(0, first), min(len(pcm), last)

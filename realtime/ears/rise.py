"""Sound that rises over what was there, told before the detector can be sure that it is a voice.

The detector hears a voice some 75 ms after its first sound. A rise of the level is seen within 20. The queue uses
the time between: what its sink holds is heard after a "stop", so it lets that run down
(docs/decisions/095-ears-and-turns.md). Any sound may be a rise; one that was no voice costs nothing but a shallower
sink for a fifth of a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import EARS_RATE_HZ
from realtime.ears.ports import EarsPort

RISES: Final = 10.0  # times in power, 10 dB, over the mean of what was just before: a syllable after a pause
BEFORE_S: Final = 0.3  # of which the mean is taken
FAINT: Final = (32768 * 10 ** (-50 / 20)) ** 2  # power below which no voice that speaks to us begins
REST_S: Final = 0.5  # after one rise, before another is told: a noisy room must not keep the sink shallow


class Rises:
    """Watches the level of a microphone, in whatever pieces its sound comes."""

    def __init__(self) -> None:
        self._before: deque[tuple[float, float]] = (
            deque()
        )  # energy and length of the pieces that are the past
        self._energy = self._length_s = 0.0  # of all these
        self._rest_s = 0.0

    def hear(self, pcm: NDArray[np.int16]) -> bool:
        """Return whether the sound rises with this piece, which is 16 kHz mono and not empty."""
        sound, length_s = pcm.astype(np.float32), pcm.size / EARS_RATE_HZ
        power = float(np.dot(sound, sound)) / pcm.size
        over = power > FAINT and power * self._length_s > RISES * self._energy
        rises = over and self._rest_s <= 0.0 and self._length_s > 0.0
        self._rest_s = REST_S if rises else self._rest_s - length_s
        self._keep(power * length_s, length_s)
        return rises

    def _keep(self, energy: float, length_s: float) -> None:
        self._before.append((energy, length_s))
        self._energy, self._length_s = self._energy + energy, self._length_s + length_s
        while self._length_s > BEFORE_S:
            energy, length_s = self._before.popleft()
            self._energy, self._length_s = self._energy - energy, self._length_s - length_s

    def reset(self) -> None:
        """Forget what came before."""
        self._before.clear()
        self._energy = self._length_s = self._rest_s = 0.0


class AlertEars:
    """Ears that tell when the sound rises, before they hear it."""

    def __init__(self, ears: EarsPort, on_rise: Callable[[], None]) -> None:
        """`on_rise` is called from `feed` and must be quick."""
        self._ears, self._on_rise, self._rises = ears, on_rise, Rises()

    @property
    def silent_s(self) -> float:
        """Return for how long the microphone has given digital silence, in seconds."""
        return self._ears.silent_s

    def feed(self, pcm: NDArray[np.int16]) -> None:
        """Take 16 kHz mono sound of any length, without waiting."""
        if pcm.size and self._rises.hear(pcm):
            self._on_rise()
        self._ears.feed(pcm)

    def track_ended(self) -> None:
        """End the turn under way."""
        self._rises.reset()
        self._ears.track_ended()

    async def run(self) -> None:
        """Listen until cancelled."""
        await self._ears.run()

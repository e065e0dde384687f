"""Spare the voice detector while the microphone gives the same quiet sound on and on.

A voice rises above the sound of its room. While the detector has heard none for five seconds, and a window is no
louder than the quietest of the last seconds by 3 dB, there is nothing in it that the last one had not. When a
louder one comes, those just before it are heard first, so that the detector knows what it would have known.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import WINDOW_S
from realtime.ears.ports import Vad

NOTHING: Final = (32768 * 10 ** (-70 / 20)) ** 2  # power below which no voice is heard: docs/ears.md
RISES: Final = 2.0  # times in power: 3 dB; a window of an even noise moves by less than one
FLOOR_S: Final = 4.0  # of which the quietest window counts
CALM_S: Final = 5.0  # without a voice, before a window is passed over
SURE: Final = 0.1  # a window of less has no voice; a begin asks for 0.35
# Windows before a louder one that the detector hears first. With fewer, more coughs begin a turn (decision 095).
CAUGHT_UP: Final = 16
CAUGHT_UP_SILENT: Final = 4  # the same for nearly silent windows: with more, a voice begins later


class GatedVad:
    """`Vad` that passes over windows in which nothing can have begun: no voice, at no cost."""

    def __init__(self, vad: Vad) -> None:
        self._vad = vad
        self._powers: deque[float] = deque(maxlen=round(FLOOR_S / WINDOW_S))
        self._passed: deque[NDArray[np.int16]] = deque(maxlen=CAUGHT_UP)
        self._calm = 0  # windows without a voice
        self.heard = self.passed_over = 0  # windows

    def probability(self, window: NDArray[np.int16]) -> float:
        """Return how likely the next 512 samples hold a voice, 0 to 1."""
        sound = window.astype(np.float32)
        power = float(np.dot(sound, sound)) / window.size
        self._powers.append(power)
        if self._calm * WINDOW_S >= CALM_S and power <= max(NOTHING, RISES * min(self._powers)):
            self._passed.append(window)
            while power <= NOTHING and len(self._passed) > CAUGHT_UP_SILENT:
                self._passed.popleft()
            self.passed_over += 1
            return 0.0
        while self._passed:
            self._vad.probability(self._passed.popleft())
        self.heard += 1
        probability = self._vad.probability(window)
        self._calm = self._calm + 1 if probability < SURE else 0
        return probability

    def reset(self) -> None:
        """Forget what came before."""
        self._vad.reset()
        self._powers.clear()
        self._passed.clear()
        self._calm = 0

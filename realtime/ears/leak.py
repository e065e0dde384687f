"""Detect our own voice in the microphone, by how its level moves while we speak.

Speech rises and falls by 20 dB and more within a second, and so does its echo. A microphone whose level stays
within 6 dB while we speak for two seconds has no echo in it that the voice detector would hear: a headset,
or a client that takes the echo out. The echo canceller then has nothing to do but harm (docs/decisions/087).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

CLEAR_S: Final = 2.0  # of our speech, in which the level must not move
REACH_S: Final = 0.6  # after our sound, in which its echo may come: what the canceller finds, and a tenth
LOUD_S: Final = 1.0  # of sound while we speak: beyond what a clinician says until we are silent
HEALS: Final = 0.1  # of a second of sound is forgotten in a second of quiet
MOVES: Final = 4.0  # times in power: 6 dB
NOTHING: Final = (32768 * 10 ** (-67 / 20)) ** 2  # power below which the detector hears no voice


@dataclass(slots=True)
class Leak:
    """What is known of one microphone; it leaks until it was shown not to."""

    leaks: bool = True
    _since_s: float = REACH_S  # our last sound
    _spoken_s: float = 0.0
    _least: float = field(default=float("inf"))
    _most: float = 0.0
    _loud_s: float = 0.0

    def hear(self, *, ours: bool, power: float, length_s: float) -> bool:
        """Take a stretch of sound; return whether the microphone may leak.

        Args:
            ours: we were clearly to be heard.
            power: mean square of the microphone's samples.
            length_s: of the stretch.
        """
        self._since_s = 0.0 if ours else self._since_s + length_s
        if self._since_s > REACH_S:
            return self.leaks
        if self.leaks:
            self._look(power, length_s if ours else 0.0)
        else:
            self._mind(power, length_s)
        return self.leaks

    def _look(self, power: float, spoken_s: float) -> None:
        """Watch whether the level stays for long enough; each move of it starts the count again."""
        self._least, self._most = min(self._least, power), max(self._most, power)
        self._spoken_s += spoken_s
        if self._most > self._limit:
            self._begin()
        elif self._spoken_s >= CLEAR_S:
            self.leaks, self._loud_s = False, 0.0

    def _mind(self, power: float, length_s: float) -> None:
        """Watch for sound while we speak: more of it than somebody's word to us may be our echo."""
        if power <= self._limit:
            self._loud_s = max(0.0, self._loud_s - HEALS * length_s)
            return
        self._loud_s += length_s
        if self._loud_s >= LOUD_S:
            self.leaks = True
            self._begin()

    @property
    def _limit(self) -> float:
        return max(MOVES * self._least, NOTHING)

    def _begin(self) -> None:
        self._spoken_s, self._least, self._most = 0.0, float("inf"), 0.0

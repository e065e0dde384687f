"""Sound between the room and the detector: any length in, windows with their times out."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import EARS_RATE_HZ, WINDOW


@dataclass(frozen=True, slots=True)
class Window:
    """One window of a track and where it starts on the audio clock."""

    start_s: float
    pcm: NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class TrackEnd:
    """A track is over; the next window starts at 0."""


@dataclass(slots=True)
class _Track:
    start: int = 0  # samples of the track before `sound`
    sound: NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, np.int16))
    ended: bool = False


class Backlog:
    """Holds at most `bound` samples; the oldest beyond it are dropped, and the clock counts them."""

    def __init__(self, bound: int, silence_level: int) -> None:
        self._bound, self._level = bound, silence_level
        self._tracks: deque[_Track] = deque()
        self.dropped = 0  # samples
        self.silent = 0  # samples of digital silence at the end of the present track

    @property
    def empty(self) -> bool:
        """Return whether nothing waits, and no track is under way."""
        return not self._tracks

    def add(self, pcm: NDArray[np.int16]) -> None:
        """Take sound of any length, without waiting."""
        track = self._present()
        track.sound = np.concatenate([track.sound, pcm])
        self._count_silence(pcm)
        over = sum(len(each.sound) for each in self._tracks) - self._bound
        for each in self._tracks:
            if over <= 0:
                break
            cut = min(over, len(each.sound))
            each.start, each.sound = each.start + cut, each.sound[cut:]
            self.dropped, over = self.dropped + cut, over - cut

    def end_track(self) -> None:
        """Mark the end of the present track, if it has begun."""
        if self._tracks and not self._tracks[-1].ended:
            self._tracks[-1].ended = True
        self.silent = 0

    def take(self) -> Window | TrackEnd | None:
        """Return what comes next; None: no whole window is there yet. A track's last window is filled up."""
        if not self._tracks:
            return None
        track = self._tracks[0]
        if len(track.sound) < WINDOW:
            if not track.ended:
                return None
            if len(track.sound) == 0:
                self._tracks.popleft()
                return TrackEnd()
            track.sound = np.pad(track.sound, (0, WINDOW - len(track.sound)))
        window = Window(track.start / EARS_RATE_HZ, track.sound[:WINDOW])
        track.start, track.sound = track.start + WINDOW, track.sound[WINDOW:]
        return window

    def _present(self) -> _Track:
        if not self._tracks or self._tracks[-1].ended:
            self._tracks.append(_Track())
        return self._tracks[-1]

    def _count_silence(self, pcm: NDArray[np.int16]) -> None:
        loud = np.flatnonzero((pcm > self._level) | (pcm < -self._level))
        self.silent = len(pcm) - 1 - int(loud[-1]) if len(loud) else self.silent + len(pcm)

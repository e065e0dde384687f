"""Follow what the listener has heard, from all that its client reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from realtime.listener.presence import NEWS_LATE_S, ClientPresence, Presence
from realtime.protocol import BadMessage, ClockBody, parse_beat
from realtime.room.positions import RATE_HZ, STOCK_ALLOWANCE_S, ListenerClock, Onset, OnsetDetector
from tts_queue import AudioSink

_LOOK: Final = RATE_HZ // 100  # 10 ms, in which clients look for the same begin


class ListenedSink:
    """Passes frames on and notes where our own sound begins after silence."""

    def __init__(self, sink: AudioSink, clock: ListenerClock, now_s: Callable[[], float]) -> None:
        self._sink = sink
        self._clock = clock
        self._now_s = now_s
        self._detector = OnsetDetector()
        self._written = 0

    @property
    def queued_s(self) -> float:
        """Return how much audio was handed over and is not yet sent, in seconds."""
        return self._sink.queued_s

    async def write(self, pcm: NDArray[np.int16]) -> None:
        """Hand over one frame."""
        look = _LOOK if np.count_nonzero(pcm) else max(_LOOK, pcm.size)  # silence is looked at as a whole
        for at in range(0, pcm.size, look):
            if self._detector.feed(pcm[at : at + look]):
                left_at_s = self._now_s() + self._sink.queued_s + at / RATE_HZ
                self._clock.began(Onset(self._written + at, left_at_s))
        self._written += pcm.size
        await self._sink.write(pcm)


@dataclass(slots=True)
class Listening:
    """The one listener of a session: whether it is there, and how far it has heard.

    Times are on the loop's clock. `bad_beats` and the clock's `lies` are only counted.
    """

    clinician: str
    clock: ListenerClock = field(default_factory=ListenerClock)
    presence: Presence = field(default_factory=Presence)
    bad_beats: int = 0
    _announced: ClockBody | None = None
    _position: int | None = None  # in the newest beat, on the client's own clock
    _anew_since_s: float | None = None  # a lost listener's beats count anew

    @property
    def listener(self) -> ClientPresence:
        """Return what is known of the listener's client."""
        return self.presence.listener

    def joined(self, identity: str, now_s: float) -> None:
        """Record that a participant joined; only the clinician counts."""
        if identity == self.clinician:
            self.presence = self.presence.joined(now_s)
            self.clock.reset()
            self._announced = self._position = self._anew_since_s = None

    def left(self, identity: str) -> None:
        """Record that a participant left."""
        if identity == self.clinician:
            self.presence = self.presence.left()

    def vacated(self, now_s: float) -> None:
        """Record that the clinician's connection ended, perhaps replaced by another."""
        self.presence = self.presence.vacated(now_s)

    def ready(self, now_s: float) -> None:
        """Record that the listener can hear."""
        self.presence = self.presence.ready(now_s)

    def beat(self, identity: str, payload: bytes, *, sent: int, now_s: float) -> int | None:
        """Return the sample that the listener has played, or None if the beat says nothing of it."""
        if identity != self.clinician:
            return None
        try:
            beat = parse_beat(payload)
        except BadMessage:
            self.bad_beats += 1
            return None
        if self._is_of_another(beat.seq, now_s):
            return None
        plays = None not in (beat.position, self._position) and beat.position != self._position
        self._position = beat.position
        self.presence = self.presence.beat(now_s, plays=plays)
        return self.clock.played(beat, sent=sent, now_s=now_s)

    def _is_of_another(self, seq: int, now_s: float) -> bool:
        """Return whether a lost listener's beat comes from a new connection that is not reported yet.

        The beats of a new connection count from 1. Taken for the lost one's, they would go on where that was, and
        nobody would be welcomed. A join that is not reported within `NEWS_LATE_S` did not happen.
        """
        if self.listener is not ClientPresence.LOST or seq > self.clock.newest_seq:
            self._anew_since_s = None
            return False
        if self._anew_since_s is None:
            self._anew_since_s = now_s
        return now_s - self._anew_since_s < NEWS_LATE_S

    def tick(self, *, sent: int, speaking: bool, now_s: float, subscribed: bool = True) -> int | None:
        """Update at `now_s`; return the sample played by a client that does not report it, else None."""
        self.presence = self.presence.tick(now_s, speaking=speaking, subscribed=subscribed)
        if self.listener is not ClientPresence.STOCK:
            return None
        return max(0, sent - int(STOCK_ALLOWANCE_S * RATE_HZ))

    def new_clock(self) -> ClockBody | None:
        """Return the constant of the listener's clock if it is new since the last call."""
        zero, kind = self.clock.zero, self.clock.kind
        if zero is None or kind is None:
            return None
        body = ClockBody(clock=kind, zero=zero)
        if body == self._announced:
            return None
        self._announced = body
        return body

"""Map the listener's playback position to the session's clock.

The session's clock is the sample index of the one track, at 48 kHz. A listener reports on a clock of
its own (RTP time stamps, or samples it counted), so the constant between the two must be found. No
round trip is guessed: when sound begins after silence, the agent knows at which of its samples that
was, and the listener reports where on its clock it heard it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from realtime.protocol import RTP_MODULUS, Beat, ClockKind

RATE_HZ: Final = 48_000
STOCK_ALLOWANCE_S: Final = 0.15  # network, jitter buffer and sound card of a listener who reports nothing
ONSET_SILENCE_S: Final = 0.4  # protocol.md: sound after this much silence is an onset
ONSET_DBFS: Final = -50.0  # protocol.md
_ONSET_AMPLITUDE: Final = 32768 * 10 ** (ONSET_DBFS / 20)
_MATCH_BACK_S: Final = 2.0  # an onset heard now left us at most this long ago
_MATCH_AHEAD_S: Final = 0.06  # beats carry their position up to one poll (30 ms) late, and clocks jitter
_KEPT: Final = 16  # onsets remembered; they come seconds apart, and only the last two seconds match
_AGREEING: Final = 5  # constants remembered: errors are one-sided (a poll is late, never early)
_JUMP: Final = RATE_HZ // 25  # 40 ms, above a late poll: the clock slipped (concealed loss) or was reset


class OnsetDetector:
    """Finds where sound begins after silence in a stream of frames; the definition is the protocol's."""

    def __init__(self) -> None:
        self._quiet = int(ONSET_SILENCE_S * RATE_HZ)

    def feed(self, pcm: NDArray[np.int16]) -> bool:
        """Take the next frame (10–20 ms); return True if it is the first sound after the silence."""
        if not np.count_nonzero(pcm):  # most of a session; `any` takes four times as long
            self._quiet += pcm.size
            return False
        sound = pcm.astype(np.float32)
        loud = float(np.dot(sound, sound)) > pcm.size * _ONSET_AMPLITUDE**2
        began = loud and self._quiet >= ONSET_SILENCE_S * RATE_HZ
        self._quiet = 0 if loud else self._quiet + pcm.size
        return began


@dataclass(frozen=True, slots=True)
class Onset:
    """Sound of ours that began at `sample` and left at `left_at_s` (loop clock)."""

    sample: int
    left_at_s: float


class ListenerClock:
    """Maps one listener's reports to samples of the session.

    Not thread-safe; one per connection. `lies` counts positions beyond what was sent.
    """

    def __init__(self) -> None:
        self._onsets: deque[Onset] = deque(maxlen=_KEPT)
        self._zeros: deque[int] = deque(maxlen=_AGREEING)
        self._matched: int | None = None
        self.newest_seq = 0  # of the beats since the listener joined
        self.kind: ClockKind | None = None
        self.lies = 0

    @property
    def zero(self) -> int | None:
        """The listener's position at sample 0 (modulo 2**32), or None while it is not known."""
        return _smallest(self._zeros) if self._zeros else None

    def began(self, onset: Onset) -> None:
        """Remember that sound of ours began."""
        self._onsets.append(onset)

    def reset(self) -> None:
        """Forget the listener (it joined again); our own onsets stay."""
        self._zeros.clear()
        self._matched = None
        self.newest_seq = 0
        self.kind = None

    def played(self, beat: Beat, *, sent: int, now_s: float) -> int | None:
        """Return the sample last played by the listener, or None if this beat says nothing of it.

        Late beats (a `seq` at or below the newest) are dropped. Without a constant the answer is
        `sent` less `STOCK_ALLOWANCE_S`; it is never above `sent` and never below 0.
        """
        if beat.seq <= self.newest_seq:
            return None
        self.newest_seq = beat.seq
        if beat.position is None:
            return None
        if beat.clock is not self.kind:
            self._zeros.clear()
            self._matched = None
            self.kind = beat.clock
        if beat.onset is not None and beat.onset != self._matched:
            self._match(beat.onset, beat.position, now_s)
        zero = self.zero
        if zero is None:
            return max(0, sent - int(STOCK_ALLOWANCE_S * RATE_HZ))
        sample = _signed(beat.position - zero)
        if sample > sent + RATE_HZ // 10:  # 100 ms of grace: `sent` itself is an estimate
            self.lies += 1
        return max(0, min(sample, sent))

    def _match(self, onset: int, position: int, now_s: float) -> None:
        heard_at_s = now_s - _signed(position - onset) / RATE_HZ
        for ours in reversed(self._onsets):
            if ours.left_at_s > heard_at_s + _MATCH_AHEAD_S:
                continue
            if ours.left_at_s >= heard_at_s - _MATCH_BACK_S:
                self._adopt((onset - ours.sample) % RTP_MODULUS)
                self._matched = onset
            return

    def _adopt(self, zero: int) -> None:
        known = self.zero
        if known is not None and abs(_signed(zero - known)) > _JUMP:
            self._zeros.clear()
        self._zeros.append(zero)


def _signed(difference: int) -> int:
    """Return a difference of 32-bit time stamps as the nearer of its two readings."""
    wrapped = difference % RTP_MODULUS
    return wrapped - RTP_MODULUS if wrapped >= RTP_MODULUS // 2 else wrapped


def _smallest(zeros: deque[int]) -> int:
    """Return the earliest of nearby constants, over the wrap as well."""
    first = zeros[0]
    return (first + min(_signed(zero - first) for zero in zeros)) % RTP_MODULUS

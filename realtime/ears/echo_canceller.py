"""Take our own voice out of the clinician's microphone, before the detector hears it.

What we write to the room and what comes from the microphone are paired, ten milliseconds each, in the order
in which they come; two pairs at a time are processed, for a call costs half as much as what it computes. How
much later the echo follows (the network, the client's buffers, the room) is found by the processing; it must
only stay the same for a while. A frame of ours that has not come yet counts as
silence, and what waits for too long is dropped, so one late wake-up shifts the pairs for two seconds at most.

While we have been silent for longer than an echo takes there is nothing to take out, nor where the microphone
was shown to have no echo (`leak`): it is passed on sample for sample, and nothing is computed.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from realtime.ears.leak import Leak
from realtime.ears.model import EARS_RATE_HZ
from realtime.ears.ports import EarsPort, EchoProcessing
from tts_queue import AudioSink

log = logging.getLogger("exaim.ears")

FRAME_S: Final = 0.01
FRAME: Final = round(EARS_RATE_HZ * FRAME_S)
WAITING: Final = 20  # frames of ours that may wait for the microphone's
AT_ONCE: Final = 2  # pairs a call; more would look to the processing like sound that comes in bursts
SETTLED: Final = 200  # pairs after which what always waited is dropped
AFTER_US_S: Final = 1.5  # an echo's way, 0.5 s, and its dying away in the room
_HEARD: Final = 1000  # a sample of ours beyond this is clearly to be heard: -30 dBFS
_SILENCE: Final = 2  # samples of at most this size are digital silence, which noise must not be put into


@dataclass(slots=True)
class Pairing:
    """Our frames, each waiting for one of the microphone's."""

    dropped: int = 0  # that no frame of the microphone came for in time
    missed: int = 0  # of the microphone that came before ours
    _waiting: deque[NDArray[np.int16]] = field(default_factory=deque)
    _pairs: int = 0
    _least: int = WAITING  # that waited after each of these pairs

    def add(self, pcm: NDArray[np.int16]) -> None:
        """Let a frame of ours wait. Full: the oldest is dropped."""
        self._waiting.append(pcm)
        if len(self._waiting) > WAITING:
            self._drop(1)

    def take(self) -> NDArray[np.int16] | None:
        """Return the frame for the next of the microphone's, or None: it has not come."""
        if not self._waiting:
            self.missed, self._least = self.missed + 1, 0
            self._count()
            return None
        frame = self._waiting.popleft()
        self._least = min(self._least, len(self._waiting))
        self._count()
        return frame

    def _count(self) -> None:
        self._pairs += 1
        if self._pairs == SETTLED:
            self._drop(self._least - 1)  # one may wait: the two come at their own moments
            self._pairs, self._least = 0, WAITING

    def _drop(self, count: int) -> None:
        for _ in range(max(0, count)):
            self._waiting.popleft()
            self.dropped += 1


class EchoCanceller:
    """Hears both sides of one session. All calls are for its event loop, and quick."""

    def __init__(self, processing: EchoProcessing, rate_hz: int) -> None:
        """`rate_hz` is that of our own sound."""
        self._processing, self._rate_hz = processing, rate_hz
        self._pairing = Pairing()
        self._ours = np.zeros(0, np.int16)
        self._theirs = np.zeros(0, np.int16)
        self._silence = np.zeros(round(rate_hz * FRAME_S), np.int16)
        self._silent_s = AFTER_US_S  # for which nothing of ours was paired
        self._leak = Leak()
        self.worked_s = 0.0  # of the microphone's sound

    @property
    def slips(self) -> int:
        """Return how many frames found no partner."""
        return self._pairing.dropped + self._pairing.missed

    def said(self, pcm: NDArray[np.int16]) -> None:
        """Take what we write to the room, of any length."""
        sound = np.concatenate([self._ours, pcm]) if self._ours.size else pcm
        size = len(self._silence)
        whole = len(sound) // size * size
        for at in range(0, whole, size):
            self._pairing.add(sound[at : at + size])
        self._ours = sound[whole:]

    def clean(self, pcm: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return the whole frames that the microphone has given so far, without our voice."""
        sound = np.concatenate([self._theirs, pcm]) if self._theirs.size else pcm
        whole = len(sound) // FRAME * FRAME
        self._theirs = sound[whole:]
        blocks = range(0, whole, AT_ONCE * FRAME)
        clean = [self._clean(sound[at : min(at + AT_ONCE * FRAME, whole)]) for at in blocks]
        return clean[0] if len(clean) == 1 else np.concatenate([sound[:0], *clean])

    def track_ended(self) -> None:
        """Forget the part of a frame that is left."""
        self._theirs = self._theirs[:0]

    def _clean(self, block: NDArray[np.int16]) -> NDArray[np.int16]:
        frames = block.reshape(-1, FRAME)
        ours = [self._take() for _ in frames]
        if self._silent_s >= AFTER_US_S or not self._leaks(ours, block):
            return block
        self.worked_s += len(frames) * FRAME_S
        self._processing.played(np.concatenate(ours), self._rate_hz)
        clean = self._processing.clean(block)
        highest, lowest = np.maximum.reduce(frames, axis=1), np.minimum.reduce(frames, axis=1)
        silent = (highest <= _SILENCE) & (lowest >= -_SILENCE)
        if not silent.any():
            return clean
        return np.where(silent[:, np.newaxis], frames, clean.reshape(-1, FRAME)).reshape(-1)

    def _leaks(self, ours: Sequence[NDArray[np.int16]], block: NDArray[np.int16]) -> bool:
        """Return whether our echo may be in what the microphone gave."""
        theirs = block.astype(np.float32)
        power = float(np.dot(theirs, theirs)) / block.size
        heard = any(int(frame.max()) > _HEARD for frame in ours if frame is not self._silence)
        return self._leak.hear(ours=heard, power=power, length_s=block.size / EARS_RATE_HZ)

    def _take(self) -> NDArray[np.int16]:
        """Return our frame for the next of the microphone's, and count for how long we have been silent."""
        ours = self._pairing.take()
        sounds = ours is not None and np.count_nonzero(ours) > 0
        self._silent_s = 0.0 if sounds else self._silent_s + FRAME_S
        return self._silence if ours is None else ours


class CleanEars:
    """Ears that get the microphone without our own voice."""

    def __init__(self, ears: EarsPort, canceller: EchoCanceller) -> None:
        self._ears, self._canceller = ears, canceller

    @property
    def silent_s(self) -> float:
        """Return for how long the microphone has given digital silence, in seconds."""
        return self._ears.silent_s

    def feed(self, pcm: NDArray[np.int16]) -> None:
        """Take 16 kHz mono sound of any length, without waiting."""
        clean = self._canceller.clean(pcm)
        if clean.size:
            self._ears.feed(clean)

    def track_ended(self) -> None:
        """End the turn under way."""
        self._canceller.track_ended()
        self._ears.track_ended()

    async def run(self) -> None:
        """Listen until cancelled; at its end it tells how much there was to do."""
        try:
            await self._ears.run()
        finally:
            worked_s, slips = self._canceller.worked_s, self._canceller.slips
            log.info("our own voice was taken out of %.0f s of sound; %d frames slipped", worked_s, slips)


class HeardSink:
    """Passes our sound on to the room, and tells the canceller of it."""

    def __init__(self, sink: AudioSink, canceller: EchoCanceller) -> None:
        self._sink, self._canceller = sink, canceller

    @property
    def queued_s(self) -> float:
        """Return how much audio was handed over and is not yet sent, in seconds."""
        return self._sink.queued_s

    async def write(self, pcm: NDArray[np.int16]) -> None:
        """Hand over one frame."""
        self._canceller.said(pcm)
        await self._sink.write(pcm)

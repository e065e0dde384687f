"""A clinician's microphone without a person: sounds go out when asked, silence all the other time.

Like the listener it uses nothing of ours, only what `docs/protocol.md` says: one track named `microphone`.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, Self

import numpy as np
from livekit import rtc
from numpy.typing import NDArray

RATE_HZ: Final = 48_000
FRAME: Final = 480  # 10 ms
FRAME_S: Final = FRAME / RATE_HZ
NATIVE_QUEUE_MS: Final = 400
DEPTH_S: Final = 0.03  # of silence held in the native queue: a sound that is asked for begins so soon
SAYING_S: Final = 0.3  # of a sound: where the writer comes late, on a busy machine, no word has a gap
VOICED_RMS: Final = 32768 * 10 ** (-50 / 20)  # −50 dBFS, the protocol's level of sound
_SILENCE: Final = bytes(2 * FRAME)

Pcm = NDArray[np.int16]


class MicrophoneStopped(Exception):
    """The microphone was stopped before a sound had left whole, or before it was asked for."""


@dataclass(frozen=True, slots=True)
class Said:
    """When the voiced part of a sound left: its first sample, and the end of its last voiced frame.

    Monotonic seconds. Both are estimates from what the native queue held when the frame was handed over.
    A sound without a voiced frame has the times of its two ends.
    """

    first_s: float
    last_s: float


class Source(Protocol):
    """What `Pump` needs of `rtc.AudioSource`."""

    @property
    def queued_duration(self) -> float:
        """Seconds of sound that were handed over and have not left."""
        ...

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        """Take one frame."""
        ...


@dataclass(slots=True, eq=False)
class _Sound:
    """A sound on its way: frames to come, and when its voiced ones left."""

    frames: deque[tuple[bytes, bool]]
    done: asyncio.Future[Said]
    times: list[float]  # of the start of every frame that counts
    left_s: float = 0.0  # when its last frame has left


class Pump:
    """The one writer of a source: sounds in the order in which they are asked for, silence between them."""

    def __init__(self, source: Source, now_s: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._now_s = now_s
        self._sounds: deque[_Sound] = deque()
        self._stopped = False

    async def say(self, pcm: Pcm) -> Said:
        """Send a sound of 48 kHz mono and return when it left; sounds asked for earlier go first.

        The last frame is filled up with silence. Cancelled, what was not handed over by then is not sent.
        Raises: MicrophoneStopped.
        """
        if self._stopped:
            raise MicrophoneStopped
        sound = _Sound(_frames(pcm), asyncio.get_running_loop().create_future(), [])
        self._sounds.append(sound)
        try:
            said = await sound.done
        finally:
            with contextlib.suppress(ValueError):
                self._sounds.remove(sound)
        await asyncio.sleep(max(0.0, sound.left_s - self._now_s()))
        if self._stopped:
            raise MicrophoneStopped
        return said

    async def run(self) -> None:
        """Write frames until cancelled, ahead of time by `SAYING_S` at most, silence by `DEPTH_S`. Run it once."""
        try:
            while True:
                queued_s, depth_s = self._source.queued_duration, SAYING_S if self._sounds else DEPTH_S
                if queued_s + FRAME_S > depth_s + 1e-6:
                    await asyncio.sleep(max(0.001, queued_s + FRAME_S - depth_s))
                    continue
                data = self._next(self._now_s() + queued_s)
                await self._source.capture_frame(rtc.AudioFrame(data, RATE_HZ, 1, FRAME))
        finally:
            self._stopped = True
            for sound in self._sounds:
                if not sound.done.done():
                    sound.done.set_exception(MicrophoneStopped())
            self._sounds.clear()

    def _next(self, leaves_s: float) -> bytes:
        """Return the frame that leaves at `leaves_s`."""
        if not self._sounds:
            return _SILENCE
        sound = self._sounds[0]
        data, counts = sound.frames.popleft()
        if counts:
            sound.times.append(leaves_s)
        if not sound.frames:
            self._sounds.popleft()
            sound.left_s = leaves_s + FRAME_S
            if not sound.done.done():  # its caller was cancelled just now
                sound.done.set_result(Said(sound.times[0], sound.times[-1] + FRAME_S))
        return data


class Microphone:
    """The clinician's one audio track, in a room that is joined. Use as an async context manager."""

    def __init__(self, room: rtc.Room, now_s: Callable[[], float] = time.monotonic) -> None:
        self._room = room
        self._source = rtc.AudioSource(RATE_HZ, 1, NATIVE_QUEUE_MS)
        self._track = rtc.LocalAudioTrack.create_audio_track("microphone", self._source)
        self._pump = Pump(self._source, now_s)
        self._running: asyncio.Task[None] | None = None
        self._sid = ""

    async def __aenter__(self) -> Self:
        """Publish the track; silence is sent from here on."""
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE, dtx=False)
        publication = await self._room.local_participant.publish_track(self._track, options)
        self._sid = publication.sid
        self._running = asyncio.create_task(self._pump.run(), name="microphone")
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()
        await self._source.aclose()

    async def say(self, pcm: Pcm) -> Said:
        """Send a sound of 48 kHz mono and return when it left; see `Pump.say`. Raises: MicrophoneStopped."""
        return await self._pump.say(pcm)

    def mute(self) -> None:
        """Mute the track, as a page's button does; the room is told."""
        self._track.mute()

    def unmute(self) -> None:
        """Let the track be heard again."""
        self._track.unmute()

    async def stop(self) -> None:
        """Take the track away at once, in the middle of a word if need be; what waits is not said."""
        running, self._running = self._running, None
        if running is None:
            return
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        if self._room.isconnected():
            await self._room.local_participant.unpublish_track(self._sid)


def _frames(pcm: Pcm) -> deque[tuple[bytes, bool]]:
    """Return the frames of a sound, and whether each counts for its times."""
    whole = np.zeros(max(1, -(-pcm.size // FRAME)) * FRAME, np.int16)
    whole[: pcm.size] = pcm
    cut = whole.reshape(-1, FRAME)
    voiced = np.sqrt((cut.astype(np.float32) ** 2).mean(axis=1)) > VOICED_RMS
    if not voiced.any():
        voiced[[0, -1]] = True
    return deque((frame.tobytes(), bool(loud)) for frame, loud in zip(cut, voiced, strict=True))

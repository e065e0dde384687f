"""The floors: an agent with nothing inside. `python -m lab.bench.bare MODE URL TOKEN N`.

`speak` writes N bursts of sound and prints when it handed over the first frame of each. `stop` speaks and
clears the SDK's queue N times, and prints when. `hear` prints when the clinician's microphone became loud,
N times, as an `AudioStream` at 16 kHz gives it. All times are monotonic seconds, one clock for all processes
of a machine.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from typing import Final

import numpy as np
from livekit import rtc

RATE_HZ: Final = 48_000
FRAME: Final = 480
BURST_FRAMES: Final = 40
GAP_FRAMES: Final = 110  # over the 400 ms of silence that make the next burst an onset
DEPTH_S: Final = 0.03  # as the queue's
NATIVE_QUEUE_MS: Final = 100
HEARD_HZ: Final = 16_000
HEARD_RMS: Final = 32768 * 10 ** (-50 / 20)
QUIET_S: Final = 0.4

_TONE: Final = (8000 * np.sin(2 * np.pi * 300 * np.arange(FRAME) / RATE_HZ)).astype(np.int16).tobytes()
_SILENCE: Final = bytes(2 * FRAME)


async def main(mode: str, url: str, token: str, n: int) -> None:
    """Join, do what `mode` says, and leave."""
    room = rtc.Room()
    heard: asyncio.Future[rtc.Track] = asyncio.get_running_loop().create_future()
    room.on("track_subscribed", lambda track, *_: None if heard.done() else heard.set_result(track))
    await room.connect(url, token)
    source = rtc.AudioSource(RATE_HZ, 1, NATIVE_QUEUE_MS)
    track = rtc.LocalAudioTrack.create_audio_track("voice", source)
    options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE, dtx=False)
    publication = await room.local_participant.publish_track(track, options)
    await publication.wait_for_subscription()
    match mode:
        case "speak":
            await _write(source, _bursts(n))
        case "stop":
            await _write(source, _stops(n))
        case "hear":
            writing = asyncio.create_task(_write(source, _quiet()))
            await _hear(await heard, n)
            writing.cancel()
    await asyncio.sleep(1.0)
    await room.disconnect()


def _bursts(n: int) -> Iterator[tuple[bytes, str]]:
    """Give the frames of `n` bursts of 0.4 s, 1.1 s apart, the first frame of each with `first`."""
    for _ in range(n):
        yield from ((_SILENCE, "") for _ in range(GAP_FRAMES))
        yield _TONE, "first"
        yield from ((_TONE, "") for _ in range(BURST_FRAMES - 1))
    yield from ((_SILENCE, "") for _ in range(GAP_FRAMES))


def _stops(n: int) -> Iterator[tuple[bytes, str]]:
    """Give the frames of `n` sounds of about a second, each cut off with `clear`."""
    for number in range(n):
        yield from ((_TONE, "") for _ in range(90 + 7 * (number % 5)))
        yield _SILENCE, "clear"
        yield from ((_SILENCE, "") for _ in range(GAP_FRAMES))


def _quiet() -> Iterator[tuple[bytes, str]]:
    while True:
        yield _SILENCE, ""


async def _write(source: rtc.AudioSource, frames: Iterator[tuple[bytes, str]]) -> None:
    for data, mark in frames:
        if mark == "clear":
            source.clear_queue()
            _say(time.monotonic())
        while source.queued_duration + FRAME / RATE_HZ > DEPTH_S:
            await asyncio.sleep(0.002)
        if mark == "first":
            _say(time.monotonic())
        await source.capture_frame(rtc.AudioFrame(data, RATE_HZ, 1, FRAME))


async def _hear(track: rtc.Track, n: int) -> None:
    stream = rtc.AudioStream(track, sample_rate=HEARD_HZ, num_channels=1, frame_size_ms=10)
    quiet_s, found = 0.0, 0
    async for event in stream:
        pcm = np.frombuffer(event.frame.data, np.int16).astype(np.float32)
        loud = float(np.sqrt(np.mean(np.square(pcm)))) > HEARD_RMS
        if loud and quiet_s >= QUIET_S:
            _say(time.monotonic())
            found += 1
        quiet_s = 0.0 if loud else quiet_s + pcm.size / HEARD_HZ
        if found >= n:
            break
    await stream.aclose()


def _say(at_s: float) -> None:
    sys.stdout.write(f"{at_s}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))

"""The floor: a track with nothing before it. Writes bursts, and says when (`python -m app.bench.bare`).

Arguments: URL, token, number of bursts. Prints, for each, the monotonic time at which its first frame
was handed to the SDK; that clock is one for all processes of a machine.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Final

import numpy as np
from livekit import rtc

RATE_HZ: Final = 48_000
FRAME: Final = 480
BURST_FRAMES: Final = 40
GAP_FRAMES: Final = 110  # over the 400 ms of silence that make the next burst an onset
DEPTH_S: Final = 0.03  # as the queue's


async def main(url: str, token: str, bursts: int) -> None:
    """Write `bursts` bursts of 0.4 s, 1.1 s apart."""
    room = rtc.Room()
    await room.connect(url, token)
    source = rtc.AudioSource(RATE_HZ, 1, 100)
    track = rtc.LocalAudioTrack.create_audio_track("voice", source)
    options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE, dtx=False)
    publication = await room.local_participant.publish_track(track, options)
    await publication.wait_for_subscription()
    tone = (8000 * np.sin(2 * np.pi * 300 * np.arange(FRAME) / RATE_HZ)).astype(np.int16).tobytes()
    for frame in range((bursts + 1) * (GAP_FRAMES + BURST_FRAMES)):
        at = frame % (GAP_FRAMES + BURST_FRAMES)
        while source.queued_duration + FRAME / RATE_HZ > DEPTH_S:
            await asyncio.sleep(0.002)
        if at == GAP_FRAMES and frame > GAP_FRAMES:
            sys.stdout.write(f"{time.monotonic()}\n")
            sys.stdout.flush()
        data = tone if at >= GAP_FRAMES else bytes(2 * FRAME)
        await source.capture_frame(rtc.AudioFrame(data, RATE_HZ, 1, FRAME))
    await asyncio.sleep(1.0)
    await room.disconnect()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))

"""The relay before a real SFU: what is heard when UDP is blocked, and only TCP is left."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from livekit import api, rtc

from infra.embedded import livekit, ports
from infra.embedded.child import spawn
from infra.embedded.ports import Transport
from lab.chaos.impairment import DARK, Impairment
from lab.chaos.relay import before_sfu
from tests.launcher.processes import eventually
from tests.sfu_server import livekit_binary

pytestmark = [pytest.mark.real, pytest.mark.timeout(90)]

RATE_HZ = 48_000
HEARD_WITHIN_S = 30.0  # the SDK gives UDP up first


@pytest.fixture
def sfu(tmp_path: Path) -> Iterator[tuple[livekit.LivekitPlan, int]]:
    """Run an SFU that also offers media by TCP; yield its plan and that port."""
    binary = livekit_binary()
    plan = livekit.plan(tmp_path / "livekit")
    tcp_port = ports.choose(tmp_path / "tcp.json", [("tcp", Transport.TCP)])["tcp"]
    config = json.loads(plan.config.read_text(encoding="utf-8"))
    config["rtc"]["tcp_port"] = tcp_port
    config["room"]["auto_create"] = True
    plan.config.write_text(json.dumps(config), encoding="utf-8")
    child = spawn("livekit-server", plan.argv(binary), environ=os.environ, log=tmp_path / "livekit.log")
    assert eventually(lambda: not ports.is_free(plan.tcp_port)), child.last_words()
    try:
        yield plan, tcp_port
    finally:
        child.stop(grace_s=2.0)


def token(plan: livekit.LivekitPlan, identity: str) -> str:
    grants = api.VideoGrants(room_join=True, room="r")
    made = api.AccessToken(plan.api_key, plan.api_secret).with_identity(identity).with_grants(grants)
    return str(made.to_jwt())


async def play(source: rtc.AudioSource) -> None:
    at = np.arange(480) / RATE_HZ
    frame = (8_000 * np.sin(2 * np.pi * 400 * at)).astype(np.int16).tobytes()
    while True:
        await source.capture_frame(rtc.AudioFrame(frame, RATE_HZ, 1, 480))


async def heard(room: rtc.Room) -> None:
    """Return once a second of sound has come."""
    subscribed: asyncio.Queue[rtc.Track] = asyncio.Queue()
    room.on("track_subscribed", lambda track, *_: subscribed.put_nowait(track))
    stream = rtc.AudioStream(await subscribed.get(), sample_rate=RATE_HZ, num_channels=1, frame_size_ms=10)
    loud = 0
    try:
        async for event in stream:
            loud += int(np.abs(np.frombuffer(event.frame.data, np.int16)).max()) > 1_000
            if loud >= 100:
                return
    finally:
        await stream.aclose()


async def test_where_udp_is_blocked_media_go_through_the_relay_by_tcp(
    sfu: tuple[livekit.LivekitPlan, int],
) -> None:
    plan, tcp_port = sfu
    impairment = Impairment(1)
    async with before_sfu(plan.url, plan.udp_port, impairment, tcp_port=tcp_port) as relay:
        relay.media.impairment = Impairment(1, DARK)
        voice, clinician = rtc.Room(), rtc.Room()
        await voice.connect(plan.url, token(plan, "voice"))
        source = rtc.AudioSource(RATE_HZ, 1, 100)
        track = rtc.LocalAudioTrack.create_audio_track("voice", source)
        await voice.local_participant.publish_track(track)
        playing = asyncio.create_task(play(source))
        listening = asyncio.create_task(heard(clinician))
        try:
            async with asyncio.timeout(HEARD_WITHIN_S):
                await clinician.connect(relay.url, token(plan, "clinician"))
                await listening
        finally:
            for task in (playing, listening):
                task.cancel()
            await asyncio.gather(playing, listening, return_exceptions=True)
            await clinician.disconnect()
            await voice.disconnect()
            await source.aclose()
    assert relay.media.down.given == 0

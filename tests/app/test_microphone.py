"""A microphone sends what it is given, when it says, and silence all the other time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from livekit import api, rtc

from infra.sfu import Sfu
from infra.sfu_port import Dispatch
from lab.demo.listener import Heard
from lab.demo.microphone import DEPTH_S, FRAME, RATE_HZ, SAYING_S, Microphone, MicrophoneStopped, Pump, Said
from tests.sfu_server import SfuServer, livekit_server

HEARD_WITHIN_S = 30.0


def tone(seconds: float, amplitude: int = 8000) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    at = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return (amplitude * np.sin(2 * np.pi * 300 * at)).astype(np.int16)


class ScriptedSource:
    """Keeps the frames; what was handed over leaves at its true speed, on the loop's clock."""

    def __init__(self) -> None:
        self.frames: list[tuple[float, bool]] = []  # when it leaves, and whether it is sound
        self.most_s = 0.0
        self._empty_at_s = 0.0

    @property
    def queued_duration(self) -> float:
        return max(0.0, self._empty_at_s - asyncio.get_running_loop().time())

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        now_s = asyncio.get_running_loop().time()
        leaves_s = max(self._empty_at_s, now_s)
        self.frames.append((leaves_s, any(frame.data)))
        self._empty_at_s = leaves_s + frame.samples_per_channel / frame.sample_rate
        self.most_s = max(self.most_s, self._empty_at_s - now_s)

    def sound(self) -> list[float]:
        return [at_s for at_s, loud in self.frames if loud]


@asynccontextmanager
async def pumping(source: ScriptedSource) -> AsyncIterator[Pump]:
    pump = Pump(source, asyncio.get_running_loop().time)
    running = asyncio.create_task(pump.run())
    try:
        yield pump
    finally:
        running.cancel()
        await asyncio.wait({running})


def test_what_is_said_leaves_when_the_microphone_says_it_did(virtual: asyncio.Runner) -> None:
    source = ScriptedSource()

    async def scene() -> Said:
        async with pumping(source) as pump:
            await asyncio.sleep(0.5)
            quiet = np.zeros(RATE_HZ // 10, np.int16)
            return await pump.say(np.concatenate([quiet, tone(0.3), quiet]))

    said = virtual.run(scene())
    assert said.first_s == pytest.approx(source.sound()[0], abs=1e-6)
    assert said.last_s == pytest.approx(source.sound()[-1] + 0.01, abs=1e-6)
    assert said.last_s - said.first_s == pytest.approx(0.3, abs=0.011)


def test_silence_is_written_all_the_time_and_never_far_ahead(virtual: asyncio.Runner) -> None:
    source = ScriptedSource()

    async def scene() -> None:
        async with pumping(source):
            await asyncio.sleep(2.0)

    virtual.run(scene())
    leaving = [at_s for at_s, _ in source.frames]
    assert np.allclose(np.diff(leaving), FRAME / RATE_HZ)
    assert not source.sound()
    assert source.most_s <= DEPTH_S + 1e-6


def test_a_writer_that_comes_late_leaves_no_gap_in_a_sound(virtual: asyncio.Runner) -> None:
    source = ScriptedSource()
    late_s = SAYING_S - 2 * FRAME / RATE_HZ

    async def hand_over_late(frame: rtc.AudioFrame) -> None:
        if len(source.sound()) == 40:
            await asyncio.sleep(late_s)
        await ScriptedSource.capture_frame(source, frame)

    async def scene() -> Said:
        source.capture_frame = hand_over_late  # type: ignore[method-assign]
        async with pumping(source) as pump:
            return await pump.say(tone(1.0))

    said = virtual.run(scene())
    assert np.allclose(np.diff(source.sound()), FRAME / RATE_HZ)
    assert said.last_s - said.first_s == pytest.approx(1.0, abs=0.011)


def test_who_says_something_waits_until_it_has_left(virtual: asyncio.Runner) -> None:
    async def scene() -> tuple[Said, float]:
        async with pumping(ScriptedSource()) as pump:
            return await pump.say(tone(1.0)), asyncio.get_running_loop().time()

    said, over_s = virtual.run(scene())
    assert over_s == pytest.approx(said.last_s, abs=0.011)


def test_two_sounds_asked_for_at_once_go_one_after_the_other(virtual: asyncio.Runner) -> None:
    async def scene() -> tuple[Said, Said]:
        async with pumping(ScriptedSource()) as pump:
            return await asyncio.gather(pump.say(tone(0.2)), pump.say(tone(0.1)))

    first, second = virtual.run(scene())
    assert second.first_s == pytest.approx(first.last_s, abs=1e-6)


def test_a_sound_that_is_called_off_breaks_off(virtual: asyncio.Runner) -> None:
    source = ScriptedSource()

    async def scene() -> None:
        async with pumping(source) as pump:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(pump.say(tone(5.0)), 0.3)
            await asyncio.sleep(1.0)

    virtual.run(scene())
    assert 0.3 <= len(source.sound()) * 0.01 <= 0.3 + SAYING_S + 0.01


def test_who_speaks_into_a_stopped_microphone_is_told(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with pumping(ScriptedSource()) as pump:
            saying = asyncio.create_task(pump.say(tone(5.0)))
            await asyncio.sleep(0.1)
        with pytest.raises(MicrophoneStopped):
            await saying
        with pytest.raises(MicrophoneStopped):
            await pump.say(tone(0.1))

    virtual.run(scene())


@pytest.mark.real
async def test_another_participant_hears_it_when_it_was_said(tmp_path: Path) -> None:
    heard = Heard()
    with livekit_server(tmp_path) as server:
        async with joined(server, "clinician-x") as speaker, joined(server, "agent-x") as other:
            track: asyncio.Future[rtc.Track] = asyncio.get_running_loop().create_future()
            other.on("track_subscribed", lambda found, *_: track.set_result(found))
            async with Microphone(speaker) as microphone, asyncio.timeout(HEARD_WITHIN_S):
                listening = asyncio.create_task(keep(heard, await track))
                said = []
                for seconds in (0.4, 0.2, 0.6):
                    await asyncio.sleep(0.6)  # over the 0.4 s of silence that make the next sound an onset
                    said.append(await microphone.say(tone(seconds)))
                while len(heard.onsets) < len(said):
                    await asyncio.sleep(0.05)
            listening.cancel()
            await asyncio.wait({listening})
    assert len(heard.onsets) == len(said)
    came_s = [heard.time_of(at) for at in heard.onsets]
    in_order = [at_s for each, heard_s in zip(said, came_s, strict=True) for at_s in (each.first_s, heard_s)]
    assert in_order == sorted(in_order), "heard after it was said, and before the next was"
    delays = [heard_s - each.first_s for each, heard_s in zip(said, came_s, strict=True)]
    assert min(delays) < 0.25  # a bare track takes 0.05 to 0.08 s here; the others may meet a busy core
    assert [each.last_s - each.first_s for each in said] == pytest.approx([0.4, 0.2, 0.6], abs=0.1)


@asynccontextmanager
async def joined(server: SfuServer, identity: str) -> AsyncIterator[rtc.Room]:
    async with Sfu(server.url, server.api_key, server.api_secret) as sfu:
        await sfu.create_room("microphone", "{}", Dispatch(agent_name="nobody", metadata=""))
    grants = api.VideoGrants(room_join=True, room="microphone")
    token = api.AccessToken(server.api_key, server.api_secret).with_identity(identity).with_grants(grants)
    room = rtc.Room()
    await room.connect(server.url, token.to_jwt())
    try:
        yield room
    finally:
        await room.disconnect()


async def keep(heard: Heard, track: rtc.Track) -> None:
    stream = rtc.AudioStream(track, sample_rate=RATE_HZ, num_channels=1, frame_size_ms=10)
    try:
        async for event in stream:
            pcm = np.frombuffer(event.frame.data, np.int16).copy()
            heard.add(pcm, asyncio.get_running_loop().time())
    finally:
        await stream.aclose()

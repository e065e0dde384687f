"""Which of the clinician's tracks is read, with tracks of the SDK and a stand-in for its room."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Final, cast

import numpy as np
import pytest
from livekit import rtc
from numpy.typing import NDArray

from realtime.ears import EARS_RATE_HZ
from realtime.room.livekit_room import Joined, LiveKitRoom, Microphone, MicrophoneChanged

ME: Final = "clinician-s-1"
FRAME: Final = EARS_RATE_HZ // 100

pytestmark = pytest.mark.timeout(20)


@dataclass
class Publication:
    """A published microphone; `level` is the sound on it, so that a test knows which one is read."""

    sid: str
    level: int
    muted: bool = False
    track: rtc.LocalAudioTrack | None = None
    kind: int = rtc.TrackKind.KIND_AUDIO
    source: int = rtc.TrackSource.SOURCE_MICROPHONE

    def __post_init__(self) -> None:
        self._sound = rtc.AudioSource(EARS_RATE_HZ, 1, 100)
        self.made = rtc.LocalAudioTrack.create_audio_track(self.sid, self._sound)

    async def sound(self) -> None:
        pcm = np.full(FRAME, self.level, np.int16).tobytes()
        try:
            while True:
                await self._sound.capture_frame(rtc.AudioFrame(pcm, EARS_RATE_HZ, 1, FRAME))
        finally:
            await self._sound.aclose()


@dataclass
class Participant:
    identity: str
    track_publications: dict[str, Publication] = field(default_factory=dict)


class LocalParticipant:
    """Takes the voice track and the commands' handler."""

    async def publish_track(self, track: rtc.LocalAudioTrack, options: object) -> SimpleNamespace:
        return SimpleNamespace(sid="TR_voice")

    def register_rpc_method(self, name: str, handler: object) -> None:
        pass


class Room(rtc.EventEmitter[str]):
    """As much of `rtc.Room` as the tracks and the chat need; events come as the SDK emits them."""

    def __init__(self) -> None:
        super().__init__()
        self.local_participant = LocalParticipant()
        self.remote_participants: dict[str, Participant] = {}
        self.handlers: dict[str, Callable[[rtc.TextStreamReader, str], None]] = {}

    def register_text_stream_handler(
        self, topic: str, handler: Callable[[rtc.TextStreamReader, str], None]
    ) -> None:
        self.handlers[topic] = handler

    def unregister_text_stream_handler(self, topic: str) -> None:
        del self.handlers[topic]


class Scene:
    """A room that is listened to, and a client with microphones."""

    def __init__(self, room: Room, ours: LiveKitRoom) -> None:
        self._room, self._ours = room, ours
        self.client = Participant(ME)
        self._levels: asyncio.Queue[int] = asyncio.Queue()

    def feed(self, pcm: NDArray[np.int16]) -> None:
        self._levels.put_nowait(int(pcm.max()))

    @property
    def subscribed(self) -> bool:
        return self._ours.subscribed

    def take(self) -> None:
        """Have the SFU say that somebody takes our track."""
        self._room.emit("local_track_subscribed", None)

    def publish(self, microphone: Publication) -> None:
        self.client.track_publications[microphone.sid] = microphone
        microphone.track = microphone.made
        self._room.emit("track_subscribed", microphone.track, microphone, self.client)

    def take_back(self, microphone: Publication) -> None:
        microphone.track = None
        self._room.emit("track_unsubscribed", microphone.made, microphone, self.client)
        del self.client.track_publications[microphone.sid]

    def mute(self, microphone: Publication, *, muted: bool = True) -> None:
        self._room.emit("track_muted" if muted else "track_unmuted", self.client, microphone)

    async def told(self) -> Microphone:
        match await self._ours.next_event():
            case MicrophoneChanged(state):
                return state
            case other:
                raise AssertionError(other)

    async def nothing_told(self) -> None:
        """Fail if an event waits: one of another participant, offered now, comes first."""
        self._room.emit("participant_connected", Participant("marker"))
        assert await self._ours.next_event() == Joined("marker")

    async def heard(self, microphone: Publication) -> None:
        """Wait until the sound of this microphone comes anew."""
        while not self._levels.empty():
            self._levels.get_nowait()
        while await self._levels.get() != microphone.level:
            pass


@asynccontextmanager
async def listened_to(*microphones: Publication) -> AsyncIterator[Scene]:
    async def on_command(caller: str, payload: str) -> str:
        raise AssertionError(caller)

    room = Room()
    sounding = [asyncio.create_task(each.sound()) for each in microphones]
    async with LiveKitRoom(cast("Any", room), on_command, clinician=ME) as ours:
        scene = Scene(room, ours)
        listening = asyncio.create_task(ours.listen(scene.feed))
        try:
            yield scene
        finally:
            tasks = [listening, *sounding]
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def test_the_first_microphone_may_go_while_the_second_is_heard() -> None:
    first, second = Publication("TR_1", 1_000), Publication("TR_2", 2_000)
    async with listened_to(first, second) as scene:
        scene.publish(first)
        assert await scene.told() is Microphone.ON
        await scene.heard(first)
        scene.publish(second)
        assert await scene.told() is Microphone.ON
        scene.take_back(first)
        await scene.heard(second)
        await scene.nothing_told()
        scene.take_back(second)
        assert await scene.told() is Microphone.OFF


async def test_mute_counts_of_the_microphone_that_is_heard_alone() -> None:
    first, second = Publication("TR_1", 1_000), Publication("TR_2", 2_000)
    async with listened_to(first, second) as scene:
        for microphone in (first, second):
            scene.publish(microphone)
            assert await scene.told() is Microphone.ON
        scene.mute(first)
        scene.mute(first, muted=False)
        await scene.nothing_told()
        scene.mute(second)
        assert await scene.told() is Microphone.MUTED
        scene.mute(second, muted=False)
        assert await scene.told() is Microphone.ON


async def test_a_mute_that_follows_a_new_microphone_at_once_stands() -> None:
    microphone = Publication("TR_1", 1_000)
    async with listened_to(microphone) as scene:
        scene.publish(microphone)
        scene.mute(microphone)
        assert await scene.told() is Microphone.MUTED
        await scene.heard(microphone)
        assert await scene.told() is Microphone.MUTED
        await scene.nothing_told()


async def test_the_first_microphone_is_heard_again_when_the_second_goes() -> None:
    first, second = Publication("TR_1", 1_000), Publication("TR_2", 2_000)
    async with listened_to(first, second) as scene:
        for microphone in (first, second):
            scene.publish(microphone)
            assert await scene.told() is Microphone.ON
        scene.take_back(second)
        assert await scene.told() is Microphone.ON
        await scene.heard(first)


async def test_that_somebody_took_our_track_is_known_from_then_on() -> None:
    async with listened_to() as scene:
        assert not scene.subscribed
        scene.take()
        assert scene.subscribed

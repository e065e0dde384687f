"""The one place that knows the rooms of the LiveKit SDK: a room as the voice sees it.

Callbacks of the SDK do one thing each: they turn the vendor's object into an event of ours and offer
it to a bounded queue. Commands are the exception: an RPC must be answered, so its handler is called.
"""

from __future__ import annotations

import asyncio
import enum
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from livekit import rtc
from numpy.typing import NDArray

from realtime import protocol
from realtime.ears import EARS_RATE_HZ
from realtime.room.positions import RATE_HZ

log = logging.getLogger(__name__)

NATIVE_QUEUE_MS: Final = 100  # the most audio that can be waiting in the SDK; the queue keeps it far lower
SEND_DEADLINE_S: Final = 5.0
MIC_FRAME_MS: Final = 20  # each wakes the process; the detector's windows are 4 ms later than with 10
MIC_FRAMES: Final = 100  # that may wait for us; the SDK drops the oldest
QUEUE_SIZE: Final = 256  # room events waiting; beats come four a second from one listener
CHATS: Final = 8  # chat messages that may wait to be read; beyond that the oldest goes unread
CHAT_EVERY_S: Final = 0.5  # no two are taken within this
CHAT_DEADLINE_S: Final = 5.0  # for the rest of one that began to come


class RoomGone(ConnectionError):
    """The room or the connection to it is gone; the job ends, and the watcher sends another."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A participant is in the room."""

    identity: str


@dataclass(frozen=True, slots=True)
class ParticipantLeft:
    """A participant is no longer in the room.

    `unexplained`: no reason was given, as when another connection takes its identity; that one's `Joined`
    follows at once then.
    """

    identity: str
    unexplained: bool = False


@dataclass(frozen=True, slots=True)
class Beaten:
    """A beat came from a participant."""

    identity: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Typed:
    """The clinician typed a message in the room's chat."""

    text: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The connection is over; nothing follows."""

    reason: str


class Microphone(enum.Enum):
    """What became of the clinician's microphone track."""

    ON = "on"
    MUTED = "muted"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class MicrophoneChanged:
    """The clinician's microphone came, fell mute, or went."""

    state: Microphone


RoomEvent = Joined | ParticipantLeft | Beaten | MicrophoneChanged | Typed | Closed
Feed = Callable[[NDArray[np.int16]], None]
CommandHandler = Callable[[str, str], Awaitable[str]]


class VoiceRoom(Protocol):
    """What a session needs of a room."""

    @property
    def track_sid(self) -> str:
        """Return the server's id of the voice track."""
        ...

    @property
    def before_us(self) -> frozenset[str]:
        """Return who was in the room when we came; of them, too, `Joined` is told."""
        ...

    @property
    def subscribed(self) -> bool:
        """Return whether somebody has taken the voice track since we published it."""
        ...

    async def next_event(self) -> RoomEvent:
        """Wait for the next event, in order."""
        ...

    async def listen(self, feed: Feed) -> None:
        """Give the clinician's microphone to `feed`, as 16 kHz mono, until cancelled."""
        ...

    async def read_chat(self) -> None:
        """Make events of what the clinician types in the chat, until cancelled. Raises: RoomGone."""
        ...

    async def send_state(self, text: str) -> None:
        """Send one message on `exaim.state` to everybody. Raises: RoomGone."""
        ...

    async def caption(self, segment_id: str, text: str, *, final: bool) -> None:
        """Send captions as LiveKit's own clients expect them. Raises: RoomGone."""
        ...

    async def set_agent_state(self, state: str) -> bool:
        """Set the attribute `lk.agent.state`; return whether the SFU confirmed it. Raises: RoomGone."""
        ...


class TrackSink:
    """`tts_queue.AudioSink` over the SDK's audio source.

    `starved_s` sums the times for which the source had nothing to send because we came late: what a
    busy machine did to the track, in seconds.
    """

    def __init__(self, source: rtc.AudioSource, now_s: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._now_s = now_s
        self._runs_dry_at_s: float | None = None
        self.starved_s = 0.0

    @property
    def queued_s(self) -> float:
        """Return how much audio was handed over and is not yet sent, in seconds."""
        return self._source.queued_duration

    async def write(self, pcm: NDArray[np.int16]) -> None:
        """Hand over one frame; waits while the native queue is full."""
        now_s = self._now_s()
        dry_at_s = now_s if self._runs_dry_at_s is None else self._runs_dry_at_s
        self.starved_s += max(0.0, now_s - dry_at_s)
        self._runs_dry_at_s = max(now_s, dry_at_s) + pcm.size / RATE_HZ
        await self._source.capture_frame(rtc.AudioFrame(pcm.tobytes(), RATE_HZ, 1, pcm.size))


async def _read(track: rtc.Track, feed: Feed) -> None:
    stream = rtc.AudioStream(
        track, sample_rate=EARS_RATE_HZ, num_channels=1, frame_size_ms=MIC_FRAME_MS, capacity=MIC_FRAMES
    )
    try:
        async for event in stream:
            feed(np.frombuffer(event.frame.data, np.int16))
    finally:
        await stream.aclose()


async def _typed(reader: rtc.TextStreamReader) -> str:
    """Return a chat message in one line. Raises: BadMessage: it is too long, or its end does not come."""
    text = ""
    try:
        async with asyncio.timeout(CHAT_DEADLINE_S):
            async for chunk in reader:
                text += chunk
                if len(text) > protocol.MAX_QUESTION_CHARS:
                    raise protocol.BadMessage("bad_message", "it is too long")
    except (TimeoutError, rtc.StreamError) as error:
        raise protocol.BadMessage("bad_message", "its end did not come") from error
    finally:
        reader.close()
    return " ".join(text.split())


class LiveKitRoom:
    """`VoiceRoom` over a connected `rtc.Room`. Use as an async context manager."""

    def __init__(self, room: rtc.Room, on_command: CommandHandler, *, clinician: str) -> None:
        """`clinician` is the one identity whose microphone is listened to, and whose chat is read."""
        self._room = room
        self._on_command = on_command
        self._clinician = clinician
        self._tracks: asyncio.Queue[rtc.Track | None] = asyncio.Queue(QUEUE_SIZE)
        self._events: asyncio.Queue[RoomEvent] = asyncio.Queue(QUEUE_SIZE)
        self._chats: asyncio.Queue[rtc.TextStreamReader] = asyncio.Queue(CHATS)
        self._source = rtc.AudioSource(RATE_HZ, 1, NATIVE_QUEUE_MS)
        self._track_sid = ""
        self._microphone_sid = ""  # of the track that is read
        self._microphone = Microphone.OFF
        self._before_us: frozenset[str] = frozenset()
        self._was_taken = False
        self.dropped = 0
        self.sink = TrackSink(self._source)

    async def __aenter__(self) -> LiveKitRoom:
        for name, callback in self._callbacks().items():
            self._room.on(name, callback)
        self._room.local_participant.register_rpc_method(protocol.RPC_METHOD, self._command)
        self._room.register_text_stream_handler(protocol.CHAT_TOPIC, self._chat)
        track = rtc.LocalAudioTrack.create_audio_track(protocol.TRACK_NAME, self._source)
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE, dtx=False, red=True)
        published = await self._room.local_participant.publish_track(track, options)
        self._track_sid = published.sid
        self._before_us = frozenset(each.identity for each in self._room.remote_participants.values())
        for participant in self._room.remote_participants.values():  # no SDK event
            self._joined(participant)
            for publication in participant.track_publications.values():
                self._published(publication, participant)
        return self

    async def __aexit__(self, *exc: object) -> None:
        for name, callback in self._callbacks().items():
            self._room.off(name, callback)
        self._room.unregister_text_stream_handler(protocol.CHAT_TOPIC)
        while not self._chats.empty():
            self._chats.get_nowait().close()
        log.info("the track was starved for %.2f s in all", self.sink.starved_s)
        await self._source.aclose()

    def _callbacks(self) -> dict[Any, Callable[..., None]]:
        return {
            "participant_connected": self._joined,
            "participant_disconnected": self._left,
            "data_received": self._data,
            "disconnected": self._closed,
            "local_track_subscribed": self._taken,
            "track_published": self._published,
            "track_subscribed": self._subscribed,
            "track_unsubscribed": self._unsubscribed,
            "track_muted": self._muted,
            "track_unmuted": self._unmuted,
        }

    @property
    def track_sid(self) -> str:
        """Return the server's id of the voice track."""
        return self._track_sid

    @property
    def before_us(self) -> frozenset[str]:
        """Return who was in the room when we came; of them, too, `Joined` is told."""
        return self._before_us

    @property
    def subscribed(self) -> bool:
        """Return whether somebody has taken the voice track since we published it."""
        return self._was_taken

    async def next_event(self) -> RoomEvent:
        """Wait for the next event, in order."""
        return await self._events.get()

    async def send_state(self, text: str) -> None:
        """Send one message on `exaim.state` to everybody. Raises: RoomGone."""
        await self._send(text, protocol.STATE_TOPIC, {})

    async def caption(self, segment_id: str, text: str, *, final: bool) -> None:
        """Send captions as LiveKit's own clients expect them. Raises: RoomGone."""
        attributes = {
            "lk.segment_id": segment_id,
            "lk.transcription_final": "true" if final else "false",
            "lk.transcribed_track_id": self._track_sid,
        }
        await self._send(text, protocol.TRANSCRIPTION_TOPIC, attributes)

    async def set_agent_state(self, state: str) -> bool:
        """Set the attribute `lk.agent.state`; return whether the SFU confirmed it. Raises: RoomGone."""
        if not self._room.isconnected():
            raise RoomGone("the room's connection is closed")
        try:
            async with asyncio.timeout(SEND_DEADLINE_S):
                await self._room.local_participant.set_attributes({protocol.AGENT_STATE_ATTRIBUTE: state})
        except TimeoutError:
            log.warning("the agent's state was not confirmed within %.0f s", SEND_DEADLINE_S)
            return False
        return True

    async def _send(self, text: str, topic: str, attributes: dict[str, str]) -> None:
        if not self._room.isconnected():
            raise RoomGone("the room's connection is closed")
        try:
            async with asyncio.timeout(SEND_DEADLINE_S):
                await self._room.local_participant.send_text(text, topic=topic, attributes=attributes)
        except (TimeoutError, rtc.StreamError) as error:
            raise RoomGone(f"nothing could be sent on {topic}") from error

    def _joined(self, participant: rtc.RemoteParticipant) -> None:
        self._offer(Joined(participant.identity))

    def _left(self, participant: rtc.RemoteParticipant) -> None:
        unexplained = participant.disconnect_reason in (None, rtc.DisconnectReason.DUPLICATE_IDENTITY)
        self._offer(ParticipantLeft(participant.identity, unexplained))

    def _closed(self, reason: object = None) -> None:
        self._offer(Closed(str(reason)))

    def _taken(self, track: rtc.Track) -> None:
        self._was_taken = True

    def _data(self, packet: rtc.DataPacket) -> None:
        if packet.topic == protocol.BEAT_TOPIC and packet.participant is not None:
            self._offer(Beaten(packet.participant.identity, packet.data))

    # --- the clinician's chat -------------------------------------------------------------------

    async def read_chat(self) -> None:
        """Turn the clinician's chat messages into events, in order; the chat says which is not taken."""
        while True:
            reader = await self._chats.get()
            try:
                text = await _typed(reader)
            except protocol.BadMessage as error:
                log.info("a chat message was not taken: %s", error)
                await self._send(protocol.NOT_TAKEN, protocol.CHAT_TOPIC, {})
            else:
                if text:
                    self._offer(Typed(text))
            await asyncio.sleep(CHAT_EVERY_S)

    def _chat(self, reader: rtc.TextStreamReader, identity: str) -> None:
        """Queue a chat message of the clinician; if the queue is full the oldest is dropped."""
        if identity != self._clinician:
            reader.close()
            return
        if self._chats.full():
            self._drop("a chat message")
            self._chats.get_nowait().close()
        self._chats.put_nowait(reader)

    # --- the clinician's microphone -------------------------------------------------------------

    async def listen(self, feed: Feed) -> None:
        """Pass the clinician's microphone to `feed`, as 16 kHz mono; the newest track counts."""
        async with asyncio.TaskGroup() as group:
            reading: asyncio.Task[None] | None = None
            while True:
                track = await self._tracks.get()
                if reading is not None:
                    reading.cancel()
                    await asyncio.wait({reading})
                reading = None if track is None else group.create_task(_read(track, feed), name="microphone")
                self._offer(MicrophoneChanged(self._microphone))  # it may have been muted since it came

    def _is_microphone(self, track: rtc.TrackPublication, participant: rtc.Participant) -> bool:
        """Return whether a track is the clinician's microphone: no screen's sound, and nobody else's."""
        sources = (rtc.TrackSource.SOURCE_MICROPHONE, rtc.TrackSource.SOURCE_UNKNOWN)
        return (
            participant.identity == self._clinician
            and track.kind == rtc.TrackKind.KIND_AUDIO
            and track.source in sources
        )

    def _published(self, track: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant) -> None:
        if self._is_microphone(track, participant):
            track.set_subscribed(True)

    def _subscribed(
        self, track: rtc.Track, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        if self._is_microphone(publication, participant):
            self._microphone_sid = publication.sid
            self._take(track, Microphone.MUTED if publication.muted else Microphone.ON)

    def _unsubscribed(
        self, track: rtc.Track, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        """Handle the end of a track; if it was read, read one that is left: a client may have two."""
        if publication.sid != self._microphone_sid:
            return
        for other in participant.track_publications.values():
            if other.track is not None and self._is_microphone(other, participant):
                self._subscribed(other.track, other, participant)
                return
        self._microphone_sid = ""
        self._take(None, Microphone.OFF)

    def _muted(self, participant: rtc.Participant, track: rtc.TrackPublication) -> None:
        self._switched(track, Microphone.MUTED)

    def _unmuted(self, participant: rtc.Participant, track: rtc.TrackPublication) -> None:
        self._switched(track, Microphone.ON)

    def _switched(self, track: rtc.TrackPublication, state: Microphone) -> None:
        if track.sid == self._microphone_sid:
            self._microphone = state
            self._offer(MicrophoneChanged(state))

    def _take(self, track: rtc.Track | None, state: Microphone) -> None:
        """Read `track` from now on. If the queue is full the oldest is dropped: only the newest counts."""
        self._microphone = state
        if self._tracks.full():
            self._tracks.get_nowait()
        self._tracks.put_nowait(track)

    def _offer(self, event: RoomEvent) -> None:
        """Queue an event. If the queue is full a new beat is dropped, for other events the oldest."""
        if self._events.full():
            dropped = event if isinstance(event, Beaten) else self._events.get_nowait()
            self._drop(type(dropped).__name__)
            if dropped is event:
                return
        self._events.put_nowait(event)

    def _drop(self, what: str) -> None:
        """Count what was dropped, and log each tenfold of it: a room may bring hundreds a second."""
        self.dropped += 1
        if str(self.dropped).strip("0") == "1":
            log.warning("%s of the room was dropped, as too many wait: %d so far", what, self.dropped)

    async def _command(self, call: rtc.RpcInvocationData) -> str:
        return await self._on_command(call.caller_identity, call.payload)

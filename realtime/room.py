"""The one place that knows the LiveKit SDK: a room as the voice sees it.

Callbacks of the SDK do one thing each: they turn the vendor's object into an event of ours and offer
it to a bounded lane. Commands are the exception: an RPC must be answered, so its handler is called.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from livekit import rtc
from numpy.typing import NDArray

from realtime import protocol
from realtime.positions import RATE_HZ

log = logging.getLogger(__name__)

NATIVE_QUEUE_MS: Final = 100  # the most audio that can be waiting in the SDK; the queue keeps it far lower
SEND_DEADLINE_S: Final = 5.0
LANE_SIZE: Final = 256  # room events waiting; beats come four a second from one listener


class RoomGone(ConnectionError):
    """The room or the connection to it is gone; the job ends, and the watcher sends another."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A participant is in the room."""

    identity: str


@dataclass(frozen=True, slots=True)
class Left:
    """A participant is no longer in the room."""

    identity: str


@dataclass(frozen=True, slots=True)
class Beaten:
    """A beat came from a participant."""

    identity: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Closed:
    """The connection is over; nothing follows."""

    reason: str


RoomEvent = Joined | Left | Beaten | Closed
CommandHandler = Callable[[str, str], Awaitable[str]]


class VoiceRoom(Protocol):
    """What a session needs of a room."""

    @property
    def track_sid(self) -> str:
        """Return the server's id of the voice track."""
        ...

    async def next_event(self) -> RoomEvent:
        """Wait for the next event, in order."""
        ...

    async def send_state(self, text: str) -> None:
        """Send one message on `exaim.state` to everybody. Raises: RoomGone."""
        ...

    async def caption(self, segment_id: str, text: str, *, final: bool) -> None:
        """Send captions as LiveKit's own clients expect them. Raises: RoomGone."""
        ...

    async def set_agent_state(self, state: str) -> None:
        """Set the attribute `lk.agent.state`. Raises: RoomGone."""
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


class LiveKitRoom:
    """`VoiceRoom` over a connected `rtc.Room`. Use as an async context manager."""

    def __init__(self, room: rtc.Room, on_command: CommandHandler) -> None:
        self._room = room
        self._on_command = on_command
        self._events: asyncio.Queue[RoomEvent] = asyncio.Queue(LANE_SIZE)
        self._source = rtc.AudioSource(RATE_HZ, 1, NATIVE_QUEUE_MS)
        self._track_sid = ""
        self.dropped = 0
        self.sink = TrackSink(self._source)

    async def __aenter__(self) -> LiveKitRoom:
        self._room.on("participant_connected", self._joined)
        self._room.on("participant_disconnected", self._left)
        self._room.on("data_received", self._data)
        self._room.on("disconnected", self._closed)
        self._room.local_participant.register_rpc_method(protocol.RPC_METHOD, self._command)
        track = rtc.LocalAudioTrack.create_audio_track(protocol.TRACK_NAME, self._source)
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE, dtx=False, red=True)
        publication = await self._room.local_participant.publish_track(track, options)
        self._track_sid = publication.sid
        for participant in self._room.remote_participants.values():  # whoever came before us makes no event
            self._joined(participant)
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._room.off("participant_connected", self._joined)
        self._room.off("participant_disconnected", self._left)
        self._room.off("data_received", self._data)
        self._room.off("disconnected", self._closed)
        log.info("the track was starved for %.2f s in all", self.sink.starved_s)
        await self._source.aclose()

    @property
    def track_sid(self) -> str:
        """Return the server's id of the voice track."""
        return self._track_sid

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

    async def set_agent_state(self, state: str) -> None:
        """Set the attribute `lk.agent.state`. Raises: RoomGone."""
        if not self._room.isconnected():
            raise RoomGone("the room's connection is closed")
        try:
            async with asyncio.timeout(SEND_DEADLINE_S):
                await self._room.local_participant.set_attributes({protocol.AGENT_STATE_ATTRIBUTE: state})
        except TimeoutError as error:
            raise RoomGone("the agent's state could not be set") from error

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
        self._offer(Left(participant.identity))

    def _closed(self, reason: object = None) -> None:
        self._offer(Closed(str(reason)))

    def _data(self, packet: rtc.DataPacket) -> None:
        if packet.topic == protocol.BEAT_TOPIC and packet.participant is not None:
            self._offer(Beaten(packet.participant.identity, packet.data))

    def _offer(self, event: RoomEvent) -> None:
        """Add an event. In a full lane a beat is dropped (the next says more); for others the oldest goes."""
        if self._events.full():
            self.dropped += 1
            if isinstance(event, Beaten):
                return
            self._events.get_nowait()
        self._events.put_nowait(event)

    async def _command(self, call: rtc.RpcInvocationData) -> str:
        return await self._on_command(call.caller_identity, call.payload)

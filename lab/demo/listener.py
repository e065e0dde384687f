"""A listener without a screen: joins a session as the clinician through the public API and the SFU.

It uses nothing that `docs/protocol.md` does not say, and no package that serves a session, so it is also an
example of how to write a client. What it heard is kept as it arrived, sample for sample.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx
import numpy as np
from livekit import rtc
from livekit.rtc.participant import PublishDataError
from numpy.typing import NDArray

from agents import keys
from lab.demo.microphone import Microphone

log = logging.getLogger("exaim.listener")

RATE_HZ: Final = 48_000
FRAME_SAMPLES: Final = 480
JOIN_DEADLINE_S: Final = 60.0  # a busy machine starts a voice late; how soon it is, `make bench` measures
COMMAND_DEADLINE_S: Final = 5.0
API_DEADLINE_S: Final = 10.0
ENDED_WITHIN_S: Final = 2.0  # the SDK's task of a room that the server closed
BEAT_PLAYING_S: Final = 0.25
BEAT_QUIET_S: Final = 1.0
SOUND_RMS: Final = 32768 * 10 ** (-50 / 20)  # protocol: a level above −50 dBFS is sound
SILENCE_BEFORE_ONSET: Final = int(0.4 * RATE_HZ)
LAST_SHOWN: Final = 12
TELLING: Final = ("phase", "kind", "text", "mode", "question", "reason")  # of a message, where it has them
LONGEST_S: Final = 1800.0  # of sound kept: half an hour, 173 MB


class ListenerError(Exception):
    """The listener could not do its work; the message says what was missing."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What the API gave for a session."""

    session_id: str
    room: str
    livekit_url: str
    token: str
    client_secret: str


@dataclass(frozen=True, slots=True)
class Received:
    """One message of the agent, and where in the sound heard so far it came."""

    type: str
    seq: int
    at_s: float  # this process's monotonic clock
    heard_sample: int
    body: dict[str, Any]


@dataclass(slots=True)
class Heard:
    """The sound as it arrived, and where sound began after silence (in samples from the first frame)."""

    frames: list[NDArray[np.int16]] = field(default_factory=list)
    arrived_s: list[float] = field(default_factory=list)
    samples: int = 0
    onsets: list[int] = field(default_factory=list)
    _quiet: int = SILENCE_BEFORE_ONSET

    def add(self, pcm: NDArray[np.int16], at_s: float) -> None:
        """Take the next frame."""
        loud = float(np.sqrt(np.mean(np.square(pcm.astype(np.float32))))) > SOUND_RMS
        if loud and self._quiet >= SILENCE_BEFORE_ONSET:
            self.onsets.append(self.samples)
        self._quiet = 0 if loud else self._quiet + pcm.size
        self.samples += pcm.size
        self.arrived_s.append(at_s)
        if self.samples <= LONGEST_S * RATE_HZ:
            self.frames.append(pcm)

    def pcm(self) -> NDArray[np.int16]:
        """Return all of it."""
        return np.concatenate(self.frames) if self.frames else np.zeros(0, np.int16)

    def time_of(self, sample: int) -> float:
        """Return when `sample` arrived, on this process's monotonic clock."""
        return self.arrived_s[min(sample // FRAME_SAMPLES, len(self.arrived_s) - 1)]


class Listener:
    """A clinician's client. Make it with `listen`."""

    def __init__(
        self, grant: Grant, room: rtc.Room, *, beats: bool, plays: bool, now_s: Callable[[], float]
    ) -> None:
        self.grant = grant
        self.heard = Heard()
        self.messages: list[Received] = []
        self.captions: list[str] = []
        self._room = room
        self._beats, self._plays = beats, plays
        self._now_s = now_s
        self._commands = 0
        self._changed = asyncio.Condition()
        self._readers: set[asyncio.Task[None]] = set()
        self._track: asyncio.Future[rtc.RemoteAudioTrack] = asyncio.get_running_loop().create_future()

    @property
    def agent(self) -> str:
        """Return the identity of the voice."""
        return f"agent-{self.grant.session_id}"

    @property
    def room(self) -> rtc.Room:
        """Return the room that was joined."""
        return self._room

    def microphone(self) -> Microphone:
        """Return the clinician's microphone in this room, to be used as an async context manager."""
        return Microphone(self._room, self._now_s)

    async def ready(self, device: str | None = None) -> dict[str, Any]:
        """Say that sound is heard from here on; `device`: a name of one's own, by which a return is known."""
        return await self.command("ready", **({"device": device} if device else {}))

    async def command(self, kind: str, **args: Any) -> dict[str, Any]:
        """Send one command and return its answer. Raises: ListenerError: none came in time."""
        self._commands += 1
        payload = json.dumps({"v": 1, "seq": self._commands, "kind": kind, "args": args})
        try:
            answer = await self._room.local_participant.perform_rpc(
                destination_identity=self.agent,
                method="exaim.command",
                payload=payload,
                response_timeout=COMMAND_DEADLINE_S,
                max_round_trip_latency=COMMAND_DEADLINE_S,
            )
        except rtc.RpcError as error:
            raise ListenerError(f"the voice did not answer {kind!r}: {error.message}") from error
        return dict(json.loads(answer))

    async def wait_for(
        self, wanted: Callable[[Received], bool], within_s: float, *, since: int = 0
    ) -> Received:
        """Return the first message that is wanted after the first `since`, past or to come.

        Raises: ListenerError: none in time.
        """
        try:
            async with asyncio.timeout(within_s), self._changed:
                while True:
                    for message in self.messages[since:]:
                        if wanted(message):
                            return message
                    since = max(since, len(self.messages))
                    await self._changed.wait()
        except TimeoutError:
            raise ListenerError(
                f"an awaited message did not come within {within_s:.0f} s; the last: {self._newest()}"
            ) from None

    async def until_all_is_said(self, within_s: float) -> None:
        """Wait until the closing was spoken and nothing else waits. Raises: ListenerError."""
        try:
            async with asyncio.timeout(within_s), self._changed:
                while not self._all_is_said():
                    await self._changed.wait()
        except TimeoutError:
            raise ListenerError(
                f"not all was said within {within_s:.0f} s; the last: {self._newest()}"
            ) from None

    def speaking(self) -> bool:
        """Return whether an utterance is being spoken now, by the last messages."""
        return "speaking" in self._phases().values()

    def _all_is_said(self) -> bool:
        told = self._utterances()
        closed = any(body["kind"] == "closing" for body in told.values())
        return closed and not {"queued", "speaking", "held"} & {body["phase"] for body in told.values()}

    def _newest(self) -> str:
        """Return what came last, oldest first, in a few words each."""
        return "; ".join(
            " ".join(
                str(part) for part in (each.type, *(each.body.get(name, "") for name in TELLING)) if part
            )
            for each in self.messages[-LAST_SHOWN:]
        )

    def _phases(self) -> dict[str, str]:
        return {uid: body["phase"] for uid, body in self._utterances().items()}

    def _utterances(self) -> dict[str, dict[str, Any]]:
        """Return each utterance as it was told of last; messages may be read out of order."""
        told: dict[str, dict[str, Any]] = {}
        for message in sorted(self.messages, key=lambda m: m.seq):
            bodies = message.body["utterances"] if message.type in ("snapshot", "past") else ()
            for body in (message.body,) if message.type == "utterance" else bodies:
                told[body["utterance_id"]] = body
        return told

    # --- tasks ----------------------------------------------------------------------------------

    async def _record(self) -> None:
        track = await self._track
        stream = rtc.AudioStream(track, sample_rate=RATE_HZ, num_channels=1, frame_size_ms=10)
        try:
            async for event in stream:
                pcm = np.frombuffer(event.frame.data, np.int16).copy()
                self.heard.add(pcm, self._now_s())
        finally:
            await stream.aclose()

    async def _beat(self) -> None:
        await self._track
        seq = 0
        while self._beats:
            seq += 1
            onset = self.heard.onsets[-1] if self.heard.onsets else None
            position = self.heard.samples if self._plays and self.heard.samples else None
            beat = {
                "v": 1,
                "seq": seq,
                "clock": "samples",
                "position": position,
                "onset": onset,
                "hidden": False,
            }
            with contextlib.suppress(PublishDataError):
                await self._room.local_participant.publish_data(
                    json.dumps(beat), reliable=False, topic="exaim.beat"
                )
            await asyncio.sleep(BEAT_PLAYING_S if self.speaking() else BEAT_QUIET_S)

    def on_track(
        self, track: rtc.Track, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        """Take the voice's track when it comes."""
        if participant.identity == self.agent and isinstance(track, rtc.RemoteAudioTrack):
            if not self._track.done():
                self._track.set_result(track)

    def on_state(self, reader: rtc.TextStreamReader, identity: str) -> None:
        """Take one message of the voice."""
        if identity == self.agent:
            self._read(self._take_state(reader))

    def on_caption(self, reader: rtc.TextStreamReader, identity: str) -> None:
        """Take a caption as any LiveKit client does."""
        if identity == self.agent and (reader.info.attributes or {}).get("lk.transcription_final") == "true":
            self._read(self._take_caption(reader))

    def _read(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work, name="listener-read")
        self._readers.add(task)
        task.add_done_callback(self._readers.discard)

    async def _take_state(self, reader: rtc.TextStreamReader) -> None:
        message = json.loads(await reader.read_all())
        received = Received(
            message["type"], message["seq"], self._now_s(), self.heard.samples, message["body"]
        )
        async with self._changed:
            self.messages.append(received)
            self._changed.notify_all()

    async def _take_caption(self, reader: rtc.TextStreamReader) -> None:
        self.captions.append(await reader.read_all())

    async def run(self) -> None:
        """Record and beat until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._record(), name="listener-record")
                group.create_task(self._beat(), name="listener-beat")
        finally:
            for task in self._readers:
                task.cancel()
            await asyncio.gather(*self._readers, return_exceptions=True)

    async def until_heard(self) -> None:
        """Wait until the voice's track sends frames. Raises: ListenerError."""
        try:
            async with asyncio.timeout(JOIN_DEADLINE_S):
                await self._track
                while not self.heard.samples:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise ListenerError(f"no voice in the room within {JOIN_DEADLINE_S:.0f} s") from None


@asynccontextmanager
async def talking_to(
    api_url: str, headers: Mapping[str, str] | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of the API. Raises: ListenerError: it gave no answer."""
    async with httpx.AsyncClient(base_url=api_url, timeout=API_DEADLINE_S, headers=headers) as client:
        try:
            yield client
        except httpx.HTTPError as error:
            raise ListenerError(f"the API at {api_url} gave no answer: {type(error).__name__}") from error


async def open_session(api_url: str, case_id: str, *, speed: float = 1.0) -> Grant:
    """Ask the API for a session. Raises: ListenerError: no answer, or it refused, with what it said."""
    async with talking_to(api_url, keys.headers(api_url)) as client:
        answer = await client.post("/sessions", json={"case_id": case_id, "speed": speed})
    if answer.status_code != 201:
        raise ListenerError(f"the API refused a session ({answer.status_code}): {answer.text}")
    body = answer.json()
    return Grant(body["session_id"], body["room"], body["livekit_url"], body["token"], body["client_secret"])


async def follow(page_url: str) -> Grant:
    """Redeem a live session's invitation, and get a token, as the page does. Raises: ListenerError."""
    link = urlsplit(page_url)
    given = {name: values[0] for name, values in parse_qs(link.fragment).items()}
    secret, path = secrets.token_urlsafe(32), f"/sessions/{given['session']}"
    async with talking_to(f"{link.scheme}://{link.netloc}") as client:
        code = {"Authorization": f"Bearer {given['invitation']}"}
        answer = await client.post(f"{path}/invitation", headers=code, json={"client_secret": secret})
        if answer.is_success:
            own = {"Authorization": f"Bearer {secret}"}
            answer = await client.post(f"{path}/token", headers=own)
    if not answer.is_success:
        raise ListenerError(f"the API refused the link ({answer.status_code}): {answer.text}")
    ticket = answer.json()
    return Grant(given["session"], ticket["room"], ticket["livekit_url"], ticket["token"], secret)


async def end_session(api_url: str, grant: Grant) -> None:
    """End a session; ending it again is no error. Raises: ListenerError: the API gave no answer."""
    async with talking_to(api_url, {"Authorization": f"Bearer {grant.client_secret}"}) as client:
        await client.post(f"/sessions/{grant.session_id}/end")


@asynccontextmanager
async def listen(
    grant: Grant, *, beats: bool = True, plays: bool = True, now_s: Callable[[], float] = time.monotonic
) -> AsyncIterator[Listener]:
    """Join the session's room and listen for as long as the block lasts.

    Without `beats` (and without sending `ready`) this is what the protocol calls a stock client. Without `plays` it
    is one that lets no sound out: its beats tell no position.
    Raises: ListenerError: the room could not be joined, or the voice did not come.
    """
    room = rtc.Room()
    listener = Listener(grant, room, beats=beats, plays=plays, now_s=now_s)
    room.on("track_subscribed", listener.on_track)
    room.register_text_stream_handler("exaim.state", listener.on_state)
    room.register_text_stream_handler("lk.transcription", listener.on_caption)
    before = asyncio.all_tasks()
    try:
        await room.connect(grant.livekit_url, grant.token)
    except rtc.ConnectError as error:
        raise ListenerError(f"the room at {grant.livekit_url} could not be joined: {error}") from error
    reading = {task for task in asyncio.all_tasks() - before if _reads_a_room(task)}
    running = asyncio.create_task(listener.run(), name="listener")
    try:
        await listener.until_heard()
        yield listener
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        await room.disconnect()
        if reading:  # the SDK waits for its own task only where the server has not closed the room
            await asyncio.wait(reading, timeout=ENDED_WITHIN_S)


def _reads_a_room(task: asyncio.Task[Any]) -> bool:
    return getattr(task.get_coro(), "__qualname__", "") == "Room._listen_task"

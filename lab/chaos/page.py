"""A clinician's page without a screen, that may be killed: `python -m lab.chaos.page`.

It reads an order as JSON from stdin, {"api_url", "session_id", "secret", "url", "token", "device"}, joins,
says `ready`, beats and listens, and comes back after a loss as the page in `web/` does: a fresh token, a new
room, `ready`. Where another takes its session it yields. {"leave": true} on stdin makes it leave as a reload
does; the end of stdin ends it. It tells on stdout, a JSON object a line, each with `at` (monotonic, s) and
`what`:

`up`, `joining`, `joined`, `ready`, `lost` (`why`), `refused` (`status`), `elsewhere`, `over`, `left`;
`track` and `untrack` (`sid`, `identity`); `sound` (`sid`, `from`, `to`), of every audio track in the room;
`utterance`, `segment`, `mode`, `notice` and `ended` with the message's `body` and `epoch`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import numpy as np
from livekit import rtc
from livekit.rtc.participant import PublishDataError

from lab.chaos.runs import Run, RunTeller
from lab.demo.listener import BEAT_PLAYING_S, BEAT_QUIET_S, RATE_HZ, SOUND_RMS

JOIN_WITHIN_S: Final = 15.0
RETRY_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0)  # as web/src/session.ts
READY_RETRY_S: Final = 1.0
READY_WITHIN_S: Final = 2.0
"""After the SFU was restarted the first request may be lost; LiveKit's own wait for its receipt is 7 s."""
ONSET_AFTER_S: Final = 0.4
GONE: Final = frozenset({404, 409, 410})
TOLD: Final = frozenset({"utterance", "segment", "mode", "notice", "ended"})


def tell(what: str, **more: Any) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps({"what": what, "at": time.monotonic(), **more}) + "\n")
    sys.stdout.flush()


@dataclass(slots=True)
class Ear:
    """What is played of one track: its samples so far, and where sound last began after silence."""

    sid: str
    samples: int = 0
    onset: int | None = None
    quiet: float = ONSET_AFTER_S * RATE_HZ
    runs: RunTeller = field(default_factory=RunTeller)

    def frame(self, pcm: np.ndarray[Any, np.dtype[np.int16]]) -> None:
        """Take the next frame."""
        loud = bool(float(np.sqrt(np.mean(np.square(pcm.astype(np.float32))))) > SOUND_RMS)
        if loud and self.quiet >= ONSET_AFTER_S * RATE_HZ:
            self.onset = self.samples
        self.quiet = 0 if loud else self.quiet + pcm.size
        self.samples += pcm.size
        self._tell(self.runs.frame(time.monotonic(), loud=loud))

    def end(self) -> None:
        """Tell what is left."""
        self._tell(self.runs.end())

    def _tell(self, run: Run | None) -> None:
        if run is not None:
            tell("sound", sid=self.sid, **{"from": run.from_s, "to": run.to_s})


class Visit:
    """One connection to the room, from joining to its loss."""

    def __init__(self, session_id: str, device: str) -> None:
        self.room = rtc.Room()
        self.gone: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.ended = False
        self._agent = f"agent-{session_id}"
        self._device = device
        self._ear: Ear | None = None
        self._wanted = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listening: dict[str, asyncio.Task[None]] = {}
        self._phases: dict[str, str] = {}
        self.room.on("track_subscribed", self._on_track)
        self.room.on("track_unsubscribed", self._off_track)
        self.room.on("reconnected", self._wanted.set)
        self.room.on("disconnected", self._on_gone)
        self.room.register_text_stream_handler("exaim.state", self._on_state)

    async def stay(self, url: str, token: str) -> int:
        """Join and stay until the connection is lost; return the SDK's reason. Raises: OSError."""
        tell("joining")
        try:
            async with asyncio.timeout(JOIN_WITHIN_S):
                await self.room.connect(url, token)
            tell("joined")
            self._start(self._beat())
            self._start(self._ready())
            return await self.gone
        except (TimeoutError, rtc.ConnectError) as error:
            raise ConnectionError("the room can't be joined") from error
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self.room.disconnect()

    def _start(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _on_gone(self, reason: Any = 0) -> None:
        if not self.gone.done():
            self.gone.set_result(int(reason or 0))

    def _on_track(
        self, track: rtc.Track, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        if isinstance(track, rtc.RemoteAudioTrack):
            tell("track", sid=publication.sid, identity=participant.identity)
            ear = Ear(publication.sid)
            if participant.identity == self._agent:
                self._ear = ear
                self._wanted.set()
            self._listening[publication.sid] = self._start(self._listen(track, ear))

    def _off_track(
        self, track: rtc.Track, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        """Stop listening: the SDK gives the receiver of a track that is gone to the next one."""
        tell("untrack", sid=publication.sid, identity=participant.identity)
        listening = self._listening.pop(publication.sid, None)
        if listening is not None:
            listening.cancel()

    async def _listen(self, track: rtc.RemoteAudioTrack, ear: Ear) -> None:
        stream = rtc.AudioStream(track, sample_rate=RATE_HZ, num_channels=1, frame_size_ms=10)
        try:
            async for event in stream:
                ear.frame(np.frombuffer(event.frame.data, np.int16))
        finally:
            ear.end()
            await stream.aclose()

    def _on_state(self, reader: rtc.TextStreamReader, identity: str) -> None:
        if identity == self._agent:
            self._start(self._take(reader))

    async def _take(self, reader: rtc.TextStreamReader) -> None:
        message = json.loads(await reader.read_all())
        kind, body = message["type"], message["body"]
        if kind == "utterance":
            self._phases[body["utterance_id"]] = body["phase"]
        self.ended |= kind == "ended"
        if kind in TOLD:
            tell(kind, body=body, epoch=message["epoch"])

    async def _beat(self) -> None:
        seq = 0
        while True:
            seq, ear = seq + 1, self._ear
            beat = {
                "v": 1,
                "seq": seq,
                "track_sid": ear.sid if ear else None,
                "clock": "samples",
                "position": ear.samples if ear and ear.samples else None,
                "onset": ear.onset if ear else None,
                "hidden": False,
            }
            with contextlib.suppress(PublishDataError):
                await self.room.local_participant.publish_data(
                    json.dumps(beat), reliable=False, topic="exaim.beat"
                )
            await asyncio.sleep(BEAT_PLAYING_S if "speaking" in self._phases.values() else BEAT_QUIET_S)

    async def _ready(self) -> None:
        """Say `ready` whenever there is a voice to hear anew, until it is answered."""
        seq = 0
        while await self._wanted.wait():
            self._wanted.clear()
            seq += 1
            args = {"device": self._device}
            payload = json.dumps({"v": 1, "seq": seq, "kind": "ready", "args": args})
            try:
                await self.room.local_participant.perform_rpc(
                    destination_identity=self._agent,
                    method="exaim.command",
                    payload=payload,
                    response_timeout=READY_WITHIN_S,
                    max_round_trip_latency=READY_WITHIN_S,
                )
                tell("ready")
            except rtc.RpcError:
                await asyncio.sleep(READY_RETRY_S)
                self._wanted.set()


async def attend(order: dict[str, str]) -> None:
    """Be the page of one session until it is over, or another has it."""
    token, attempt = order["token"], 0
    async with httpx.AsyncClient(base_url=order["api_url"], timeout=5.0) as api:
        while True:
            visit = Visit(order["session_id"], order["device"])
            try:
                reason = await visit.stay(order["url"], token)
            except OSError:
                reason = 0
            else:
                attempt = 0
            if visit.ended:
                return tell("over")
            if reason == rtc.DisconnectReason.DUPLICATE_IDENTITY:
                return tell("elsewhere")
            tell("lost", why=reason)
            while (fresh := await _fresh_token(api, order)) is None:
                await asyncio.sleep(RETRY_S[min(attempt, len(RETRY_S) - 1)])
                attempt += 1
            if not fresh:
                return tell("over")
            token = fresh


async def _fresh_token(api: httpx.AsyncClient, order: dict[str, str]) -> str | None:
    """Return a token, None if asking again may help, or "" if the session can't be entered any more."""
    try:
        answer = await api.post(
            f"/sessions/{order['session_id']}/token", headers={"Authorization": f"Bearer {order['secret']}"}
        )
    except httpx.HTTPError:
        tell("refused", status=0)
        return None
    if answer.status_code == httpx.codes.OK:
        return str(answer.json()["token"])
    tell("refused", status=answer.status_code)
    return "" if answer.status_code in GONE else None


async def main() -> None:
    """Wait for the order, attend, and go when told to."""
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(orders), sys.stdin
    )
    tell("up")
    line = await orders.readline()
    if not line:
        return
    attending = asyncio.create_task(attend(json.loads(line)), name="attend")
    await orders.readline()  # to leave, or the end of who started this
    attending.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await attending
    tell("left")


if __name__ == "__main__":
    asyncio.run(main())

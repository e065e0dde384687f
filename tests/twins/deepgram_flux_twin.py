"""A twin of Deepgram's Flux recogniser: the WebSocket at /v2/listen.

Its messages are built with `deepgram.listen.v2.types` (the installed client's own types, generated from
Deepgram's AsyncAPI description of `listen.v2`), whose docstrings also bound the parameters. The order of
events is that of the page "Understanding the Flux State Machine", the limits of keyterms those of "Keyterm
Prompting"; that a KeepAlive ends the connection is issue 649 of deepgram-python-sdk. It finds the turns by
loudness, and whoever starts it says how their words are recognised.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from aiohttp import WSMessage, WSMsgType, web
from deepgram.listen.v2.types import (
    ListenV2Connected,
    ListenV2FatalError,
    ListenV2TurnInfo,
    ListenV2TurnInfoWordsItem,
)
from numpy.typing import NDArray

from tests.twins.script import KEY

Pcm = NDArray[np.int16]
Recognise = Callable[[Pcm], str]

RATES: Final = {"8000", "16000", "24000", "44100", "48000"}
ENCODINGS: Final = {"linear16", "linear32", "mulaw", "alaw", "opus", "ogg-opus"}
NUMBERS: Final = {
    "eot_threshold": (0.5, 1.0),
    "eager_eot_threshold": (0.3, 0.9),
    "eot_timeout_ms": (500.0, 60_000.0),
}
KNOWN: Final = {"model", "encoding", "sample_rate", "keyterm", "mip_opt_out", "tag", *NUMBERS}
UPDATE_S: Final = 0.25
EAGER_S: Final = 0.2  # of silence
END_S: Final = 0.4
LOUD: Final = 10 ** (-45 / 20) * 32768


@dataclass
class Flux:
    """How the twin is to behave, and what came to it."""

    recognise: Recognise
    key: str = KEY
    mute: bool = False  # it stays connected and says nothing more
    fails_at_s: float | None = None  # of sound: then a fatal error
    timed: bool = True  # words have their times
    queries: list[list[tuple[str, str]]] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)  # samples
    events: list[str] = field(default_factory=list)
    closed_by_client: int = 0


class Refused(Exception):
    """The service would not take this."""


@asynccontextmanager
async def flux_twin(flux: Flux) -> AsyncIterator[str]:
    """Serve the twin on a free loopback port; yields its address."""

    async def listen(request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Token {flux.key}":
            return web.json_response(
                {"err_code": "INVALID_AUTH", "err_msg": "Invalid credentials."}, status=401
            )
        try:
            rate_hz = check_query(list(request.query.items()))
        except Refused as error:
            return web.json_response(
                {"err_code": "INVALID_QUERY_PARAMETER", "err_msg": str(error)}, status=400
            )
        flux.queries.append(list(request.query.items()))
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await _Session(flux, socket, rate_hz).run()
        return socket

    app = web.Application()
    app.router.add_get("/v2/listen", listen)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


def _refusal(status: int, code: str, message: str) -> web.Response:
    return web.json_response({"err_code": code, "err_msg": message}, status=status)


def check_query(query: list[tuple[str, str]]) -> int:
    """Return the sample rate. Raises: Refused."""
    given = dict(query)
    if unknown := given.keys() - KNOWN:
        raise Refused(f"unknown: {sorted(unknown)}")
    if given.get("model") not in ("flux-general-en", "flux-general-multi"):
        raise Refused("model")
    if given.get("encoding") not in ENCODINGS or given.get("sample_rate") not in RATES:
        raise Refused("raw audio wants encoding and sample_rate")
    for name, (least, most) in NUMBERS.items():
        if name in given and not least <= float(given[name]) <= most:
            raise Refused(name)
    if float(given.get("eager_eot_threshold", 0.3)) > float(given.get("eot_threshold", 0.7)):
        raise Refused("eager_eot_threshold is above eot_threshold")
    if given.get("mip_opt_out", "false") not in ("true", "false"):
        raise Refused("mip_opt_out")
    terms = [value for name, value in query if name == "keyterm"]
    if len(terms) > 100 or sum(len(term) for term in terms) > 2 * 500:  # 500 tokens, of two letters at least
        raise Refused("Keyterm limit exceeded. The maximum number of tokens across all keyterms is 500.")
    return int(given["sample_rate"])


@dataclass
class _Session:
    flux: Flux
    socket: web.WebSocketResponse
    rate_hz: int
    sound: Pcm = field(default_factory=lambda: np.zeros(0, np.int16))
    told_s: float = 0.0
    messages: int = 0
    turn: int = 0
    turn_from_s: float = 0.0
    began_s: float | None = None  # first and last loud moment of the turn
    loud_s: float = 0.0
    eager: bool = False
    words: list[ListenV2TurnInfoWordsItem] = field(default_factory=list)

    @property
    def now_s(self) -> float:
        return len(self.sound) / self.rate_hz

    async def run(self) -> None:
        await self._send(ListenV2Connected(request_id="twin", sequence_id=self._next()))
        try:
            async for message in self.socket:
                if not await self._take(message):
                    break
        except Refused as error:
            await self._fail("UNPARSABLE_CLIENT_MESSAGE", str(error))
        await self.socket.close()

    async def _take(self, message: WSMessage) -> bool:
        """Return whether the stream goes on. Raises: Refused."""
        if message.type is WSMsgType.TEXT:
            kind = json.loads(message.data).get("type")
            if kind != "CloseStream":
                raise Refused(f"{kind} is no message of Flux")
            self.flux.closed_by_client += 1
            return False
        if message.type is not WSMsgType.BINARY or len(message.data) % 2:
            raise Refused("linear16 has two bytes a sample")
        await self._hear(np.frombuffer(message.data, "<i2").astype(np.int16))
        if self.flux.fails_at_s is not None and self.now_s >= self.flux.fails_at_s:
            await self._fail("INTERNAL_SERVER_ERROR", "scripted")
            return False
        return True

    async def _hear(self, pcm: Pcm) -> None:
        self.flux.frames.append(len(pcm))
        self.sound = np.concatenate([self.sound, pcm])
        loud = np.flatnonzero(np.abs(pcm.astype(np.int32)) > LOUD)
        if len(loud):
            await self._voice(int(loud[0]) - len(pcm), int(loud[-1]) - len(pcm))
        silent_s = self.now_s - self.loud_s
        if self.began_s is not None and silent_s >= EAGER_S and not self.eager:
            self.eager = True
            await self._recognise()
            await self._tell("EagerEndOfTurn")
        elif self.began_s is not None and silent_s >= END_S:
            await self._tell("EndOfTurn", trigger="model")
            self.turn, self.turn_from_s = self.turn + 1, self.now_s
            self.began_s, self.eager, self.words = None, False, []
        elif self.now_s - self.told_s >= UPDATE_S:
            await self._tell("Update")

    async def _voice(self, first: int, last: int) -> None:
        at_s = self.now_s + first / self.rate_hz
        self.loud_s = self.now_s + last / self.rate_hz
        if self.began_s is None:
            self.began_s = at_s
            await self._tell("StartOfTurn")
        elif self.eager:
            self.eager = False
            await self._tell("TurnResumed")

    async def _recognise(self) -> None:
        """Spread the words of the turn evenly over its voice."""
        assert self.began_s is not None
        turn = self.sound[round(self.turn_from_s * self.rate_hz) :]
        words = (await asyncio.to_thread(self.flux.recognise, turn)).split()
        step_s = (self.loud_s - self.began_s) / max(1, len(words))
        times = [round(self.began_s + number * step_s, 3) for number in range(len(words) + 1)]
        self.words = [
            ListenV2TurnInfoWordsItem(
                word=word,
                confidence=0.9,
                start=times[number] if self.flux.timed else None,
                end=times[number + 1] if self.flux.timed else None,
            )
            for number, word in enumerate(words)
        ]

    async def _tell(self, event: str, trigger: str | None = None) -> None:
        self.told_s = self.now_s
        info = ListenV2TurnInfo(
            request_id="twin",
            sequence_id=self._next(),
            event=event,
            turn_index=self.turn,
            audio_window_start=self.turn_from_s,
            audio_window_end=self.now_s,
            transcript=" ".join(word.word for word in self.words),
            words=self.words,
            end_of_turn_confidence=0.8 if event in ("EagerEndOfTurn", "EndOfTurn") else 0.1,
            trigger=trigger,
        )
        self.flux.events.append(event)
        await self._send(info)

    async def _fail(self, code: str, description: str) -> None:
        await self._send(ListenV2FatalError(sequence_id=self._next(), code=code, description=description))

    async def _send(self, message: Any) -> None:
        if not self.flux.mute:
            await self.socket.send_str(message.model_dump_json(exclude_none=True))

    def _next(self) -> int:
        self.messages += 1
        return self.messages - 1

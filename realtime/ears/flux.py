"""Connect the transcriber to Deepgram Flux; only this module knows Deepgram's `listen.v2` client.

Imported only once it is chosen. Tried against a twin of the protocol (tests/twins/deepgram_flux_twin.py),
never against Deepgram. The figures are those of Deepgram's guide to Flux; its turns are its own affair here,
see `realtime.ears.transcript`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from deepgram import AsyncDeepgramClient
from deepgram.core.api_error import ApiError
from deepgram.environment import DeepgramClientEnvironment
from deepgram.listen.v2.client import AsyncV2Client
from deepgram.listen.v2.socket_client import AsyncV2SocketClient
from deepgram.listen.v2.types import ListenV2FatalError, ListenV2TurnInfo, ListenV2TurnInfoWordsItem
from numpy.typing import NDArray
from websockets.exceptions import WebSocketException

from realtime.ears.model import EARS_RATE_HZ
from realtime.ears.stream import LineLost
from realtime.ears.transcript import RecognisedWord, TranscriptNews

NAME: Final = "Deepgram Flux"
ADDRESS: Final = "https://api.deepgram.com"
CONNECT_WITHIN_S: Final = 5.0
CLOSE_WITHIN_S: Final = 1.0

logging.getLogger("websockets.client").setLevel(logging.INFO)  # below, it writes what was said

_MAY_PASS: Final = frozenset({408, 425, 429})  # of the 4xx: come again later
_OVER: Final = frozenset({"EagerEndOfTurn", "EndOfTurn"})


@dataclass(slots=True, kw_only=True)
class Flux:
    """How Deepgram is asked. To make one takes some 60 ms: its client reads certificates."""

    key: str = field(repr=False)
    keyterms: tuple[
        str, ...
    ] = ()  # words of the case; `realtime.conversation.case_words.keyterms` bounds them
    address: str = ADDRESS  # http or https, of a self-hosted one too
    model: str = "flux-general-en"
    eot_threshold: float = 0.7  # Deepgram's default
    eager_eot_threshold: float = 0.5  # without one Flux sends no EagerEndOfTurn; 0.3 to 0.9
    eot_timeout_ms: int = 5_000  # Deepgram's default
    _client: AsyncV2Client = field(init=False, repr=False)

    def __post_init__(self) -> None:
        client = AsyncDeepgramClient(api_key=self.key, environment=_environment(self.address))
        self._client = client.listen.v2

    @contextlib.asynccontextmanager
    async def dial(self) -> AsyncIterator[FluxLine]:
        """Connect; closed when the block ends. Raises: LineLost."""
        connection = self._client.connect(
            model=self.model,
            encoding="linear16",
            sample_rate=EARS_RATE_HZ,
            eot_threshold=self.eot_threshold,
            eager_eot_threshold=self.eager_eot_threshold,
            eot_timeout_ms=self.eot_timeout_ms,
            keyterm=list(self.keyterms) or None,
            mip_opt_out=True,  # what a clinician says trains nobody's model
        )
        async with contextlib.AsyncExitStack() as stack:
            with _translated():
                async with asyncio.timeout(CONNECT_WITHIN_S):
                    socket = await connection.__aenter__()
            stack.push_async_callback(_close, connection, socket)
            yield FluxLine(socket)


class FluxLine:
    """A connection to Flux."""

    def __init__(self, socket: AsyncV2SocketClient) -> None:
        self._socket = socket

    async def send(self, pcm: NDArray[np.int16]) -> None:
        """Send sound as linear16. Raises: LineLost."""
        with _translated():
            await self._socket.send_media(pcm.astype("<i2").tobytes())

    async def receive(self) -> TranscriptNews:
        """Return what is next said of a turn. Raises: LineLost."""
        while True:
            with _translated():
                message = await self._socket.recv()
            match message:
                case ListenV2TurnInfo():
                    with _translated():
                        return _news(message)
                case ListenV2FatalError():
                    raise LineLost(f"error {message.code}")
                case _:
                    pass  # Connected, warnings, and what later versions add


def _news(info: ListenV2TurnInfo) -> TranscriptNews:
    """Return a message as ours, its values converted: the client takes any JSON for what it should be."""
    return TranscriptNews(
        turn=int(info.turn_index),
        until_s=float(info.audio_window_end),
        words=tuple(_word(word) for word in info.words),
        over=info.event in _OVER,
        resumed=info.event == "TurnResumed",
    )


def _word(word: ListenV2TurnInfoWordsItem) -> RecognisedWord:
    if word.start is None or word.end is None:
        raise LineLost("gives no times of words, and turns are told apart by these", lasting=True)
    if not isinstance(word.word, str):
        raise LineLost("gives a word that is no text")
    return RecognisedWord(word.word, float(word.start), float(word.end), float(word.confidence))


async def _close(
    connection: contextlib.AbstractAsyncContextManager[AsyncV2SocketClient], socket: AsyncV2SocketClient
) -> None:
    """Say that no more comes, and close; a server that does not answer is left after a second."""
    with contextlib.suppress(TimeoutError, OSError, WebSocketException):
        async with asyncio.timeout(CLOSE_WITHIN_S):
            try:
                await socket.send_close_stream()
            finally:
                await connection.__aexit__(None, None, None)


def _environment(address: str) -> DeepgramClientEnvironment:
    stream = "ws" + address.removeprefix("http")  # http to ws, https to wss
    return DeepgramClientEnvironment(base=address, production=stream, agent=stream, agent_rest=address)


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Name what went wrong by its kind alone: the client's own messages may quote headers and texts."""
    try:
        yield
    except ApiError as error:
        status = error.status_code or 0
        lasting = 400 <= status < 500 and status not in _MAY_PASS
        mend = ": DEEPGRAM_API_KEY is not taken" if status in (401, 403) else ""
        raise LineLost(f"refused with status {status}{mend}", lasting=lasting) from None
    except LineLost:
        raise
    except Exception as error:  # whatever it is, the session goes on with the ears of this machine
        raise LineLost(type(error).__name__) from None

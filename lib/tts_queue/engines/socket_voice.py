"""Voice and ears in the engines process, reached over its Unix socket.

One connection carries many requests at once. A connection that breaks is made again with growing
pauses, and what was asked on it is asked again, until the request's deadline.
"""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tts_queue.engines import protocol
from tts_queue.engines.protocol import ErrorCode, Header, ProtocolError
from tts_queue.model import Clip, Pcm, Prosody
from tts_queue.ports import SpeechError, VoiceUnavailable

_RETRY_FIRST_S: Final = 0.05
_RETRY_MOST_S: Final = 0.8
_LASTING: Final = frozenset({ErrorCode.BAD_REQUEST, ErrorCode.UNKNOWN_OP, ErrorCode.NO_ENGINE})


class EngineUnavailable(SpeechError):
    """The engines process did not do what was asked."""

    def __init__(self, reason: str, *, retryable: bool = True) -> None:
        super().__init__(f"engines: {reason}")
        self.reason, self.retryable = reason, retryable


class _Broken(Exception):
    """The connection ended before its answer came."""


class EngineClient:
    """Requests to one engines process; close it with `aclose`, or use it as a context manager."""

    def __init__(self, socket_path: Path, deadline_s: float = 5.0) -> None:
        self._path, self._deadline_s = socket_path, deadline_s
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[tuple[Header, bytes]]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._connecting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def request(self, header: Header, payload: bytes = b"") -> tuple[Header, bytes]:
        """Send a request and return its answer. Cancelling takes it back.

        Raises: EngineUnavailable: refused, or no answer within the deadline.
        """
        try:
            async with asyncio.timeout(self._deadline_s):
                answer, sound = await self._until_answered(header, payload)
        except TimeoutError:
            raise EngineUnavailable(f"no answer within {self._deadline_s:g} s") from None
        error = answer.get("error")
        if error is None:
            return answer, sound
        raise EngineUnavailable(
            f"{error['code']}: {error['message']}", retryable=error["code"] not in _LASTING
        )

    async def aclose(self) -> None:
        """Close the connection; what still waits fails."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})
        await self._hang_up()

    async def _until_answered(self, header: Header, payload: bytes) -> tuple[Header, bytes]:
        pause_s = _RETRY_FIRST_S
        while True:
            try:
                return await self._once(header, payload)
            except (_Broken, OSError, ProtocolError):
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _RETRY_MOST_S)

    async def _once(self, header: Header, payload: bytes) -> tuple[Header, bytes]:
        writer = await self._connected()
        request_id = next(self._ids)
        answer: asyncio.Future[tuple[Header, bytes]] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = answer
        try:
            writer.write(protocol.encode({**header, "id": request_id}, payload))
            await writer.drain()
            return await answer
        except asyncio.CancelledError:
            if not writer.is_closing():
                writer.write(protocol.encode({"op": "cancel", "id": 0, "job": request_id}))
            raise
        finally:
            del self._waiting[request_id]

    async def _connected(self) -> asyncio.StreamWriter:
        async with self._connecting:
            if self._writer is None:
                await self._reap()
                reader, self._writer = await asyncio.open_unix_connection(str(self._path))
                self._reading = asyncio.create_task(self._read(reader), name="engine-answers")
            return self._writer

    async def _read(self, reader: asyncio.StreamReader) -> None:
        """Hand each answer to who waits for it, until the connection ends."""
        try:
            while (frame := await protocol.read_frame(reader)) is not None:
                waiting = self._waiting.get(frame[0].get("id", 0))
                if waiting is not None and not waiting.done():
                    waiting.set_result(frame)
        except ProtocolError:
            pass  # a connection of no use is as good as ended: the requests are sent again on a new one
        finally:
            writer, self._writer = self._writer, None
            if writer is not None:
                writer.close()
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(_Broken())

    async def _reap(self) -> None:
        if self._reading is not None:
            await asyncio.wait({self._reading})
            self._reading = None

    async def _hang_up(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


class SocketVoice:
    """A Voice in the engines process."""

    def __init__(self, socket_path: Path, deadline_s: float = 5.0) -> None:
        self._client = EngineClient(socket_path, deadline_s)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        """Return the sound of `text`. Raises: VoiceUnavailable."""
        request = {"op": "synthesise", "text": text, "prosody": protocol.prosody_to_json(prosody)}
        try:
            return protocol.clip_from_answer(*await self._client.request(request))
        except EngineUnavailable as error:
            raise VoiceUnavailable("engines", error.reason, retryable=error.retryable) from error
        except ProtocolError as error:
            raise VoiceUnavailable("engines", str(error)) from error

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()


class SocketEars:
    """A recogniser of whole turns in the engines process."""

    def __init__(self, socket_path: Path, deadline_s: float = 5.0) -> None:
        self._client = EngineClient(socket_path, deadline_s)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def transcribe(self, pcm: Pcm) -> str:
        """Return the words in 16 kHz mono sound. Raises: EngineUnavailable."""
        answer, _ = await self._client.request({"op": "transcribe"}, pcm.astype("<i2").tobytes())
        return str(answer.get("text", ""))

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()

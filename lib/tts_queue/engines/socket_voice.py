"""Voice and ears in the engines process, reached over its Unix socket.

One connection carries many requests at once. A connection that breaks is made again with growing
pauses, and what was asked on it is asked again, until the request's deadline.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tts_queue.engines import protocol
from tts_queue.engines.protocol import ErrorCode, Header, ProtocolError
from tts_queue.model import Clip, Part, Pcm, Prosody
from tts_queue.ports import EngineUnavailable, Opinion, Recognised, VoiceUnavailable, whole

_RETRY_FIRST_S: Final = 0.05
_RETRY_MOST_S: Final = 0.2  # to ask a socket that is not there costs nothing, to ask late is heard
_LASTING: Final = frozenset({ErrorCode.BAD_REQUEST, ErrorCode.UNKNOWN_OP, ErrorCode.NO_ENGINE})


class _Broken(Exception):
    """The connection ended before its answer came."""


class EngineClient:
    """Requests to one engines process; close it with `aclose`, or use it as a context manager."""

    def __init__(self, socket_path: Path, deadline_s: float = 5.0) -> None:
        self._path, self._deadline_s = socket_path, deadline_s
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Queue[tuple[Header, bytes] | None]] = {}
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
        """Send a request and return its answer of one frame. Cancelling takes it back.

        Raises: EngineUnavailable: refused, or no answer within the deadline.
        """
        async with aclosing(self.frames(header, payload)) as frames:
            async for frame in frames:
                return frame
        raise EngineUnavailable("no answer", away=True)

    async def frames(
        self, header: Header, payload: bytes = b""
    ) -> AsyncGenerator[tuple[Header, bytes], None]:
        """Send a request and yield the frames of its answer. Closing or cancelling takes it back.

        Raises: EngineUnavailable: refused, no frame within the deadline of one, or broken off after some.
        """
        began_s, pause_s = asyncio.get_running_loop().time(), _RETRY_FIRST_S
        while True:
            left_s = self._deadline_s - (asyncio.get_running_loop().time() - began_s)
            some = False
            try:
                async with aclosing(self._once(header, payload, left_s)) as frames:
                    async for frame in frames:
                        some = True
                        yield frame
            except (_Broken, OSError, ProtocolError):
                if some:
                    raise EngineUnavailable("the answer broke off", away=True) from None
            else:
                return
            if left_s <= pause_s:
                raise self._late()
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _RETRY_MOST_S)

    async def aclose(self) -> None:
        """Close the connection; what still waits fails."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})
        await self._hang_up()

    async def _once(
        self, header: Header, payload: bytes, first_within_s: float
    ) -> AsyncGenerator[tuple[Header, bytes], None]:
        request_id, more = next(self._ids), True
        answer: asyncio.Queue[tuple[Header, bytes] | None] = asyncio.Queue()  # bound: a clip's parts
        writer: asyncio.StreamWriter | None = None
        within_s = first_within_s
        try:
            async with asyncio.timeout(within_s):
                writer = await self._connected()
                self._waiting[request_id] = answer
                writer.write(protocol.encode({**header, "id": request_id}, payload))
                await writer.drain()
                frame = await answer.get()
            while more:
                more = _checked(frame)
                assert frame is not None
                yield frame
                if more:
                    async with asyncio.timeout(self._deadline_s):
                        frame = await answer.get()
        except TimeoutError:
            raise self._late() from None
        finally:
            self._waiting.pop(request_id, None)
            if more and writer is not None and not writer.is_closing():
                writer.write(protocol.encode({"op": "cancel", "id": 0, "job": request_id}))

    def _late(self) -> EngineUnavailable:
        return EngineUnavailable(f"no answer within {self._deadline_s:g} s", away=True)

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
                if waiting is not None:
                    waiting.put_nowait(frame)
        except ProtocolError:
            pass  # a connection of no use is as good as ended: the requests are sent again on a new one
        finally:
            writer, self._writer = self._writer, None
            if writer is not None:
                writer.close()
            for waiting in self._waiting.values():
                waiting.put_nowait(None)

    async def _reap(self) -> None:
        if self._reading is not None:
            await asyncio.wait({self._reading})
            self._reading = None

    async def _hang_up(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


def _checked(frame: tuple[Header, bytes] | None) -> bool:
    """Return whether more frames follow this one. Raises: EngineUnavailable: it is an error; _Broken."""
    if frame is None:
        raise _Broken
    error = frame[0].get("error")
    if error is not None:
        lasting = error["code"] in _LASTING
        raise EngineUnavailable(f"{error['code']}: {error['message']}", retryable=not lasting)
    return bool(frame[0].get("more", False))


class _Engine:
    """One engine in the engines process; close it with `aclose`, or use it as a context manager."""

    def __init__(self, socket_path: Path, deadline_s: float = 5.0) -> None:
        self._client = EngineClient(socket_path, deadline_s)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()


class SocketVoice(_Engine):
    """A Voice in the engines process."""

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        """Return the whole sound of `text`. Raises: VoiceUnavailable."""
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        """Yield the sound of `text` as it is made. Raises: VoiceUnavailable."""
        request = {"op": "synthesise", "text": text, "prosody": protocol.prosody_to_json(prosody)}
        part: Part | None = None
        try:
            async with aclosing(self._client.frames({**request, "urgent": urgent, "ahead": ahead})) as frames:
                async for header, payload in frames:
                    part = protocol.part_from_frame(header, payload, part)
                    yield part
        except EngineUnavailable as error:
            raise VoiceUnavailable(
                "engines", error.reason, retryable=error.retryable, away=error.away
            ) from error
        except ProtocolError as error:
            raise VoiceUnavailable("engines", str(error)) from error


class SocketEars(_Engine):
    """A recogniser of whole turns in the engines process."""

    async def transcribe(self, pcm: Pcm, *, short: bool = False) -> Recognised:
        """Return what is said in 16 kHz mono sound; `short`: and which closed word it is.

        Raises: EngineUnavailable.
        """
        request = {"op": "transcribe", "short": short}
        answer, _ = await self._client.request(request, pcm.astype("<i2").tobytes())
        try:
            return protocol.recognised_from_json(answer)
        except ProtocolError as error:
            raise EngineUnavailable(str(error)) from error

    async def opinion(self, pcm: Pcm, hints: str) -> Opinion:
        """Return what the second recogniser hears in 16 kHz mono sound, told to expect `hints`.

        Raises: EngineUnavailable; not retryable: there is no second recogniser.
        """
        answer, _ = await self._client.request({"op": "second", "hints": hints}, pcm.astype("<i2").tobytes())
        try:
            return protocol.opinion_from_json(answer)
        except ProtocolError as error:
            raise EngineUnavailable(str(error)) from error

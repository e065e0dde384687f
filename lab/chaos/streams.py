"""A user-space relay for TCP: the signalling's WebSocket, and media where UDP is blocked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from lab.chaos.frames import Change, NotWebSocket, Rewriter
from lab.chaos.impairment import Impairment, segment
from lab.chaos.media import Address

PIECE: Final = 16_384
MOST_WAITING: Final = 256  # pieces on their way in one direction; more are not read, and the sender waits
LOOK_EVERY_S: Final = 0.02  # at a dark network, for light
CONNECT_S: Final = 5.0

Pass = Callable[[bytes], bytes]


def _as_it_is(data: bytes) -> bytes:
    return data


@dataclass(slots=True)
class StreamRelay:
    """Relays TCP connections while its block lasts.

    A dark network holds what is on its way, and new connections, until there is light: it loses nothing, as
    TCP loses nothing. `to_server` and `to_client` change a WebSocket's words (see `lab.chaos.frames`).
    """

    impairment: Impairment
    listen: Address
    server: Address
    to_server: Change | None = None
    to_client: Change | None = None
    connections: int = 0
    _server: asyncio.Server | None = None
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> StreamRelay:
        self._server = await asyncio.start_server(self._serve, *self.listen)
        self.listen = self._server.sockets[0].getsockname()[:2]
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        seed = self.impairment.seed * 1_000 + 500 + 2 * self.connections
        self.connections += 1
        try:
            await self._both_ways(reader, writer, seed)
        except (OSError, NotWebSocket, TimeoutError):
            pass  # of this connection alone: its ends see that it is closed
        except asyncio.CancelledError:
            pass  # the relay ends; asyncio's server logs a cancelled handler as a failure
        finally:
            self._open.discard(task)
            await _close(writer)

    async def _both_ways(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seed: int) -> None:
        async with asyncio.timeout(CONNECT_S):
            far_reader, far_writer = await asyncio.open_connection(*self.server)
        up = Rewriter(self.to_server).feed if self.to_server else _as_it_is
        down = Rewriter(self.to_client).feed if self.to_client else _as_it_is
        ways = (
            asyncio.create_task(self._one_way(reader, far_writer, up, seed), name="relay-up"),
            asyncio.create_task(self._one_way(far_reader, writer, down, seed + 1), name="relay-down"),
        )
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for way in ways:
                way.cancel()
            far_writer.close()  # at once: a relay that ends cancels what waits here
            ends = await asyncio.gather(*ways, return_exceptions=True)
            await _close(far_writer)
        for end in ends:
            if isinstance(end, Exception):
                raise end

    async def _one_way(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, change: Pass, seed: int
    ) -> None:
        """Carry until the sender closes its end and all has arrived; then close it here.

        Raises: OSError, NotWebSocket.
        """
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(MOST_WAITING)
        ends = (
            asyncio.create_task(self._take(reader, change, seed, waiting), name="relay-take"),
            asyncio.create_task(_give(waiting, writer), name="relay-give"),
        )
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_EXCEPTION)
            for end in ends:
                if end.done():
                    end.result()
            writer.write_eof()
        finally:
            for end in ends:
                end.cancel()
            await asyncio.gather(*ends, return_exceptions=True)

    async def _take(
        self,
        reader: asyncio.StreamReader,
        change: Pass,
        seed: int,
        waiting: asyncio.Queue[tuple[float, bytes]],
    ) -> None:
        """Take until the sender closes its end, and say so. It waits where too much is on its way."""
        loop = asyncio.get_running_loop()
        number, last_s = 0, float("-inf")
        while data := await reader.read(PIECE):
            at_s = segment(self.impairment.now, seed, number, loop.time(), last_s)
            while at_s is None:
                await asyncio.sleep(LOOK_EVERY_S)
                at_s = segment(self.impairment.now, seed, number, loop.time(), last_s)
            number, last_s = number + 1, at_s
            await waiting.put((at_s, change(data)))
        await waiting.put((0.0, b""))


async def _give(waiting: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
    loop = asyncio.get_running_loop()
    while True:
        at_s, data = await waiting.get()
        if not at_s:
            return
        await asyncio.sleep(max(0.0, at_s - loop.time()))
        writer.write(data)
        await writer.drain()


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()

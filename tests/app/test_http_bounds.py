"""Who holds connections open, sends slowly or does not read loses them, and nobody else waits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from app.http_bounds import HttpLimits, bounded

HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"
WITHIN_S = 10.0
LARGE = 8 * 2**20


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer the size of the body, or much, or never."""
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body", False):
            break
    if scope["path"] == "/hangs":
        await asyncio.Event().wait()
    body = b"x" * LARGE if scope["path"] == "/large" else str(size).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for at in range(0, len(body), 2**16):
        await send({"type": "http.response.body", "body": body[at : at + 2**16], "more_body": True})
    await send({"type": "http.response.body", "body": b""})


Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Port:
    """Where the server is; hangs up in the end."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._lines: list[Line] = []

    async def dial(self, said: bytes = b"") -> Line:
        line = await asyncio.open_connection("127.0.0.1", self._number)
        self._lines.append(line)
        line[1].write(said)
        await line[1].drain()
        return line

    async def aclose(self) -> None:
        for _, writer in self._lines:
            writer.close()
        for _, writer in self._lines:
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


@asynccontextmanager
async def serving(limits: HttpLimits) -> AsyncIterator[Port]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            application,
            http=bounded(limits),
            ws="none",
            lifespan="off",
            log_config=None,
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve([listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        port = Port(listening.getsockname()[1])
        try:
            yield port
        finally:
            await port.aclose()
            server.should_exit = True
            await task


async def rest(line: Line) -> bytes:
    """Return what comes until the other side hangs up."""
    async with asyncio.timeout(WITHIN_S):
        try:
            return await line[0].read()
        except ConnectionError:
            return b""


async def asks(port: Port, path: str = "/") -> bytes:
    line = await port.dial(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    return await rest(line)


def refusal(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"]


async def test_a_head_that_never_ends_is_refused_in_time_however_it_trickles() -> None:
    async with serving(HttpLimits(head_s=0.3)) as port:
        line = await port.dial(HEAD)

        async def trickle() -> None:
            while not line[1].is_closing():
                line[1].write(b"X-More: yes\r\n")
                await asyncio.sleep(0.05)

        task = asyncio.create_task(trickle())
        answer = await rest(line)
        task.cancel()
    assert refusal(answer) == (408, "too_slow")


async def test_who_says_nothing_is_hung_up_on_before_and_after_an_answer() -> None:
    async with serving(HttpLimits(head_s=0.3)) as port:
        silent = await port.dial()
        kept = await port.dial(HEAD + b"\r\n")
        assert await rest(silent) == b""
        assert (await rest(kept)).startswith(b"HTTP/1.1 200")


async def test_a_second_head_on_one_connection_has_its_deadline_too() -> None:
    async with serving(HttpLimits(head_s=0.3)) as port:
        line = await port.dial(HEAD + b"\r\n")
        await line[0].readuntil(b"200")
        line[1].write(HEAD)
        answer = await rest(line)
    assert b" 408 " in answer


async def test_a_request_that_is_not_done_in_time_is_broken_off() -> None:
    async with serving(HttpLimits(request_s=0.3)) as port:
        hangs, body = (
            await port.dial(HEAD.replace(b"/ ", b"/hangs ") + b"\r\n"),
            await port.dial(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1"),
        )
        assert [await rest(hangs), await rest(body)] == [b"", b""]


async def test_who_does_not_read_is_broken_off() -> None:
    async with serving(HttpLimits(request_s=0.5)) as port:
        reader, writer = await port.dial(HEAD.replace(b"/ ", b"/large ") + b"\r\n")
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(1.0)  # its kernel's buffers are full long before
        reader._transport.resume_reading()  # type: ignore[attr-defined]
        found = await rest((reader, writer))
    assert len(found) < LARGE


async def test_of_too_many_connections_the_one_that_waited_longest_goes_and_all_who_ask_are_answered() -> (
    None
):
    async with serving(HttpLimits(connections=8, head_s=WITHIN_S)) as port:
        held = [await port.dial(HEAD) for _ in range(40)]
        answers = [await asks(port) for _ in range(5)]
        assert all(answer.startswith(b"HTTP/1.1 200") for answer in answers)
        assert await rest(held[0]) == b""
        held[-1][1].write(b"\r\n")  # the newest is still there
        assert await held[-1][0].readexactly(12) == b"HTTP/1.1 200"


async def test_slow_bodies_give_way_too_and_what_is_at_work_does_not() -> None:
    body = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1"
    async with serving(HttpLimits(connections=4)) as port:
        slow = [await port.dial(body) for _ in range(4)]
        await asyncio.sleep(0.1)
        assert (await asks(port)).startswith(b"HTTP/1.1 200")
        assert await rest(slow[0]) == b""
        for line in slow:
            line[1].close()
        working = [await port.dial(HEAD.replace(b"/ ", b"/hangs ") + b"\r\n") for _ in range(4)]
        await asyncio.sleep(0.1)
        over = await rest(await port.dial())
        assert refusal(over) == (429, "too_many_connections")
        assert b"retry-after: 2" in over.lower()
        assert not any(reader.at_eof() for reader, _ in working)


@pytest.mark.parametrize("said", [b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"GET /\r\n\r\n", b"G" * 70_000])
async def test_what_is_no_http_is_refused_in_the_form_of_all_refusals(said: bytes) -> None:
    async with serving(HttpLimits()) as port:
        assert refusal(await rest(await port.dial(said))) == (400, "bad_request")

"""One question to a part, answered within a second: is it ready, and later: does it still work?

Asked over and over, the second finds what is stuck: a process that is stopped, or whose loop waits for ever, still
has its sockets, and the kernel accepts connections for it; so each probe wants an answer, or a sign of life.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from tts_queue.engines.protocol import ProtocolError, encode, read_frame

Probe = Callable[[], Awaitable[bool]]
ANSWER_S: Final = 1.0  # a ready part answers in milliseconds; a slower one is asked again
Answer = TypeVar("Answer")


def pings(socket: Path) -> Probe:
    """A store on a Unix socket that answers PING; one that is still loading its file says LOADING."""

    async def ask() -> bool:
        opened = asyncio.open_unix_connection(str(socket))
        return await _exchange(opened, b"PING\r\n", _read_line) == b"+PONG\r\n"

    return ask


def answers_http(url: str) -> Probe:
    """A server that answers a GET of `url` with 200. Its certificate is not checked: it is our child."""
    parts = urlsplit(url)
    tls = _unasked() if parts.scheme == "https" else None
    request = (
        f"GET {parts.path or '/'} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode()
    )

    async def ask() -> bool:
        opened = asyncio.open_connection(parts.hostname, parts.port or 80, ssl=tls)
        line = await _exchange(opened, request, _read_line)
        return line is not None and line.split(b" ")[1:2] == [b"200"]

    return ask


def _unasked() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def says_hello(socket: Path) -> Probe:
    """An engines process that answers `hello` without an error."""

    async def ask() -> bool:
        opened = asyncio.open_unix_connection(str(socket))
        return await _exchange(opened, encode({"id": 1, "op": "hello"}), _greets) or False

    return ask


def is_there(file: Path) -> Probe:
    """A part that makes a file once it is ready (`Settings.announce_ready`)."""

    async def ask() -> bool:
        return file.exists()

    return ask


def beats(file: Path) -> Probe:
    """A part that touches a file each second (`app.heartbeat`). Yes if it did since it was asked last."""
    seen_ns: int | None = None

    async def ask() -> bool:
        nonlocal seen_ns
        try:
            now_ns = file.stat().st_mtime_ns
        except OSError:
            return False
        before_ns, seen_ns = seen_ns, now_ns
        return now_ns != before_ns

    return ask


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    return await reader.readline()


async def _greets(reader: asyncio.StreamReader) -> bool:
    frame = await read_frame(reader)
    return frame is not None and "error" not in frame[0]


async def _exchange(
    opened: Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]],
    question: bytes,
    read: Callable[[asyncio.StreamReader], Awaitable[Answer]],
) -> Answer | None:
    """Connect, ask, read; None if there is no answer within ANSWER_S."""
    try:
        async with asyncio.timeout(ANSWER_S):
            reader, writer = await opened
            try:
                writer.write(question)
                return await read(reader)
            finally:
                writer.transport.abort()
    except (OSError, TimeoutError, ProtocolError):
        return None

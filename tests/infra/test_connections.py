from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Connection, Redis, SSLConnection, UnixDomainSocketConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import DataError, MaxConnectionsError
from redis.exceptions import TimeoutError as RedisTimeoutError

from infra.connections import pool

BIG = b"x" * 4_000_000  # more than a socket takes at once
TIMEOUT_S = 0.2


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def serving(path: Path, serve: Serve, timeout_s: float = TIMEOUT_S) -> AsyncIterator[Redis]:
    """Yield a client of a server that goes by `serve` once the client has introduced itself."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while introduced := (await reader.read(1000)).count(b"SETINFO"):
            writer.write(b"+OK\r\n" * introduced)
        await serve(reader, writer)
        writer.close()

    server = await asyncio.start_unix_server(greet, path, limit=1)
    client = Redis.from_pool(pool(f"unix://{path}", protocol=2, socket_timeout=timeout_s))
    try:
        yield client
    finally:
        await client.aclose()
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize(
    "command",
    [
        ("GET", "a"),
        ("CONFIG GET", "save"),
        ("SET", "ä\0", b"\xff", 7, 0.5),
        ("EVALSHA", "sha", 1, BIG),
        ("X", ""),
    ],
)
def test_a_command_is_packed_as_by_the_library(command: tuple[Any, ...]) -> None:
    ours = pool("redis://localhost").make_connection()  # type: ignore[no-untyped-call]
    assert ours.pack_command(*command) == [b"".join(Connection().pack_command(*command))]


@pytest.mark.parametrize("value", [None, True, object()])
def test_what_has_no_bytes_is_refused(value: object) -> None:
    with pytest.raises(DataError):
        pool("redis://localhost").make_connection().pack_command("SET", "a", value)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("redis://somewhere:1234/2", Connection),
        ("rediss://somewhere", SSLConnection),
        ("unix:///a/socket?db=2", UnixDomainSocketConnection),
    ],
)
def test_the_url_says_what_kind_of_socket_and_goes_before_the_defaults(url: str, kind: type) -> None:
    made = pool(url, db=7)
    assert issubclass(made.connection_class, kind)
    assert made.connection_kwargs["db"] == (7 if kind is SSLConnection else 2)


def test_another_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="redis://"):
        pool("http://somewhere")


async def test_what_the_socket_does_not_take_at_once_arrives_whole(store: Redis) -> None:
    await asyncio.gather(*(store.set(f"big-{n}", BIG) for n in range(3)))
    assert [await store.strlen(f"big-{n}") for n in range(3)] == [len(BIG)] * 3


async def test_a_command_that_the_socket_takes_needs_no_task_of_its_own(store: Redis) -> None:
    assert await store.ping()
    made: list[object] = []

    def counting(loop: asyncio.AbstractEventLoop, coro: Any, **options: Any) -> asyncio.Task[Any]:
        made.append(coro)
        return asyncio.Task(coro, loop=loop, **options)

    loop = asyncio.get_running_loop()
    loop.set_task_factory(counting)
    try:
        assert await store.ping()
    finally:
        loop.set_task_factory(None)
    assert made == []


@pytest.mark.parametrize("value", [b"small", BIG])
async def test_a_server_that_reads_nothing_is_given_up(tmp_path: Path, value: bytes) -> None:
    over = asyncio.Event()

    async def deaf(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await over.wait()

    async with serving(tmp_path / "deaf", deaf) as client:
        with pytest.raises(RedisTimeoutError):
            await client.set("a", value)
        over.set()


async def test_a_big_command_and_its_answer_have_a_deadline_each(tmp_path: Path) -> None:
    timeout_s = 1.0  # what is left of it has to be enough for a busy machine

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.6 * timeout_s)
        while not (await reader.read(len(BIG))).endswith(b"x\r\n"):
            pass
        await asyncio.sleep(0.6 * timeout_s)
        writer.write(b"+OK\r\n")

    async with serving(tmp_path / "slow", slow, timeout_s) as client:
        assert await client.set("a", BIG)


async def test_a_connection_that_was_idle_is_asked_for_a_sign_of_life(store: Redis) -> None:
    path = store.connection_pool.connection_kwargs["path"]
    async with Redis.from_pool(pool(f"unix://{path}", health_check_interval=0.01)) as client:
        await client.get("a")
        await store.config_resetstat()
        await asyncio.sleep(0.02)
        await client.get("a")
    assert (await store.info("commandstats"))["cmdstat_ping"]["calls"] == 1


async def test_a_connection_that_the_server_has_closed_is_made_anew(store: Redis) -> None:
    assert await store.ping()
    path = store.connection_pool.connection_kwargs["path"]
    async with Redis.from_pool(pool(f"unix://{path}")) as other:
        await other.execute_command("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes")  # type: ignore[no-untyped-call]
    assert await store.ping()


async def test_a_command_that_is_cancelled_leaves_its_answer_to_nobody(store: Redis) -> None:
    waiting = asyncio.ensure_future(store.blpop(["list"], timeout=10))
    while not (await store.info("clients"))["blocked_clients"]:
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await store.rpush("list", "for nobody")
    assert await store.ping()
    assert await store.lrange("list", 0, -1) == ["for nobody"]


async def test_a_connection_comes_back_however_its_command_ends(tmp_path: Path, store: Redis) -> None:
    path = store.connection_pool.connection_kwargs["path"]
    async with Redis.from_pool(pool(f"unix://{path}", max_connections=1)) as client:
        for _ in range(3):
            assert await client.ping()
            with pytest.raises(Exception, match="wrong number"):
                await client.execute_command("GET")  # type: ignore[no-untyped-call]
        with pytest.raises(MaxConnectionsError):
            await asyncio.gather(client.blpop(["none"], timeout=0.05), client.ping())
    async with Redis.from_pool(pool(f"unix://{tmp_path}/none", max_connections=1)) as client:
        for _ in range(3):
            with pytest.raises(RedisConnectionError, match="none"):
                await client.ping()

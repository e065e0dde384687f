from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from infra.keys import SessionKeys
from infra.leases import Fence, Lease
from infra.streams import SessionStreams
from tests.infra.making import events
from tests.servers import StoreServer

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]


@asynccontextmanager
async def worker(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a duelist that has begun to write; kill it if it is left."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "lib")])}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.infra.duelist",
        url,
        cwd=ROOT,
        env=environ,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert await line(process) == "writing"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(20.0):
        return (await process.stdout.readline()).decode().strip()


async def successor(store: Redis, keys: SessionKeys) -> Fence:
    """Take the lease over once it has run out."""
    lease = Lease(store, keys, "reason")
    async with asyncio.timeout(20.0):
        while (fence := await lease.acquire()) is None:
            await asyncio.sleep(0.01)
    return fence


async def test_a_worker_that_was_paused_writes_nothing_once_it_wakes(
    store: Redis, store_server: StoreServer, keys: SessionKeys
) -> None:
    streams = SessionStreams(store, keys)
    async with worker(store_server.url) as paused:
        await streams.read_events(block_ms=5_000)
        paused.send_signal(signal.SIGSTOP)
        fence = await successor(store, keys)
        last = await streams.last_event_seq()
        await streams.append_events(events(last + 1, last + 3), fence)
        paused.send_signal(signal.SIGCONT)
        assert await line(paused) == "fenced", "and it knows by its own clock, too"
        assert await paused.wait() == 3
    epochs = [each.epoch for each in await streams.read_events(count=10_000)]
    assert epochs == [1] * (last + 1) + [2] * 3
    assert await streams.last_event_seq() == last + 3


async def test_a_worker_that_was_killed_is_followed_without_a_gap(
    store: Redis, store_server: StoreServer, keys: SessionKeys
) -> None:
    streams = SessionStreams(store, keys)
    async with worker(store_server.url) as killed:
        await streams.read_events(block_ms=5_000)
        killed.kill()
        await killed.wait()
    fence = await successor(store, keys)
    last = await streams.last_event_seq()
    await streams.append_events(events(last + 1, last + 1), fence)
    logged = await streams.read_events(count=100_000)
    assert [each.event.seq for each in logged] == list(range(last + 2))

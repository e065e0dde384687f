"""A server that forgets its scripts, is away, dies, or is full."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from infra.checkpoints import RedisSaver
from infra.errors import StoreUnavailable
from infra.store import connect
from tests.checkpoints.making import chain, config, following, put, steps, there
from tests.servers import StoreServer, valkey


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[StoreServer]:
    """A store that the test may kill."""
    with valkey(tmp_path) as server:
        yield server


async def test_a_server_that_forgot_its_scripts_is_taught_them_again(saver: RedisSaver, store: Redis) -> None:
    last = await chain(saver, 2)
    await store.script_flush()
    last = await put(saver, {"step": 3}, after=last)
    await store.script_flush()
    await saver.aput_writes(last.config, [("c", 1)], "task")
    await store.script_flush()
    assert await steps(saver) == [3, 2, 1]


@pytest.mark.real
async def test_a_store_that_is_gone_raises_and_is_never_an_empty_thread(own_server: StoreServer) -> None:
    client = Redis(unix_socket_path=str(own_server.plan.socket), retry=Retry(NoBackoff(), 0))
    saver = RedisSaver(client)
    last = await chain(saver, 1)
    own_server.crash()
    for call in (
        saver.aget_tuple(config()),
        saver.aput(*following(saver, {"step": 2}, after=last)),
        saver.aput_writes(last.config, [("c", 1)], "task"),
        saver.adelete_thread("t-1"),
        saver.adelete_for_runs(["run"]),
        steps(saver),
    ):
        with pytest.raises(StoreUnavailable):
            await call
    await client.aclose()


@pytest.mark.real
async def test_nothing_acknowledged_is_lost_when_the_server_is_killed(own_server: StoreServer) -> None:
    client = connect(own_server.url)
    saver = RedisSaver(client, keep=0)
    acknowledged: list[int] = []
    enough = asyncio.Event()

    async def writing() -> None:
        last = await put(saver, {"step": 0, "a": "x" * 2000})
        while True:
            step = len(acknowledged) + 1
            await saver.aput_writes(last.config, [("step", step)], f"task-{step}")
            last = await put(saver, {"step": step}, after=last)
            acknowledged.append(step)
            if step == 50:
                enough.set()

    writer = asyncio.create_task(writing())
    await enough.wait()
    own_server.crash()
    writer.cancel()
    with pytest.raises((asyncio.CancelledError, StoreUnavailable)):
        await writer
    own_server.start()
    found = [each async for each in saver.alist(config())]
    there_now = [each.checkpoint["channel_values"]["step"] for each in found]
    assert there_now[there_now.index(acknowledged[-1]) :] == [*reversed(acknowledged), 0]
    assert {each.checkpoint["channel_values"]["a"] for each in found} == {"x" * 2000}
    written = [each.pending_writes for each in reversed(found)][: len(acknowledged)]
    assert written == [[(f"task-{step}", "step", step)] for step in acknowledged]
    await client.aclose()


@pytest.mark.real
async def test_a_server_that_is_away_for_a_moment_is_not_noticed(own_server: StoreServer) -> None:
    client = connect(own_server.url)
    saver = RedisSaver(client)
    last = await chain(saver, 2)
    own_server.crash()
    own_server.start()
    await put(saver, {"step": 3}, after=last)
    assert await steps(saver) == [3, 2, 1]
    await client.aclose()


@pytest.mark.real
async def test_a_full_store_refuses_and_the_thread_stays_whole(own_server: StoreServer) -> None:
    client = connect(own_server.url)
    saver = RedisSaver(client, keep=0)
    last = await chain(saver, 2)
    used = int((await client.info("memory"))["used_memory"])
    await client.config_set("maxmemory", used + 2_000_000)
    with pytest.raises(StoreUnavailable, match="memory"):
        for step in range(3, 100):
            last = await put(saver, {"step": step, "big": "x" * 200_000}, after=last)
    whole = await steps(saver)
    assert whole == list(range(len(whole), 0, -1))
    await client.config_set("maxmemory", 0)
    await put(saver, {"step": len(whole) + 1}, after=last)
    assert len(await steps(saver)) == len(whole) + 1
    await client.aclose()


async def test_a_put_that_is_cancelled_is_cancelled(saver: RedisSaver) -> None:
    last = await chain(saver, 1)
    for turns in range(30):
        putting = asyncio.create_task(saver.aput(*following(saver, {"step": 2}, after=last)))
        for _ in range(turns):
            await asyncio.sleep(0)
        if putting.cancel():
            with pytest.raises(asyncio.CancelledError):
                await putting
    assert (await there(saver, config())).checkpoint["channel_values"]["step"] in {1, 2}

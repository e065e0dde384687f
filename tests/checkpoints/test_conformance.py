"""LangGraph's own suite, on every kind of server."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability
from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster

from infra.checkpoints import RedisSaver
from infra.checkpoints.scripts import Client
from infra.embedded.ports import LOOPBACK, Transport, choose
from infra.errors import Fenced, TornSession
from infra.keys import SessionKeys
from infra.leases import Fence
from infra.store import connect
from tests.checkpoints.making import THREAD, chain, config, put, steps, there
from tests.checkpoints.servers import cluster, redis_server, running

ALL_TESTS = 81  # of langgraph-checkpoint-conformance 0.0.2, in 8 capabilities


async def conforms(client: Client) -> None:
    """Run the suite: a capability that it does not detect is one that it skips, and none must be."""

    @checkpointer_test(name="RedisSaver")
    async def fresh() -> AsyncGenerator[RedisSaver, None]:
        yield RedisSaver(client)

    report = await validate(fresh)
    assert [failure for result in report.results.values() for failure in result.failures] == []
    assert {name for name, result in report.results.items() if result.detected} == set(Capability)
    assert sum(result.tests_passed for result in report.results.values()) == ALL_TESTS


async def works(client: Client) -> None:
    """Go once through what depends on the server: trimming, damage, copying to another slot, all threads."""
    saver = RedisSaver(client, keep=3)
    last = await chain(saver, 8, fixed="ä \0 ö")
    await saver.aput_writes(last.config, [("c", b"\xff\0")], "task")
    await saver.acopy_thread(THREAD, "another slot")
    copied = await there(saver, config("another slot"))
    assert (copied.checkpoint, copied.pending_writes) == (last.checkpoint, [("task", "c", b"\xff\0")])
    assert await steps(saver) == [8, 7, 6]
    for run in ("one", "two"):
        await put(saver, {"step": 1}, at=config(f"thread of {run}"), run_id=run)
    await saver.adelete_for_runs(["one", "two"])
    threads = {each.config["configurable"]["thread_id"] async for each in saver.alist(None)}
    assert threads == {THREAD, "another slot"}
    await fenced(client)
    await client.delete(f"exaim:checkpoints:{{{THREAD}}}:blobs")
    with pytest.raises(TornSession):
        await there(saver, config())


async def fenced(client: Client) -> None:
    """Compare a fence in the thread's own slot, and read from another one under it."""
    session, fence = SessionKeys("fenced", "s-1"), Fence("voice", 1, "1:a")
    await client.set(session.name("fence:voice"), fence.token)
    holder = RedisSaver(client, fence=fence, session=session)
    await chain(holder, 2, at=config("fenced"))
    await holder.acopy_thread(THREAD, "fenced")
    await client.set(session.name("fence:voice"), "2:b")
    with pytest.raises(Fenced):
        await chain(holder, 1, at=config("fenced"))


async def test_the_whole_suite_passes_on_the_embedded_store(store: Redis) -> None:
    await conforms(store)
    await store.flushall()
    await works(store)


async def test_a_client_that_does_not_decode_does_as_well(store: Redis) -> None:
    connection = store.connection_pool.connection_kwargs["path"]
    async with Redis(unix_socket_path=connection, protocol=3) as client:
        await conforms(client)
        await client.flushall()
        await works(client)


@pytest.fixture
def redis_port(tmp_path: Path) -> Iterator[int]:
    binary = redis_server()
    port = choose(tmp_path / "ports.json", [("redis", Transport.TCP)])["redis"]
    with running(binary, tmp_path / "redis", port):
        yield port


@pytest.mark.real
async def test_the_whole_suite_passes_on_debians_redis(redis_port: int) -> None:
    client = connect(f"redis://{LOOPBACK}:{redis_port}")
    await conforms(client)
    await client.flushall()
    await works(client)
    await client.aclose()


@pytest.fixture
def cluster_port(tmp_path: Path) -> Iterator[int]:
    with cluster(tmp_path) as port:
        yield port


@pytest.mark.real
async def test_the_whole_suite_passes_on_a_cluster_of_three(cluster_port: int) -> None:
    async with RedisCluster(LOOPBACK, cluster_port) as client:
        await conforms(client)
        await client.flushall(target_nodes=RedisCluster.PRIMARIES)
        await works(client)

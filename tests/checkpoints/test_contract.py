"""What LangGraph relies on and its conformance suite does not ask."""

from __future__ import annotations

import asyncio
from typing import TypedDict

import pytest
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT
from langgraph.graph import END, START, StateGraph
from redis.asyncio import Redis

from infra.checkpoints import CheckpointFromTheFuture, RedisSaver
from infra.checkpoints.ids import later
from tests.checkpoints.gated import GatedRedis
from tests.checkpoints.making import chain, config, following, id_of, put, there


async def test_task_writes_come_back_in_the_order_in_which_a_live_run_applies_them(saver: RedisSaver) -> None:
    where = (await chain(saver, 1)).config
    await saver.aput_writes(where, [("c", 1), ("c", 2)], "a-task", "~pull, zeta")
    await saver.aput_writes(where, [("c", 3)], "z-task", "~pull, alpha")
    await saver.aput_writes(where, [("c", n) for n in range(4, 16)], "m-task", "~pull, middle")
    await saver.aput_writes(where, [("c", 16)], "n-task")
    await saver.aput_writes(where, [("c", 17), (ERROR, "e"), (INTERRUPT, "i")], "b-task", "~pull, zeta")
    found = (await there(saver, where)).pending_writes
    assert found is not None
    assert [value for _, _, value in found] == [16, 3, *range(4, 16), 1, 2, "i", "e", 17]


async def test_a_task_write_that_is_there_stays_but_for_special_ones(saver: RedisSaver) -> None:
    where = (await chain(saver, 1)).config
    for value in ("first", "second"):
        await saver.aput_writes(where, [("c", value)], "task", "path")
        await saver.aput_writes(where, [(INTERRUPT, value)], "task", "path")
    found = await there(saver, where)
    assert found.pending_writes == [("task", INTERRUPT, "second"), ("task", "c", "first")]


async def test_task_writes_may_come_before_their_checkpoint(saver: RedisSaver) -> None:
    ready = following(saver, {"step": 1})
    await saver.aput_writes(config(checkpoint_id=ready[1]["id"]), [("c", 1)], "task")
    assert await saver.aget_tuple(config()) is None
    where = await saver.aput(*ready)
    assert (await there(saver, where)).pending_writes == [("task", "c", 1)]


async def test_a_fork_leaves_the_older_branch_as_it_was(saver: RedisSaver) -> None:
    first = await put(saver, {"step": 1, "a": "first"})
    old = await put(saver, {"step": 2, "a": "old branch"}, after=first)
    new = await put(saver, {"step": 2, "a": "new branch"}, after=first)
    assert (await there(saver, old.config)).checkpoint["channel_values"] == {"step": 2, "a": "old branch"}
    assert (await there(saver, new.config)).checkpoint["channel_values"] == {"step": 2, "a": "new branch"}
    assert (await there(saver, config())).checkpoint["id"] == new.checkpoint["id"]


async def test_many_tasks_may_write_at_once(saver: RedisSaver) -> None:
    where = (await chain(saver, 1)).config
    tasks = [f"task-{n:02}" for n in range(24)]
    async with asyncio.TaskGroup() as group:
        for task in tasks:
            group.create_task(saver.aput_writes(where, [("c", task)], task))
    found = await there(saver, where)
    assert found.pending_writes == [(task, "c", task) for task in tasks]


async def test_every_key_of_a_thread_is_renewed_by_each_write_and_by_no_reading(store: Redis) -> None:
    saver = RedisSaver(store, ttl_s=100)
    last = await chain(saver, 2, unchanged="of step 1")
    keys = await store.keys("*")
    for write in (
        lambda: put(saver, {"step": 3}, after=last),
        lambda: saver.aput_writes(last.config, [("c", 1)], "task"),
    ):
        for key in keys:
            await store.pexpire(key, 5_000)
        await there(saver, config())
        assert {await store.ttl(key) <= 5 for key in keys} == {True}
        await write()
        assert {95 <= await store.ttl(key) <= 100 for key in keys} == {True}


async def test_a_shorter_time_to_live_holds_from_the_next_write_on(store: Redis) -> None:
    last = await chain(RedisSaver(store, ttl_s=1000), 1)
    await put(RedisSaver(store, ttl_s=100), {"step": 2}, after=last)
    assert {await store.ttl(key) for key in await store.keys("*")} <= {99, 100}


async def test_a_checkpoint_waits_for_the_task_writes_that_it_was_made_of(store: Redis) -> None:
    client = GatedRedis(store, "put_writes")
    saver = RedisSaver(client)
    parent = await chain(saver, 1)
    client.ran.clear()
    client.gate.clear()
    async with asyncio.TaskGroup() as group:
        group.create_task(saver.aput_writes(parent.config, [("step", 2)], "task"))
        await client.arrived.wait()
        child = group.create_task(saver.aput(*following(saver, {"step": 2}, after=parent)))
        await chain(RedisSaver(store), 20, at=config("t-2"))  # gives the child forty round trips' time
        assert not child.done()
        client.gate.set()
    assert client.ran == ["put_writes", "put"]


async def test_a_write_that_is_cancelled_holds_up_no_checkpoint(store: Redis) -> None:
    client = GatedRedis(store, "put_writes")
    saver = RedisSaver(client)
    parent = await chain(saver, 1)
    client.gate.clear()
    writing = asyncio.create_task(saver.aput_writes(parent.config, [("step", 2)], "task"))
    await client.arrived.wait()
    child = asyncio.create_task(saver.aput(*following(saver, {"step": 2}, after=parent)))
    writing.cancel()
    assert id_of(await child)
    with pytest.raises(asyncio.CancelledError):
        await writing


class Counted(TypedDict):
    steps: int


async def test_in_a_graph_the_writes_of_a_step_land_before_its_checkpoint(store: Redis) -> None:
    client = GatedRedis(store, "put_writes", turns=200)
    builder = StateGraph(Counted)
    for name, before in (("one", START), ("two", "one"), ("three", "two")):
        builder.add_node(name, lambda state: {"steps": state["steps"] + 1})
        builder.add_edge(before, name)
    builder.add_edge("three", END)
    graph = builder.compile(checkpointer=RedisSaver(client))
    await graph.ainvoke({"steps": 0}, config(), durability="sync")
    ran = [each for each in client.ran if each != "get"]
    assert ran[-7:] == ["put", "put_writes", "put", "put_writes", "put", "put_writes", "put"]


async def test_an_id_from_a_clock_that_is_behind_is_refused_and_nothing_is_written(saver: RedisSaver) -> None:
    last = await chain(saver, 1)
    ahead = later(last.checkpoint["id"], by_s=60)
    assert ahead is not None
    newest = await put(saver, {"step": 2}, after=last, checkpoint_id=f"{ahead}-8000-000000000000")
    with pytest.raises(CheckpointFromTheFuture, match="clock") as refused:
        await put(saver, {"step": 3}, after=newest)
    assert refused.value.newest_id == newest.checkpoint["id"]
    assert (await there(saver, config())).checkpoint["channel_values"] == {"step": 2}


async def test_versions_rise_and_two_branches_never_come_to_the_same(saver: RedisSaver) -> None:
    first = saver.get_next_version(None)
    second, other = saver.get_next_version(first), saver.get_next_version(first)
    assert first < second
    assert first < other
    assert second != other
    assert saver.get_next_version(999) > saver.get_next_version(9)  # a thread that came from another saver


async def test_the_synchronous_methods_name_the_ones_to_await(saver: RedisSaver) -> None:
    for name in (
        "get_tuple",
        "put",
        "put_writes",
        "list",
        "delete_thread",
        "delete_for_runs",
        "copy_thread",
        "prune",
    ):
        with pytest.raises(NotImplementedError, match=f"await a{name}"):
            getattr(saver, name)()


@pytest.mark.parametrize("thread_id", ["", "a{b", "a}b"])
async def test_a_thread_id_that_would_spoil_the_slot_is_refused(saver: RedisSaver, thread_id: str) -> None:
    with pytest.raises(ValueError, match="thread id"):
        await saver.aget_tuple(config(thread_id))


async def test_a_nul_in_a_name_is_refused(saver: RedisSaver) -> None:
    with pytest.raises(ValueError, match="NUL"):
        await put(saver, {"step": 1}, at=config(ns="a\0b"))
    with pytest.raises(ValueError, match="NUL"):
        await put(saver, {"a\0b": 1})

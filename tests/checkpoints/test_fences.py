"""A successor's lease stops its predecessor's graph."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypedDict

import pytest
from langgraph.graph import START, StateGraph
from redis.asyncio import Redis

from infra.checkpoints import RedisSaver
from infra.errors import Fenced
from infra.keys import SessionKeys
from infra.leases import Fence, Lease
from tests.checkpoints.making import THREAD, chain, config, following, put, steps

SESSION = SessionKeys(THREAD, "s-1")
RUN = "run-1"

WRITES: dict[str, Callable[[RedisSaver], Awaitable[object]]] = {
    "put": lambda saver: saver.aput(*following(saver, {"step": 9})),
    "put_writes": lambda saver: saver.aput_writes(config(checkpoint_id="c-1"), [("c", 1)], "task"),
    "delete_thread": lambda saver: saver.adelete_thread(THREAD),
    "delete_for_runs": lambda saver: saver.adelete_for_runs([RUN]),
    "prune": lambda saver: saver.aprune([THREAD]),
    "prune to nothing": lambda saver: saver.aprune([THREAD], strategy="delete"),
    "copy": lambda saver: saver.acopy_thread("t-2", THREAD),
}


async def taken(store: Redis) -> Fence:
    """Take the voice lease, over from whoever holds it."""
    await store.delete(SESSION.name("lease:voice"))  # as if it had run out
    fence = await Lease(store, SESSION, "voice").acquire()
    assert fence is not None
    return fence


async def everything(store: Redis) -> list[bytes]:
    """Return all that the threads have in the store."""
    keys = sorted(map(str, await store.keys("exaim:checkpoints:*")))
    return [await store.execute_command("DUMP", key, NEVER_DECODE=True) for key in keys]  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("write", WRITES)
async def test_a_holder_writes_and_a_former_one_is_refused(store: Redis, write: str) -> None:
    await chain(RedisSaver(store), 1, at=config("t-2"))
    holder = RedisSaver(store, fence=await taken(store), session=SESSION)
    first = await put(holder, {"step": 1}, run_id=RUN)
    await put(holder, {"step": 2}, after=first, run_id=RUN)
    await taken(store)
    before = await everything(store)
    with pytest.raises(Fenced, match="voice"):
        await WRITES[write](holder)
    assert await everything(store) == before
    await WRITES[write](RedisSaver(store, fence=await taken(store), session=SESSION))


async def test_reading_needs_no_lease(store: Redis) -> None:
    former = RedisSaver(store, fence=await taken(store), session=SESSION)
    await chain(former, 2)
    await taken(store)
    assert await steps(former) == [2, 1]


async def test_a_fence_of_which_only_the_number_fits_is_refused(store: Redis) -> None:
    fence = await taken(store)
    lookalike = RedisSaver(store, fence=replace(fence, token=f"{fence.epoch}:else"), session=SESSION)
    with pytest.raises(Fenced):
        await chain(lookalike, 1)


async def test_a_session_that_has_expired_fences_its_holder(store: Redis) -> None:
    holder = RedisSaver(store, fence=await taken(store), session=SESSION)
    await store.delete(*SESSION.lasting)
    with pytest.raises(Fenced):
        await chain(holder, 1)


async def test_a_fenced_saver_serves_its_sessions_thread_only(store: Redis) -> None:
    await chain(RedisSaver(store), 1, at=config("t-2"))
    holder = RedisSaver(store, fence=await taken(store), session=SESSION)
    await put(holder, {"step": 1}, run_id=RUN)
    for refused in (
        holder.aget_tuple(config("t-2")),
        holder.adelete_thread("t-2"),
        holder.acopy_thread(THREAD, "t-2"),
    ):
        with pytest.raises(ValueError, match="guards thread t-1, not t-2"):
            await refused
    found = [each.config["configurable"]["thread_id"] async for each in holder.alist(None)]
    assert found == [THREAD]


async def test_a_fence_alone_guards_nothing(store: Redis) -> None:
    with pytest.raises(ValueError, match="come together"):
        RedisSaver(store, fence=await taken(store))
    with pytest.raises(ValueError, match="come together"):
        RedisSaver(store, session=SESSION)


class Said(TypedDict):
    said: list[str]


async def test_a_fenced_graph_runs_no_further_node(store: Redis) -> None:
    ran: list[str] = []

    async def one(state: Said) -> Said:
        ran.append("one")
        await taken(store)  # by a successor, while this node runs
        return {"said": ["one"]}

    async def two(state: Said) -> Said:
        ran.append("two")
        return {"said": ["two"]}

    builder = StateGraph(Said)
    builder.add_node("one", one)
    builder.add_node("two", two)
    builder.add_edge(START, "one")
    builder.add_edge("one", "two")
    saver = RedisSaver(store, fence=await taken(store), session=SESSION)
    graph = builder.compile(checkpointer=saver)
    with pytest.raises(Fenced):
        await graph.ainvoke({"said": []}, config(), durability="sync")
    assert ran == ["one"]
    assert (await graph.aget_state(config())).next == ("one",)

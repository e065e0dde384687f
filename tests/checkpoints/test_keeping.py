"""What stays of a thread, and what goes with what goes."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis

from infra.checkpoints import RedisSaver
from infra.checkpoints.keys import ThreadKeys
from tests.checkpoints.making import THREAD, chain, config, following, put, steps, there

KEYS = ThreadKeys(THREAD).declared
MARKERS = 1  # one in each key


async def entries(store: Redis) -> dict[str, int]:
    """Return how many entries each key of the thread has besides its marker."""
    sets = {"ids", "pending"}
    found = {}
    for key in KEYS:
        name = key.rpartition(":")[2]
        found[name] = await (store.zcard(key) if name in sets else store.hlen(key)) - MARKERS
    return found


async def test_the_newest_checkpoints_stay_whole(store: Redis) -> None:
    saver = RedisSaver(store, keep=5)
    last = await chain(saver, 13, fixed="of step 1")
    assert await steps(saver) == [13, 12, 11, 10, 9]
    await put(saver, {"step": 14}, after=last)  # a quarter more may stay until they go together
    assert await steps(saver) == [14, 13, 12, 11, 10, 9]
    assert {each.checkpoint["channel_values"]["fixed"] async for each in saver.alist(config())} == {
        "of step 1"
    }


async def test_keys_and_memory_are_flat(store: Redis) -> None:
    saver = RedisSaver(store, keep=20)
    last = await put(saver, {f"c{n}": "x" * 2000 for n in range(10)})
    used = [0, 0]
    most: dict[str, int] = {}
    for step in range(200):
        await saver.aput_writes(last.config, [("c0", "y" * 2000)], f"task-{step}")
        last = await put(saver, {f"c{n}": f"{step}".ljust(2000, "x") for n in range(3)}, after=last)
        if step % 100 >= 75:  # four rounds of trimming, a hundred steps apart
            size = sum([await store.memory_usage(key, samples=0) or 0 for key in KEYS])
            used[step // 100] = max(used[step // 100], size)
            most = {name: max(most.get(name, 0), count) for name, count in (await entries(store)).items()}
    assert sorted(await store.keys("*")) == sorted(KEYS)
    assert most == {"heads": 25, "bodies": 25, "ids": 25, "writes": 24, "pending": 24, "blobs": 7 + 25 * 3}
    assert used[1] <= used[0] * 1.01
    assert used[1] < 400_000


async def test_a_state_of_hundreds_of_channels_is_kept_and_thinned_alike(store: Redis) -> None:
    saver = RedisSaver(store, keep=1)
    many = {f"c{n}": n for n in range(320)}
    first = await put(saver, many)
    assert first.checkpoint["channel_values"] == many
    await saver.aput_writes(first.config, [("c", n) for n in range(320)], "task")
    assert (await entries(store))["writes"] == 320
    last = await put(saver, {name: value + 1 for name, value in many.items()}, after=first)
    assert last.checkpoint["channel_values"] == {name: value + 1 for name, value in many.items()}
    assert await entries(store) == {
        "heads": 1, "bodies": 1, "ids": 1, "writes": 0, "pending": 0, "blobs": 320
    }  # fmt: skip


async def test_all_stay_if_asked(store: Redis) -> None:
    saver = RedisSaver(store, keep=0)
    await chain(saver, 30)
    assert await steps(saver) == list(range(30, 0, -1))


async def test_a_value_that_another_branch_needs_stays(store: Redis) -> None:
    saver = RedisSaver(store, keep=3)
    root = await put(saver, {"step": 1, "shared": "by all"})
    await put(saver, {"step": 2, "shared": "by nobody"}, after=root)
    branch = await put(saver, {"step": 3}, after=root)
    await put(saver, {"step": 4}, after=branch)
    await put(saver, {"step": 5}, after=root)
    assert await steps(saver) == [5, 4, 3]
    assert {each.checkpoint["channel_values"]["shared"] async for each in saver.alist(config())} == {"by all"}
    assert (await entries(store))["blobs"] == 1 + 3


async def test_task_writes_of_what_went_go_even_if_they_come_late(store: Redis) -> None:
    saver = RedisSaver(store, keep=2)
    first = await chain(saver, 1)
    last = first
    for step in range(2, 5):
        last = await put(saver, {"step": step}, after=last)
    await saver.aput_writes(first.config, [("c", 1)], "too late")
    assert (await entries(store))["writes"] == 1
    await put(saver, {"step": 5}, after=last)
    assert (await entries(store))["writes"] == (await entries(store))["pending"] == 0


async def test_going_on_from_a_checkpoint_that_went_meanwhile_loses_no_value(store: Redis) -> None:
    saver = RedisSaver(store, keep=2)
    old = await put(saver, {"step": 1, "a": "of step 1"})
    last = old
    for step in range(2, 6):
        last = await put(saver, {"step": step, "a": f"of step {step}"}, after=last)
    assert await saver.aget_tuple(old.config) is None
    replayed = await put(saver, {"step": 6}, after=old)
    assert replayed.checkpoint["channel_values"] == {"step": 6, "a": "of step 1"}


async def test_a_checkpoint_put_twice_counts_once_and_leaves_nothing_of_the_first(store: Redis) -> None:
    saver = RedisSaver(store)
    ready = following(saver, {"step": 1, "a": "first"})
    await saver.aput(*ready)
    await saver.aput(*ready)
    assert await entries(store) == {"heads": 1, "bodies": 1, "ids": 1, "writes": 0, "pending": 0, "blobs": 2}
    again = await put(saver, {"step": 2, "a": "second"}, checkpoint_id=ready[1]["id"])
    assert again.checkpoint["channel_values"] == {"step": 2, "a": "second"}
    assert (await entries(store))["blobs"] == 2


async def test_namespaces_of_a_subgraphs_calls_go_with_the_steps_that_made_them(store: Redis) -> None:
    saver = RedisSaver(store, keep=3)
    last = await chain(saver, 1)
    await chain(saver, 2, at=config(ns="memory"))
    for step in range(2, 30):
        inner = await chain(saver, 2, at=config(ns=f"agent:{step:08}"))
        await saver.aput_writes(inner.config, [("c", 1)], "task")
        last = await put(saver, {"step": step}, after=last)
    assert await steps(saver, config()) == [29, 28, 27]
    assert await steps(saver, config(ns="memory")) == [2, 1]
    found = await entries(store)
    assert found["ids"] == 3 + 2 + 2 * 2  # the calls after the oldest that stays, of two steps each
    assert found["writes"] == 2


async def test_a_graph_whose_history_is_its_state_is_not_thinned(store: Redis) -> None:
    counters = {"counters_since_delta_snapshot": {"messages": (1, 1)}}
    with pytest.raises(ValueError, match="keep=0"):
        await put(RedisSaver(store, keep=20), {"step": 1}, **counters)
    keeper = RedisSaver(store, keep=0)
    await put(keeper, {"step": 1}, **counters)
    with pytest.raises(ValueError, match="DeltaChannel"):
        await keeper.aprune([THREAD])


async def test_deleting_runs_leaves_what_others_need(store: Redis) -> None:
    saver = RedisSaver(store)
    first = await put(saver, {"step": 1, "a": 1}, run_id="one")
    second = await put(saver, {"step": 2}, after=first, run_id="two")
    await saver.aput_writes(first.config, [("c", 1)], "task")
    await saver.adelete_for_runs(["one"])
    assert (await there(saver, second.config)).checkpoint["channel_values"] == {"step": 2, "a": 1}
    assert await entries(store) == {"heads": 1, "bodies": 1, "ids": 1, "writes": 0, "pending": 0, "blobs": 2}
    await saver.adelete_for_runs(["two"])
    assert await store.keys("*") == []


async def test_pruning_to_the_newest_leaves_its_values_only(store: Redis) -> None:
    saver = RedisSaver(store)
    await chain(saver, 4, unchanged=1)
    await saver.aprune([THREAD])
    assert await steps(saver) == [4]
    assert await entries(store) == {"heads": 1, "bodies": 1, "ids": 1, "writes": 0, "pending": 0, "blobs": 2}
    with pytest.raises(ValueError, match="strategy"):
        await saver.aprune([THREAD], strategy="keep_some")


async def test_a_copy_leaves_what_its_target_has_and_can_be_repeated(saver: RedisSaver) -> None:
    last = await chain(saver, 2)
    await saver.aput_writes(last.config, [("c", 1)], "task")
    await chain(saver, 1, at=config("t-2", ns="own"))
    for _ in range(2):
        await saver.acopy_thread(THREAD, "t-2")
    copied = await there(saver, config("t-2"))
    assert copied.checkpoint == last.checkpoint
    assert copied.pending_writes == [("task", "c", 1)]
    assert await steps(saver, config("t-2")) == [2, 1]
    assert await steps(saver, config("t-2", ns="own")) == [1]


@pytest.mark.parametrize("wrong", [{"keep": -1}, {"ttl_s": 0}])
def test_a_bound_that_makes_no_sense_is_refused(store: Redis, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="ttl_s must be"):
        RedisSaver(store, **wrong)  # type: ignore[arg-type]

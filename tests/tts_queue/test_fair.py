from __future__ import annotations

import asyncio

import pytest

from tts_queue.engines.fair import FairLane, LaneFull


def test_a_long_list_of_one_delays_another_by_a_job_at_most(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        lane: FairLane[str] = FairLane(10)
        for n in range(5):
            lane.offer("a", f"a{n}")
        lane.offer("b", "b0")
        lane.offer("c", "c0")
        lane.offer("b", "b1")
        assert [await lane.take() for _ in range(8)] == ["a0", "b0", "c0", "a1", "b1", "a2", "a3", "a4"]

    virtual.run(scene())


def test_a_client_has_its_bound_and_others_have_theirs(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        lane: FairLane[int] = FairLane(2)
        lane.offer("a", 1)
        lane.offer("a", 2)
        with pytest.raises(LaneFull):
            lane.offer("a", 3)
        lane.offer("b", 4)
        lane.forget("a")
        assert await lane.take() == 4

    virtual.run(scene())


def test_a_taker_waits_for_a_job(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        lane: FairLane[int] = FairLane(2)
        async with asyncio.TaskGroup() as group:
            taking = group.create_task(lane.take())
            await asyncio.sleep(1.0)
            lane.offer("a", 7)
        assert taking.result() == 7

    virtual.run(scene())


def test_what_is_urgent_goes_first_but_never_twice_before_another(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        lane: FairLane[str] = FairLane(10)
        lane.offer("a", "a0")
        for n in range(3):
            lane.offer("b", f"urgent{n}", urgent=True)
        lane.offer("c", "c0")
        assert [await lane.take() for _ in range(5)] == ["urgent0", "a0", "urgent1", "c0", "urgent2"]

    virtual.run(scene())


def test_what_was_begun_goes_on_after_what_was_not_unless_its_sound_would_run_dry(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        lane: FairLane[str] = FairLane(10)
        lane.go_on("a", "a later", 3.0)
        lane.go_on("a", "a soon", 0.1)
        lane.go_on("b", "b later", 2.0)
        lane.offer("c", "c")
        assert [await lane.take() for _ in range(4)] == ["a soon", "c", "b later", "a later"]
        lane.go_on("d", "d", 1.0)
        lane.offer("d", "d urgent", urgent=True)
        lane.forget("d")
        lane.offer("e", "e")
        assert await lane.take() == "e"

    virtual.run(scene())

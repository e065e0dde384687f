from __future__ import annotations

import asyncio

import pytest

from tts_queue.engines.fair_queue import FairQueue, QueueFull


def test_a_long_list_of_one_delays_another_by_a_job_at_most(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        queue: FairQueue[str] = FairQueue(10)
        for n in range(5):
            queue.offer("a", f"a{n}")
        queue.offer("b", "b0")
        queue.offer("c", "c0")
        queue.offer("b", "b1")
        assert [await queue.take() for _ in range(8)] == ["a0", "b0", "c0", "a1", "b1", "a2", "a3", "a4"]

    virtual.run(scene())


def test_a_client_has_its_bound_and_others_have_theirs(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        queue: FairQueue[int] = FairQueue(2)
        queue.offer("a", 1)
        queue.offer("a", 2)
        with pytest.raises(QueueFull):
            queue.offer("a", 3)
        queue.offer("b", 4)
        queue.forget("a")
        assert await queue.take() == 4

    virtual.run(scene())


def test_a_taker_waits_for_a_job(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        queue: FairQueue[int] = FairQueue(2)
        async with asyncio.TaskGroup() as group:
            taking = group.create_task(queue.take())
            await asyncio.sleep(1.0)
            queue.offer("a", 7)
        assert taking.result() == 7

    virtual.run(scene())


def test_what_is_urgent_goes_first_but_never_twice_before_another(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        queue: FairQueue[str] = FairQueue(10)
        queue.offer("a", "a0")
        for n in range(3):
            queue.offer("b", f"urgent{n}", urgent=True)
        queue.offer("c", "c0")
        assert [await queue.take() for _ in range(5)] == ["urgent0", "a0", "urgent1", "c0", "urgent2"]

    virtual.run(scene())


def test_what_was_begun_goes_on_after_what_was_not_unless_its_sound_would_run_dry(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        queue: FairQueue[str] = FairQueue(10)
        queue.go_on("a", "a later", 3.0)
        queue.go_on("a", "a soon", 0.1)
        queue.go_on("b", "b later", 2.0)
        queue.offer("c", "c")
        assert [await queue.take() for _ in range(4)] == ["a soon", "c", "b later", "a later"]
        queue.go_on("d", "d", 1.0)
        queue.offer("d", "d urgent", urgent=True)
        queue.forget("d")
        queue.offer("e", "e")
        assert await queue.take() == "e"

    virtual.run(scene())

"""Deadlines that share their timers end a wait as `asyncio.timeout` does, a step later at most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from infra.deadlines import STEP_S, Deadline
from tts_queue.virtual_time import VirtualLoop, runner

Scene = Callable[[], Coroutine[Any, Any, None]]


def on_virtual_time(scene: Scene) -> None:
    with runner() as loop:
        loop.run(scene())


def now_s() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("after_s", [0.0, 0.1, 2.0, 2.0 + STEP_S, 5.03])
def test_a_wait_ends_after_its_time_and_a_step_later_at_most(after_s: float) -> None:
    async def scene() -> None:
        await asyncio.sleep(0.07)
        began_s = now_s()
        with pytest.raises(TimeoutError), Deadline(after_s):
            await asyncio.sleep(60)
        assert after_s <= now_s() - began_s <= after_s + STEP_S

    on_virtual_time(scene)


def test_what_ends_in_time_is_not_disturbed_later() -> None:
    async def scene() -> None:
        with Deadline(1.0):
            await asyncio.sleep(0.9)
        await asyncio.sleep(10)

    on_virtual_time(scene)


def test_an_error_in_the_block_is_raised_as_it_is() -> None:
    async def scene() -> None:
        with pytest.raises(ValueError, match="ours"), Deadline(1.0):
            raise ValueError("ours")

    on_virtual_time(scene)


def test_an_inner_deadline_ends_the_inner_wait_only() -> None:
    async def scene() -> None:
        with Deadline(3.0):
            with pytest.raises(TimeoutError), Deadline(1.0):
                await asyncio.sleep(60)
            await asyncio.sleep(1.0)

    on_virtual_time(scene)


def test_an_outer_deadline_ends_the_inner_wait_too() -> None:
    async def scene() -> None:
        with pytest.raises(TimeoutError), Deadline(1.0):
            with Deadline(3.0):
                await asyncio.sleep(60)
            pytest.fail("the inner wait ended as if in time")

    on_virtual_time(scene)


@pytest.mark.parametrize("at_s", [0.4, 1.0 + STEP_S], ids=["before", "at the same time"])
def test_a_cancellation_from_outside_stays_one(at_s: float) -> None:
    async def waits() -> None:
        with Deadline(1.0):
            await asyncio.sleep(60)

    async def scene() -> None:
        task = asyncio.create_task(waits())
        asyncio.get_running_loop().call_at(at_s, task.cancel)
        await asyncio.wait([task])
        assert task.cancelled()

    on_virtual_time(scene)


def test_a_swallowed_cancellation_is_told() -> None:
    async def waits() -> bool:
        deadline = Deadline(1.0)
        with deadline:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass
        return deadline.cancelled

    async def scene() -> None:
        task = asyncio.create_task(waits())
        await asyncio.sleep(0.5)
        task.cancel()
        assert await task is True

    on_virtual_time(scene)


def test_waits_of_one_eighth_of_a_second_share_a_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    timers = 0
    call_at = VirtualLoop.call_at

    def counting(loop: VirtualLoop, *args: Any, **kwargs: Any) -> asyncio.TimerHandle:
        nonlocal timers
        timers += 1
        return call_at(loop, *args, **kwargs)

    async def scene() -> None:
        for _ in range(1000):
            with Deadline(1.0):
                pass
        assert timers == 1

    monkeypatch.setattr(VirtualLoop, "call_at", counting)
    on_virtual_time(scene)


def test_all_that_share_a_timer_are_ended() -> None:
    async def waits() -> str:
        try:
            with Deadline(1.0):
                await asyncio.sleep(60)
        except TimeoutError:
            return "late"
        return "in time"

    async def scene() -> None:
        assert await asyncio.gather(*(waits() for _ in range(5))) == ["late"] * 5

    on_virtual_time(scene)

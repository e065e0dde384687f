from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests.tts_queue.scenes import Scene, playing
from tts_queue import HoldCause
from tts_queue.depth import Depth, DepthLimits


def test_depth_grows_when_the_sink_ran_empty_and_shrinks_in_calm() -> None:
    depth = Depth(DepthLimits())
    assert depth.at_s(0.0) == pytest.approx(0.04)
    for now_s in (1.0, 1.1, 1.2, 1.3, 1.4):
        depth = depth.late(now_s)
    assert depth.at_s(2.0) == pytest.approx(0.09)
    assert depth.at_s(40.0) == pytest.approx(0.07)
    assert depth.at_s(500.0) == pytest.approx(0.04)
    assert depth.times_late == 5


def test_the_sink_holds_more_while_something_sounds_and_more_still_after_a_late_writer() -> None:
    depth = Depth(DepthLimits())
    assert depth.at_s(0.0, speaking=True) == pytest.approx(0.08)
    depth = depth.near(1.0)
    assert depth.at_s(2.0, speaking=True) == pytest.approx(0.09)
    assert depth.times_late == 0
    depth = depth.late(2.0)
    assert depth.at_s(2.0, speaking=True) == pytest.approx(0.09)
    assert depth.times_late == 1
    assert depth.at_s(500.0, speaking=True) == pytest.approx(0.08)


@pytest.mark.parametrize("stalls_s", [(0.06,), (0.059, 0.07)], ids=["60 ms", "59 ms, and then 70"])
def test_speech_survives_a_writer_that_comes_late(
    virtual: asyncio.Runner, stalls_s: tuple[float, ...]
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("u1", "Potassium is six point nine and the clinician listens to it.")
            await asyncio.sleep(1.0)
            for stall_s in stalls_s:
                play.sink.stall_s = stall_s
                await asyncio.sleep(0.5)
            assert play.queue.snapshot().times_late == 0

    virtual.run(scene())


def test_a_late_frame_is_counted_and_answered_with_a_deeper_sink(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            await asyncio.sleep(1.0)
            play.sink.stall_s = 0.2
            await asyncio.sleep(0.5)
            assert play.queue.snapshot().times_late == 1
            assert 0.04 < play.sink.deepest_s <= 0.1

    virtual.run(scene())


def test_while_a_hold_is_expected_the_sink_runs_down_and_then_it_fills_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("u1", "Potassium is six point nine and the clinician listens to it.")
            await asyncio.sleep(1.0)
            assert play.sink.queued_s > 0.055
            play.queue.expect_hold()
            await asyncio.sleep(0.05)
            assert play.sink.queued_s <= 0.04
            await asyncio.sleep(0.25)
            assert play.sink.queued_s > 0.055
            assert play.sink.underruns == 0
            assert play.queue.snapshot().times_late == 0

    virtual.run(scene())


def test_a_sink_that_ran_down_on_purpose_is_no_deeper_after_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say(
                "u1", "Potassium is six point nine and the clinician listens to it, and to what follows it."
            )
            await asyncio.sleep(1.0)
            before_s = max([await queued_s(play) for _ in range(20)])
            for moment_s in (0.011, 0.013, 0.017, 0.019):  # a writer wakes at any of them
                await asyncio.sleep(moment_s)
                play.queue.expect_hold()
                await asyncio.sleep(0.5)
            assert max([await queued_s(play) for _ in range(20)]) <= before_s + 0.001

    virtual.run(scene())


async def queued_s(play: Scene) -> float:
    await asyncio.sleep(0.007)
    return play.sink.queued_s


def sounding_after_a_hold_s(runner: asyncio.Runner, expected_before_s: float | None) -> float:
    """Return how much of what was sent is still heard after a hold that was expected so much before it."""

    async def scene() -> None:
        async with playing() as play:
            play.say("u1", "Potassium is six point nine and the clinician listens to it.")
            await asyncio.sleep(1.0)
            if expected_before_s is not None:
                play.queue.expect_hold()
                await asyncio.sleep(expected_before_s)
            play.queue.hold(HoldCause.VOICE)
            found.append(play.sink.queued_s)

    found: list[float] = []
    runner.run(scene())
    return found[0]


def test_a_hold_that_was_expected_is_heard_sooner(virtual: asyncio.Runner) -> None:
    at_once = sounding_after_a_hold_s(virtual, None)
    assert sounding_after_a_hold_s(virtual, 0.05) <= at_once - 0.02


def test_a_hold_that_does_not_come_is_expected_for_a_moment_and_costs_no_word(
    virtual: asyncio.Runner,
) -> None:
    async def scene(*, rises: bool) -> int:
        async with playing() as play:
            play.say("u1", "Potassium is six point nine.")
            for _ in range(8):
                if rises:
                    play.queue.expect_hold()
                await asyncio.sleep(0.5)
            await play.queue.idle()
            assert play.sink.underruns == 0
            assert play.queue.snapshot().longest_gap_s == 0.0
            return int(np.count_nonzero(play.sink.pcm))

    assert virtual.run(scene(rises=True)) == virtual.run(scene(rises=False))

"""Scenes on virtual time: "next" is about what is heard, and nothing else is dropped."""

from __future__ import annotations

import asyncio

import pytest

from tests.tts_queue.scenes import Scene, playing, until
from tts_queue import HoldCause, Phase, Priority, Standing, Utterance

pytestmark = pytest.mark.usefixtures("no_task_left_behind")

SIX = "One two three four five six."
ALARM = "Potassium is seven."


async def interrupted(play: Scene) -> None:
    """Let the alarm `c` break into `a`, and wait until all of it is sent."""
    play.say("a", SIX, protects=True)
    await asyncio.sleep(1.0)
    play.say("c", ALARM, Priority.CRITICAL)
    await until(lambda: any(s.utterance.utterance_id == "c" and s.all_sent for s in standings(play)))
    assert play.phases("a")[-1] == Phase.HELD


def standings(play: Scene) -> list[Standing]:
    return list(play.queue.snapshot().standings)


def test_skip_cuts_what_is_spoken_and_the_next_follows(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            play.say("b", "Seven eight nine.")
            await asyncio.sleep(1.0)
            assert play.queue.skip() == "a"
            await play.queue.idle()
            cut = play.moves("a")[-1]
            assert (cut.phase_to, cut.reason) == ("cut", "skipped")
            assert 0 < cut.heard <= cut.sent < cut.total
            assert play.phases("b")[-1] == "spoken"
            assert play.queue.skip() is None

    virtual.run(scene())


def test_skip_during_a_hold_drops_what_was_held_last(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await asyncio.sleep(0.5)
            play.queue.hold(HoldCause.VOICE)
            assert play.queue.skip() == "a"
            await asyncio.sleep(0.1)
            assert play.phases("a") == ["queued", "speaking", "held", "cut"]

    virtual.run(scene())


def test_skip_at_the_end_of_an_alarm_drops_nothing_of_what_it_broke_into(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            await interrupted(play)
            assert play.queue.skip() == "c"
            await play.queue.idle()
            assert play.phases("c") == ["queued", "speaking", "spoken"]
            assert play.phases("a") == ["queued", "speaking", "held", "speaking", "spoken"]

    virtual.run(scene())


def test_skip_in_the_pause_after_an_alarm_drops_nothing_of_what_it_broke_into(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            await interrupted(play)
            await until(lambda: play.phases("c")[-1] == Phase.SPOKEN)
            assert play.phases("a")[-1] == Phase.HELD
            assert play.queue.skip() is None
            await play.queue.idle()
            assert play.phases("a")[-1] == Phase.SPOKEN

    virtual.run(scene())


def test_skip_before_an_alarm_is_heard_is_about_what_it_broke_into(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await asyncio.sleep(1.0)
            play.say("c", ALARM, Priority.CRITICAL)
            await until(lambda: play.phases("a")[-1] == Phase.HELD)
            assert play.phases("c") == ["queued"]
            assert play.queue.skip() == "a"
            await play.queue.idle()
            assert (play.phases("a")[-1], play.phases("c")[-1]) == (Phase.CUT, Phase.SPOKEN)

    virtual.run(scene())


def test_skip_while_the_end_of_one_is_heard_drops_nothing_of_the_next(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            play.say("a", "Seven eight nine.")
            play.say("b", SIX)
            await until(lambda: bool(play.segments("b")))
            assert play.queue.skip() == "a"
            play.queue.played(play.queue.sent_samples)
            await asyncio.sleep(1.0)
            assert (play.phases("a")[-1], play.phases("b")[-1]) == (Phase.SPOKEN, Phase.SPEAKING)
            assert play.queue.skip() == "b"

    virtual.run(scene())


def test_skip_of_what_was_heard_when_it_was_asked_drops_that_and_nothing_in_its_place(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", "Seven eight nine.")
            play.say("b", SIX)
            await until(lambda: len(play.segments("b")) > 0 and play.phases("a")[-1] == Phase.SPOKEN)
            assert play.queue.skip("a") is None
            play.queue.hold(HoldCause.VOICE)
            assert play.queue.skip("a") is None
            assert play.queue.skip("b") == "b"
            await play.queue.idle()
            assert play.phases("b") == ["queued", "speaking", "held", "cut"]

    virtual.run(scene())


@pytest.mark.parametrize("before", [False, True], ids=["alone", "something was held before it"])
def test_skip_after_something_else_sounded_drops_no_alarm_that_was_broken_off(
    virtual: asyncio.Runner, before: bool
) -> None:
    async def scene() -> None:
        async with playing() as play:
            if before:
                play.say("a", SIX, protects=True)
                await asyncio.sleep(0.5)
                play.queue.hold(HoldCause.USER, admit=Priority.CRITICAL)
            play.say("c", ALARM, Priority.CRITICAL, critical_key="k")
            await until(lambda: bool(play.segments("c")))
            play.queue.release(HoldCause.USER)
            play.queue.hold(HoldCause.USER, admit=Priority.ANSWER)
            play.say("q", "Ready to continue?", Priority.ANSWER)
            await until(lambda: bool(play.segments("q")))
            play.queue.cancel("q")
            assert play.queue.skip() is None
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert play.phases("c") == ["queued", "speaking", "held", "speaking", "spoken"]
            assert not before or play.phases("a")[-1] == "spoken"

    virtual.run(scene())


def test_skip_of_an_alarm_that_was_stopped_drops_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("c", ALARM, Priority.CRITICAL, critical_key="k")
            await until(lambda: bool(play.segments("c")))
            play.queue.hold(HoldCause.USER, admit=Priority.CRITICAL)
            assert play.queue.skip() == "c"

    virtual.run(scene())


def test_skip_of_what_was_stopped_before_and_began_again_is_about_that(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX, protects=True)
            await asyncio.sleep(0.5)
            play.queue.hold(HoldCause.USER, admit=Priority.CRITICAL)
            play.queue.offer(Utterance("c.r1", ALARM, Priority.CRITICAL, "critical", stopped=True))
            await asyncio.sleep(3.0)
            assert play.phases("c.r1") == ["queued"], "a hold holds it as what had begun"
            play.queue.release(HoldCause.USER)
            await until(lambda: bool(play.segments("c.r1")))
            play.queue.hold(HoldCause.USER)
            assert play.queue.skip() == "c.r1"

    virtual.run(scene())

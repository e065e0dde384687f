"""Scenes on virtual time: in a silence that was asked for, a reply of ours stops no alarm."""

from __future__ import annotations

import asyncio

import pytest

from realtime.speech.alerts import AGAIN_AFTER_S
from tests.realtime.making import update, update_id
from tests.realtime.reading import modes, reading
from tests.realtime.scene import LONG, Scene
from tests.realtime.test_stopped import AGAIN, ALARM, OTHER, alarm, sounding

pytestmark = pytest.mark.usefixtures("no_task_left_behind")

ONCE = ["queued", "speaking", "spoken"]


def replies(s: Scene) -> list[str]:
    """Return the last phase of each of our replies."""
    phases = {b["utterance_id"]: b["phase"] for b in s.room.bodies("utterance") if b["kind"] == "reply"}
    return list(phases.values())


async def into_a_silence(s: Scene, how: str) -> None:
    """Ask for silence, and wait until an alarm that comes afterwards sounds."""
    await s.client.say(2, how)
    await asyncio.sleep(3.0)
    s.streams.commit(update(2, alarm("Potassium is 7.4 now, and the rhythm is wide.")), update_id(2))
    await sounding(s, ALARM)


@pytest.mark.parametrize("how", ["stop", "wait"])
def test_a_reply_does_not_break_an_alarm_off(virtual: asyncio.Runner, how: str) -> None:
    async def scene() -> None:
        async with reading() as s:
            await into_a_silence(s, how)
            assert (await s.client.say(3, "brief"))["ok"]
            await asyncio.sleep(0.3)
            assert (await s.client.say(4, "full"))["ok"]  # the reply before is cancelled
            await asyncio.sleep(15.0)
            assert s.room.phases(ALARM) == ONCE
            assert replies(s) == ["cancelled", "spoken"]
            assert modes(s)[-1] == {"stop": "quiet", "wait": "waiting"}[how]
            await asyncio.sleep(20.0)
            assert s.room.phases(f"{update_id(1)}.2") == ["queued"], "the silence goes on"

    virtual.run(scene())


def test_what_the_team_was_told_does_not_break_an_alarm_off(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await into_a_silence(s, "stop")
            s.session._parts.conversation.team_told("sent.m1", "It was sent.")
            await asyncio.sleep(15.0)
            assert (s.room.phases(ALARM), replies(s)) == (ONCE, ["spoken"])

    virtual.run(scene())


def test_an_alarm_that_was_stopped_stays_so_through_a_reply_and_another_alarm_sounds(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, alarm()), update_id(2))
            await sounding(s, ALARM)
            await s.client.say(2, "stop")
            stopped_s = s.loop.time()
            await asyncio.sleep(1.0)
            s.streams.commit(update(3, alarm("Lactate is 9. It was 4 before.", "l")), update_id(3))
            await sounding(s, OTHER)
            await s.client.say(3, "brief")
            await asyncio.sleep(15.0)
            assert s.room.phases(ALARM) == ["queued", "speaking", "held"]
            assert (s.room.phases(OTHER), replies(s)) == (ONCE, ["spoken"])
            await s.until(stopped_s + AGAIN_AFTER_S + 8.0)
            assert s.room.phases(AGAIN) == ONCE

    virtual.run(scene())


def test_an_alarm_that_our_question_held_goes_on_after_it_in_a_quiet(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await into_a_silence(s, "stop")
            await s.ears.say("Wrong patient.", lasts_s=0.6)
            await asyncio.sleep(1.0)
            assert s.room.phases(ALARM)[-1] == "held"
            await asyncio.sleep(20.0)
            assert s.room.phases(ALARM)[-1] == "spoken"
            assert modes(s)[-1] == "quiet"

    virtual.run(scene())


def test_an_alarm_that_is_noted_in_a_long_answer_is_read_back_before_the_rest_of_it(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading(answers={"What is new?": f"{LONG} {LONG} {LONG}"}) as s:
            await s.ears.say("What is new?", lasts_s=1.0)
            await asyncio.sleep(4.0)
            s.streams.commit(update(2, alarm("Potassium is 7.4 now.")), update_id(2))
            await sounding(s, ALARM)
            await asyncio.sleep(1.0)
            await s.ears.say("Got it.", lasts_s=0.4)
            await asyncio.sleep(4.0)
            assert replies(s) == ["spoken"]
            await asyncio.sleep(60.0)
            assert [b["phase"] for b in s.room.bodies("utterance") if b["kind"] == "answer"][-1] == "spoken"

    virtual.run(scene())

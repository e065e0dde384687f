"""Scenes on virtual time: what "next" is about, by voice and by hand."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import SpokenKind
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, NEXT, modes, our_question, reading, turns
from tests.realtime.scene import RATE_HZ, Scene

ALARM = f"{update_id(2)}.1"
LEFT = RATE_HZ * 3 // 100  # in the native queue: all is written, and the listener hears it still


async def the_end_of_an_alarm(s: Scene) -> None:
    """Let an alarm break into the item, and wait until its last sample was handed over."""
    alarm = spoken("Potassium is 6.9 now.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")
    s.streams.commit(update(2, alarm), update_id(2))
    while (last := s.room.bodies("segment")[-1])["utterance_id"] != ALARM:
        await asyncio.sleep(0.005)
    while s.sink.heard_samples < last["start_sample"] + last["samples"] - LEFT:
        await asyncio.sleep(0.005)
    assert (s.room.phases(ALARM)[-1], s.room.phases(ITEM)[-1]) == ("speaking", "held")


@pytest.mark.parametrize("by_voice", [True, False])
def test_next_at_the_end_of_an_alarm_drops_nothing_of_what_it_broke_into(
    virtual: asyncio.Runner, by_voice: bool
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await the_end_of_an_alarm(s)
            if by_voice:
                await s.ears.say("Next.", lasts_s=0.4)
            else:
                await s.client.say(2, "next")
            await s.until(40.0)
            assert [s.room.phases(uid)[-1] for uid in (ALARM, ITEM, NEXT)] == ["spoken"] * 3

    virtual.run(scene())


async def an_alarm(s: Scene) -> None:
    """Let an alarm break into the item, and wait until its second word sounds."""
    alarm = spoken("Potassium is 6.9 now.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")
    s.streams.commit(update(2, alarm), update_id(2))
    while s.room.bodies("segment")[-1]["utterance_id"] != ALARM:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.5)


@pytest.mark.parametrize("after_s", [0.1, 0.6, 2.5])  # our question sounds for 1.6 s
@pytest.mark.parametrize("by_voice", [True, False])
def test_next_to_our_question_is_about_what_it_broke_into(
    virtual: asyncio.Runner, by_voice: bool, after_s: float
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await our_question(s)
            await asyncio.sleep(after_s)
            assert modes(s)[-1] == "asking"
            if by_voice:
                await s.ears.say("Next.", lasts_s=0.4)
            else:
                await s.client.say(2, "next")
            await s.until(40.0)
            assert turns(s)[-1][0] == "skip"
            assert [s.room.phases(uid)[-1] for uid in (ITEM, NEXT)] == ["cut", "spoken"]

    virtual.run(scene())


@pytest.mark.parametrize("by_voice", [True, False])
def test_next_to_our_question_drops_no_alarm_that_it_broke_off(
    virtual: asyncio.Runner, by_voice: bool
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await an_alarm(s)
            await our_question(s)
            assert s.room.phases(ALARM)[-1] == "held"
            if by_voice:
                await s.ears.say("Next.", lasts_s=0.4)
            else:
                await s.client.say(2, "next")
            await s.until(40.0)
            assert turns(s)[-1][0] == "skip"
            assert [s.room.phases(uid)[-1] for uid in (ALARM, ITEM, NEXT)] == ["spoken"] * 3

    virtual.run(scene())


def test_next_to_ready_drops_no_alarm_whose_end_was_not_heard(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.client.leave()
            await s.until(200.0)
            await the_alarm_after_a_welcome(s)
            s.client.stuck = True
            await asyncio.sleep(2.2)  # all of it was sent
            while modes(s)[-1] != "away":
                await asyncio.sleep(0.01)
            assert s.room.phases(ALARM)[-1] == "held"
            s.client.stuck = False
            while modes(s)[-1] != "asking":
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.5)
            await s.client.say(2, "next")
            await s.until(s.loop.time() + 10.0)
            assert s.room.phases(ALARM)[-1] == "spoken"

    virtual.run(scene())


async def the_alarm_after_a_welcome(s: Scene) -> None:
    """Come back to an alarm, and wait until it sounds."""
    alarm = spoken("Potassium is 6.9 now.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")
    s.streams.commit(update(2, alarm), update_id(2))
    await asyncio.sleep(1.0)
    await s.client.come()
    while s.room.phases(ALARM)[-1] != "speaking":
        await asyncio.sleep(0.01)

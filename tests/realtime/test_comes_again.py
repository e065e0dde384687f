"""Scenes on virtual time: an event that is over and comes again sounds again, though the first was acknowledged."""

from __future__ import annotations

import asyncio

from exaim_core import SpokenItem
from realtime.speech.alerts import AGAIN_AFTER_S, ToldBefore
from realtime.speech.before import StateBefore
from tests.exaim_core.test_whose_words import Turn, played
from tests.realtime.making import update, update_id, utterance
from tests.realtime.reading import reading
from tests.realtime.scene import GREETING, Scene
from tests.realtime.test_successor import stayed
from tts_queue import Phase, Priority

STOPS, BACK, AGAIN = (
    ("nurse", "He's not breathing."),
    ("registrar", "He's breathing again."),
    ("nurse", "He's stopped breathing again."),
)
FIRST, SECOND, THIRD = (f"{update_id(number)}.1" for number in (2, 3, 4))


async def alarms(*turns: Turn) -> list[SpokenItem]:
    """Return what the engine alarms of a discussion."""
    return [each for made in await played(*turns) for each in made.items if each.critical_key]


def tell(s: Scene, number: int, item: SpokenItem) -> None:
    s.streams.commit(update(number, item), update_id(number))


def test_an_event_that_comes_again_sounds_again_after_the_first_was_acknowledged(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        first, again = await alarms(STOPS, BACK, AGAIN)
        async with reading() as s:
            tell(s, 2, first)
            await s.until(20.0)
            assert s.room.phases(FIRST)[-1] == "spoken"
            await s.client.say(2, "acknowledge", critical_key=first.critical_key)
            await s.until(30.0)
            tell(s, 3, again)
            await s.until(45.0)
            assert s.room.phases(SECOND)[-1] == "spoken"
            await s.until(45.0 + AGAIN_AFTER_S)
            assert s.room.phases(f"{SECOND}.r1")[-1] == "spoken", "nobody acknowledged the second"
            assert s.room.phases(f"{FIRST}.r1") == []

    virtual.run(scene())


def test_an_event_that_is_offered_once_more_without_an_end_does_not_sound_again(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        first, again = await alarms(STOPS, BACK, AGAIN)
        async with reading() as s:
            for number, item in ((2, first), (3, again), (4, again)):
                tell(s, number, item)
                await s.until(10.0 + 12.0 * (number - 1))
            assert [s.room.phases(uid)[-1] for uid in (FIRST, SECOND)] == ["spoken", "spoken"]
            assert "speaking" not in s.room.phases(THIRD)

    virtual.run(scene())


def test_an_event_that_comes_again_after_a_takeover_sounds_and_the_told_one_does_not(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        first, again = await alarms(STOPS, BACK, AGAIN)
        key = str(first.critical_key)
        told = utterance("k", first.text, kind="critical", priority=Priority.CRITICAL, critical_key=key)
        before = StateBefore(
            vacant_s=6.0, told=(ToldBefore(told, ago_s=20.0),), acknowledged=frozenset({key})
        )
        s = Scene(room=stayed(), before=before)
        async with s.running({GREETING: Phase.SPOKEN, "k": Phase.SPOKEN}, []):
            await s.client.come()
            await s.until(10.0)
            tell(s, 2, first)
            tell(s, 3, again)
            await s.until(40.0)
            assert "speaking" not in s.room.phases(FIRST)
            assert s.room.phases(SECOND)[-1] == "spoken"

    virtual.run(scene())

"""Scenes on virtual time: the recogniser's text came too late, and the clinician is asked, once, to say it again."""

from __future__ import annotations

import asyncio

import pytest

from realtime.conversation.unheard import SAY_AGAIN
from tests.realtime.reading import ITEM, modes, reading
from tests.realtime.scene import Scene

pytestmark = pytest.mark.usefixtures("no_task_left_behind")


def replies(s: Scene) -> list[str]:
    """Return the texts of our replies that were spoken."""
    bodies = s.room.bodies("utterance")
    return [str(b["text"]) for b in bodies if b["kind"] == "reply" and b["phase"] == "spoken"]


def test_who_was_not_heard_in_time_is_asked_once_to_say_it_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            for _ in range(2):
                await s.ears.mumble()
                await asyncio.sleep(6.0)
            assert replies(s) == [SAY_AGAIN]
            await asyncio.sleep(20.0)
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_after_words_that_were_heard_it_is_asked_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.mumble()
            await asyncio.sleep(6.0)
            await s.ears.say("Okay.", lasts_s=0.4)
            await asyncio.sleep(6.0)
            await s.ears.mumble()
            await asyncio.sleep(6.0)
            assert replies(s) == [SAY_AGAIN, SAY_AGAIN]

    virtual.run(scene())


@pytest.mark.parametrize("how", ["stop", "wait"])
def test_a_silence_that_was_asked_for_is_not_broken_for_it(virtual: asyncio.Runner, how: str) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.client.say(2, how)
            await asyncio.sleep(1.0)
            await s.ears.mumble()
            await asyncio.sleep(6.0)
            assert replies(s) == []
            assert modes(s)[-1] == {"stop": "quiet", "wait": "waiting"}[how]

    virtual.run(scene())


def test_a_question_of_ours_stays_open_for_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Wrong patient.", lasts_s=0.6)
            await asyncio.sleep(4.0)
            await s.ears.mumble()
            await asyncio.sleep(2.0)
            assert (replies(s), modes(s)[-1]) == ([], "asking")

    virtual.run(scene())

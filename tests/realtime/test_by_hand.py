"""Scenes on virtual time: buttons, and critical findings that are acknowledged or not."""

from __future__ import annotations

import asyncio

from exaim_core import SpokenKind
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, NEXT, modes, reading

# --- buttons


def test_buttons_do_what_the_words_do(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            assert (await s.client.say(2, "stop"))["ok"]
            await s.until(12.0)
            assert (modes(s)[-1], s.room.phases(ITEM)[-1]) == ("quiet", "held")
            await s.client.say(3, "go_on")
            await s.until(13.0)
            await s.client.say(4, "wait")
            await s.until(14.0)
            assert modes(s)[-1] == "waiting"
            await s.client.say(5, "repeat")
            await s.until(15.0)
            assert s.room.phases(ITEM)[-1] == "cancelled"
            await s.client.say(6, "next")
            await s.until(30.0)
            assert s.room.phases(f"{ITEM}.r1")[-1] == "cut"
            assert s.room.phases(NEXT)[-1] == "spoken"
            assert {b["via"] for b in s.room.bodies("turn")} == {"button"}

    virtual.run(scene())


def test_arguments_that_do_not_fit_are_refused_and_change_nothing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            for seq, (kind, args) in enumerate(
                [
                    ("ask", {}),
                    ("ask", {"text": ""}),
                    ("ask", {"text": "x" * 301}),
                    ("acknowledge", {"key": "k"}),
                ],
                start=2,
            ):
                answer = await s.client.say(seq, kind, **args)
                assert answer["error"]["code"] == "bad_message"
            assert s.room.bodies("turn") == []

    virtual.run(scene())


# --- critical findings


ALARM = spoken("Potassium is 6.9.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")


def test_got_it_after_its_last_word_acknowledges_a_critical_finding(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            await s.until(13.0)
            uid = f"{update_id(2)}.1"
            assert s.room.phases(uid)[-1] == "spoken"
            await s.ears.say("Got it.")
            await s.until(200.0)
            last = [b for b in s.room.bodies("utterance") if b["utterance_id"] == uid][-1]
            assert last["acknowledged"]
            assert [c.args for c in s.streams.commands if c.kind == "acknowledge"] == [{"critical_key": "k"}]
            assert s.room.phases(f"{uid}.r1") == [], "it is not told again"

    virtual.run(scene())


def test_an_unacknowledged_critical_finding_is_told_again_twice(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, ALARM), update_id(2))
            await s.until(13.0)
            await s.ears.say("Mm-hm.", lasts_s=0.4)
            await s.until(600.0)
            uid = f"{update_id(2)}.1"
            assert s.room.phases(f"{uid}.r1")[-1] == s.room.phases(f"{uid}.r2")[-1] == "spoken"
            assert s.room.phases(f"{uid}.r3") == []
            await s.client.say(2, "acknowledge", critical_key="k")
            await asyncio.sleep(0.5)
            assert all(b["acknowledged"] for b in s.room.bodies("utterance")[-3:])

    virtual.run(scene())

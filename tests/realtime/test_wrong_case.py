"""Scenes on virtual time: "wrong patient" silences everything, and only a second word keeps it silent."""

from __future__ import annotations

import asyncio

import pytest

from realtime.conversation.floor import CONFIRM_S, WRONG_CASE
from realtime.room.livekit_room import Typed
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, NEXT, modes, reading, sounding_from, turns
from tests.realtime.scene import LONG, Scene
from tests.realtime.test_stopped import ALARM, alarm, succeeding

CONFIRMED = "wrong_case"


async def doubted(s: Scene, how: str = "voice") -> None:
    """Call the case the wrong one, and wait until our question was heard."""
    if how == "voice":
        await s.ears.say("This is the wrong patient.", lasts_s=1.2)
    elif how == "button":
        assert (await s.client.say(2, "wrong_case"))["ok"]
    else:
        s.room.offer(Typed("wrong patient"))
    while not [b for b in questions(s) if b["phase"] == "spoken"]:
        await asyncio.sleep(0.02)


def questions(s: Scene) -> list[dict[str, str]]:
    return [b for b in s.room.bodies("utterance") if b["kind"] == "question" and b["text"] == WRONG_CASE]


def silent_from(s: Scene, at_s: float) -> bool:
    return sounding_from(s, at_s + 0.05) is None


def raise_alarm(s: Scene) -> None:
    s.streams.commit(update(2, alarm()), update_id(2))


@pytest.mark.parametrize("how", ["voice", "button", "chat"])
def test_it_is_silent_at_once_and_asks_and_no_alarm_sounds_meanwhile(
    virtual: asyncio.Runner, how: str
) -> None:
    async def scene() -> None:
        async with reading() as s:
            raise_alarm(s)
            await doubted(s, how)
            asked_s = s.loop.time()
            assert (modes(s)[-1], s.room.bodies("mode")[-1]["asks"]) == ("asking", "wrong_case")
            await asyncio.sleep(CONFIRM_S - 1.0)
            assert silent_from(s, asked_s)
            assert s.room.phases(ALARM)[-1] in ("queued", "held")
            await asyncio.sleep(6.0)
            assert s.room.phases(ALARM)[-1] == "spoken", "nobody confirmed: speech goes on"
            assert modes(s)[-1] == "free"

    virtual.run(scene())


@pytest.mark.parametrize("how", ["voice", "button", "chat"])
def test_once_confirmed_nothing_is_said_until_it_is_the_right_case(virtual: asyncio.Runner, how: str) -> None:
    async def scene() -> None:
        async with reading(answers={"sodium?": "On the sodium: 132."}) as s:
            await doubted(s)
            if how == "voice":
                await s.ears.say("Confirm.", lasts_s=0.6)
            elif how == "button":
                assert (await s.client.say(2, "confirm_wrong_case"))["ok"]
            else:
                s.room.offer(Typed("confirm"))
            await asyncio.sleep(0.3)
            silent_s = s.loop.time()
            assert modes(s)[-1] == CONFIRMED
            raise_alarm(s)
            for said in ("Go on.", "Stop.", "What is the potassium?", "Next.", "Yes, yes.", "Hold on."):
                await s.ears.say(said, lasts_s=0.7)
            s.room.offer(Typed("sodium?"))
            refused = await s.client.say(3, "go_on")
            assert refused["error"]["code"] == "bad_message"
            assert not (await s.client.say(4, "ask", text="sodium?"))["ok"]
            await asyncio.sleep(300.0)
            assert silent_from(s, silent_s)
            assert s.room.phases(ALARM) == ["queued"], "it is shown"
            assert modes(s)[-1] == CONFIRMED
            await s.ears.say("This is the right patient.", lasts_s=1.2)
            await asyncio.sleep(30.0)
            assert modes(s)[-1] == "free"
            assert s.room.phases(ALARM)[-1] == s.room.phases(ITEM)[-1] == s.room.phases(NEXT)[-1] == "spoken"

    virtual.run(scene())


@pytest.mark.parametrize(
    "said",
    [
        "Yes.",
        "Okay.",
        "No, it's fine.",
        "Go on.",
        "No.",
        "No, it's the right one.",
        "It's not the wrong patient.",
    ],
)
def test_any_other_word_goes_on(virtual: asyncio.Runner, said: str) -> None:
    async def scene() -> None:
        async with reading() as s:
            await doubted(s)
            raise_alarm(s)
            await s.ears.say(said, lasts_s=0.6)
            await asyncio.sleep(4.0)
            assert modes(s)[-1] == "free"
            assert s.room.phases(ALARM)[-1] == "spoken"

    virtual.run(scene())


@pytest.mark.parametrize(("said", "mode"), [("", "asking"), ("Blorp.", "asking"), ("Stop.", "quiet")])
def test_a_cough_is_no_answer_and_a_stop_is_one(virtual: asyncio.Runner, said: str, mode: str) -> None:
    async def scene() -> None:
        async with reading() as s:
            await doubted(s)
            await s.ears.say(said, lasts_s=0.4)
            await asyncio.sleep(0.5)
            assert modes(s)[-1] == mode
            if mode == "asking":
                await s.ears.say("Confirm.", lasts_s=0.6)
                await asyncio.sleep(0.2)
                assert modes(s)[-1] == CONFIRMED

    virtual.run(scene())


def test_confirm_that_is_heard_before_our_own_confirm_is_over_counts_for_nothing(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Wrong patient.", lasts_s=0.8)
            while not [b for b in questions(s) if b["phase"] == "speaking"]:
                await asyncio.sleep(0.02)
            await asyncio.sleep(0.8)
            await s.ears.say("Confirm.", lasts_s=0.5)
            await asyncio.sleep(0.1)
            assert modes(s)[-1] == "asking"
            while not [b for b in questions(s) if b["phase"] == "spoken"]:
                await asyncio.sleep(0.02)
            await asyncio.sleep(0.3)
            assert modes(s)[-1] == "asking", "it is said to its end, and waits for an answer"
            await s.ears.say("Confirm.", lasts_s=0.5)
            await asyncio.sleep(0.1)
            assert modes(s)[-1] == CONFIRMED

    virtual.run(scene())


def test_confirm_alone_silences_nothing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            refused = await s.client.say(2, "confirm_wrong_case")
            assert refused["error"]["code"] == "bad_message"
            await s.ears.say("Confirm.", lasts_s=0.6)
            await asyncio.sleep(20.0)
            assert modes(s)[-1:] in ([], ["free"])
            assert [c for c in s.streams.commands if c.args.get("effect") == "confirm_wrong_case"] == []
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_a_vote_without_its_word_confirms_nothing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await doubted(s)
            await s.ears.say("", lasts_s=0.5, word="yes", word_confidence=0.99)
            await asyncio.sleep(1.0)
            assert CONFIRMED not in modes(s)

    virtual.run(scene())


def test_an_answer_that_is_on_its_way_is_not_said(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        asked = "What is the potassium?"
        async with reading(answers={asked: "On the potassium: 6.9."}, answer_takes_s=2.0) as s:
            await s.ears.say(asked, lasts_s=1.4)
            await doubted(s)
            await s.ears.say("Confirm.", lasts_s=0.6)
            await asyncio.sleep(60.0)
            assert [body["outcome"] for body in s.room.bodies("answer")] == ["gone_on"]
            assert "6.9" not in str(s.room.bodies("answer"))
            assert modes(s)[-1] == CONFIRMED

    virtual.run(scene())


def test_nothing_is_done_at_a_pause_of_an_answer(virtual: asyncio.Runner) -> None:
    """ "Yes, … confirm" is one turn: its first word does not let an alarm go on."""

    async def scene() -> None:
        async with reading() as s:
            await doubted(s)
            asked_s = s.loop.time()
            raise_alarm(s)
            await s.ears.say("Yes,", "confirm.", lasts_s=0.5)
            await asyncio.sleep(10.0)
            assert modes(s)[-1] == CONFIRMED
            assert silent_from(s, asked_s)

    virtual.run(scene())


def test_a_successor_stays_silent(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as first:
            raise_alarm(first)
            await doubted(first)
            await first.ears.say("Confirm.", lasts_s=0.6)
            await first.ears.say("Go on.", lasts_s=0.6)
            await asyncio.sleep(1.0)
        async with succeeding(first) as second:
            await asyncio.sleep(200.0)
            assert modes(second)[-1] == CONFIRMED
            assert second.room.bodies("segment") == [], "a tone tells that the voice is back, and no word"
            assert (await second.client.say(2, "right_case"))["ok"]
            await asyncio.sleep(20.0)
            assert modes(second)[-1] == "free"
            spoken = [b["utterance_id"] for b in second.room.bodies("utterance") if b["phase"] == "spoken"]
            assert any(each.startswith(ALARM) for each in spoken)

    virtual.run(scene())


def test_who_comes_back_hears_nothing_of_the_wrong_case(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await doubted(s)
            await s.ears.say("Confirm.", lasts_s=0.6)
            await asyncio.sleep(1.0)
            s.client.leave()
            await asyncio.sleep(60.0)
            back_s = s.loop.time()
            await s.client.come()
            await asyncio.sleep(30.0)
            assert silent_from(s, back_s)

    virtual.run(scene())


def test_the_verdict_is_shown_with_its_reason(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await doubted(s)
            await s.ears.say("Confirm.", lasts_s=0.6)
            await s.ears.say("Stop.", lasts_s=0.4)
            await asyncio.sleep(0.2)
            assert turns(s) == [
                ("wrong_case", "wrong_case"),
                ("confirm_wrong_case", "confirmed"),
                ("go_on", "case_in_doubt"),
            ]

    virtual.run(scene())


def test_a_turn_that_lasts_while_the_time_for_an_answer_runs_out_still_answers(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await doubted(s)
            await asyncio.sleep(CONFIRM_S - 0.5)
            await s.ears.say("Confirm.", lasts_s=0.9)
            await asyncio.sleep(0.2)
            assert modes(s)[-1] == CONFIRMED

    virtual.run(scene())


def test_a_confirm_that_begins_before_our_question_is_over_may_be_our_own_voice(
    virtual: asyncio.Runner,
) -> None:
    """In a noisy room no voice holds the question, so that it ends under the turn (decision 031)."""

    async def scene() -> None:
        long = [spoken(LONG, topic=f"t{n}", protects=True) for n in range(6)]
        async with reading(*long) as s:
            for _ in range(3):
                await s.ears.say("", lasts_s=0.4)
                await asyncio.sleep(2.0)
            assert modes(s)[-1] == "noisy"
            await s.ears.say("This is the wrong patient.", lasts_s=1.2)
            await asyncio.sleep(0.3)
            assert questions(s), "it is being asked"
            assert not [b for b in questions(s) if b["phase"] == "spoken"]
            await s.ears.say("Confirm.", lasts_s=3.0)
            await asyncio.sleep(0.3)
            assert [b for b in questions(s) if b["phase"] == "spoken"], "it ended under the turn"
            assert modes(s)[-1] == "asking"
            await s.ears.say("Confirm.", lasts_s=0.6)
            await asyncio.sleep(0.3)
            assert modes(s)[-1] == CONFIRMED

    virtual.run(scene())

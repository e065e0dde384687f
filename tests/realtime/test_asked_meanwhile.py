"""Scenes on virtual time: the clinician asks or orders something, aloud or typed, while we speak or are silenced."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import SpokenKind
from realtime.conversation.effects import REFUSAL
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, NEXT, modes, reading, spoken_ids, words_heard
from tests.realtime.scene import LONG


def test_a_question_is_answered_before_the_held_item_goes_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        asked = "What is the potassium?"
        async with reading(answers={asked: "On the potassium: 6.9."}) as s:
            await s.ears.say(asked, lasts_s=1.4)
            await s.until(30.0)
            (answer,) = s.room.bodies("answer")
            assert (answer["question"], answer["found"]) == (asked, True)
            order = [b["utterance_id"] for b in s.room.bodies("segment")]
            assert order.index(answer["utterance_id"]) < len(order) - order[::-1].index(ITEM)
            assert words_heard(s, ITEM) == LONG.split()
            assert s.room.phases(answer["utterance_id"])[-1] == s.room.phases(ITEM)[-1] == "spoken"
            assert s.dialogue.asked[0].focus is not None
            assert s.dialogue.asked[0].focus.utterance_id == ITEM

    virtual.run(scene())


ASKED = "What is the potassium?"


@pytest.mark.parametrize("how", ["spoken", "typed"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_question_into_a_quiet_is_answered_and_the_quiet_goes_on(
    virtual: asyncio.Runner, how: str, times: int
) -> None:
    async def scene() -> None:
        async with reading(answers={ASKED: "On the potassium: 6.9."}) as s:
            await s.ears.say("Stop.")
            await s.until(15.0)
            for time in range(times):
                if how == "spoken":
                    await s.ears.say(ASKED, lasts_s=1.4)
                else:
                    assert (await s.client.say(2 + time, "ask", text=ASKED))["ok"]
                await s.until(s.loop.time() + 12.0)
            answers = [key for key in spoken_ids(s) if ".answer." in key]
            assert len(answers) == times
            silent_from = s.sink.sounding()[-1][1]
            await s.until(s.loop.time() + 60.0)
            assert s.sink.sounding()[-1][1] == silent_from
            assert s.room.phases(ITEM)[-1] == "held"
            assert (s.room.phases(NEXT)[-1], modes(s)[-1]) == ("queued", "quiet")
            await s.ears.say("Go on.")
            await s.until(s.loop.time() + 40.0)
            assert s.room.phases(ITEM)[-1] == s.room.phases(NEXT)[-1] == "spoken"

    virtual.run(scene())


@pytest.mark.parametrize("words", ["Start heparin.", "Can you hear me?", "How much longer?"])
def test_what_else_is_answered_in_a_quiet_does_not_end_it(virtual: asyncio.Runner, words: str) -> None:
    async def scene() -> None:
        async with reading(case_words=frozenset({"heparin"})) as s:
            await s.ears.say("Stop.")
            await s.until(15.0)
            await s.client.say(2, "ask", text=words)
            await s.until(60.0)
            assert s.room.phases(NEXT)[-1] == "queued"
            assert modes(s)[-1] == "quiet"

    virtual.run(scene())


def test_a_question_ends_a_wait(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(answers={ASKED: "On the potassium: 6.9."}) as s:
            await s.ears.say("Hold on.")
            await s.until(15.0)
            await s.ears.say(ASKED, lasts_s=1.4)
            await s.until(40.0)
            assert s.room.phases(ITEM)[-1] == s.room.phases(NEXT)[-1] == "spoken"

    virtual.run(scene())


@pytest.mark.parametrize("when", ["before", "while", "after"])
def test_an_alarm_breaks_a_quiet_in_which_something_is_asked(virtual: asyncio.Runner, when: str) -> None:
    async def scene() -> None:
        async with reading(answers={ASKED: "On the potassium: 6.9."}, answer_takes_s=1.0) as s:
            alarm = spoken("Potassium is 6.9 now.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")
            await s.ears.say("Stop.")
            await s.until(15.0)
            if when == "before":
                s.streams.commit(update(2, alarm), update_id(2))
                while s.room.phases(f"{update_id(2)}.1")[-1:] != ["speaking"]:
                    await asyncio.sleep(0.02)
            assert (await s.client.say(2, "ask", text=ASKED))["ok"]
            if when == "after":
                await s.until(30.0)
            if when != "before":
                s.streams.commit(update(2, alarm), update_id(2))
            await s.until(60.0)
            assert s.room.phases(f"{update_id(2)}.1")[-1] == "spoken"
            assert [key for key in spoken_ids(s) if ".answer." in key]
            assert (s.room.phases(NEXT)[-1], modes(s)[-1]) == ("queued", "quiet")

    virtual.run(scene())


def test_a_second_question_takes_the_place_of_the_first_answer(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        first, second = "What is the potassium?", "What is the sodium?"
        answers = {first: f"On the potassium: {LONG}", second: "On the sodium: 132."}
        async with reading(answers=answers) as s:
            await s.ears.say(first, lasts_s=1.4)
            await s.until(12.0)
            await s.ears.say(second, lasts_s=1.4)
            await s.until(40.0)
            one, two = (body["utterance_id"] for body in s.room.bodies("answer"))
            assert s.room.phases(one)[-1] == "cancelled"
            assert s.room.phases(two)[-1] == s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_stop_before_the_answer_is_there_leaves_it_unsaid(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        asked = "What is the potassium?"
        async with reading(answers={asked: "On the potassium: 6.9."}, answer_takes_s=2.0) as s:
            await s.ears.say(asked, lasts_s=1.4)
            await s.client.say(2, "stop")
            await s.until(30.0)
            assert s.dialogue.asked
            assert [body["outcome"] for body in s.room.bodies("answer")] == ["gone_on"]
            assert "6.9" not in str(s.room.bodies("answer"))
            assert modes(s)[-1] == "quiet"
            assert s.room.phases(ITEM)[-1] == "held"

    virtual.run(scene())


POTASSIUM, BOTH = "What is the potassium?", "What is the potassium and the calcium dose?"


async def _asked_in_two(first: str, rest: str) -> list[str]:
    """Say `first`, and `rest` just after it; return the questions that were answered."""
    answers = dict.fromkeys((POTASSIUM, BOTH, rest), "On the potassium: 6.9.")
    async with reading(answers=answers) as s:
        await s.ears.say(first, lasts_s=1.4)
        await asyncio.sleep(0.3)
        await s.ears.say(rest, lasts_s=0.8, joined=BOTH)
        await s.until(40.0)
        last = s.room.bodies("answer")[-1]["utterance_id"]
        assert s.room.phases(last)[-1] == "spoken"
        assert s.room.phases(ITEM)[-1] == "spoken"
        return [b["question"] for b in s.room.bodies("answer")]


def test_a_question_with_a_pause_in_it_is_answered_whole(virtual: asyncio.Runner) -> None:
    assert virtual.run(_asked_in_two(POTASSIUM, "the calcium dose")) == [POTASSIUM, BOTH]


@pytest.mark.parametrize("rest", ["okay", "On the potassium"], ids=["a sign of listening", "our own words"])
def test_what_means_something_by_itself_is_no_rest_of_a_question(virtual: asyncio.Runner, rest: str) -> None:
    assert virtual.run(_asked_in_two(POTASSIUM, rest)) == [POTASSIUM]


@pytest.mark.parametrize("first", ["mm-hm", "I had a terrible night with my wife."])
def test_a_question_is_no_rest_of_what_was_not_for_us(virtual: asyncio.Runner, first: str) -> None:
    assert virtual.run(_asked_in_two(first, "What is the sodium?")) == ["What is the sodium?"]


def test_what_follows_a_command_is_taken_by_itself(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        both = "Skip this. What is the sodium?"
        async with reading(answers={"What is the sodium?": "On the sodium: 132.", both: "Never said."}) as s:
            await s.ears.say("Skip this.", lasts_s=0.8)
            await asyncio.sleep(0.3)
            await s.ears.say("What is the sodium?", lasts_s=1.2, joined=both)
            await s.until(40.0)
            assert [b["question"] for b in s.room.bodies("answer")] == ["What is the sodium?"]

    virtual.run(scene())


def test_an_order_to_the_system_is_refused_in_words(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(case_words=frozenset({"calcium"})) as s:
            await s.ears.say("EXAIM, give the calcium now.", lasts_s=1.6)
            await s.until(30.0)
            (refusal,) = {b["text"] for b in s.room.bodies("utterance") if b["kind"] == "refusal"}
            assert refusal == REFUSAL
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_a_typed_question_is_answered_as_a_spoken_one(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(answers={"sodium?": "On the sodium: 132."}) as s:
            assert (await s.client.say(2, "ask", text="sodium?"))["ok"]
            await s.until(30.0)
            assert s.room.bodies("answer")[0]["sentences"][0]["source"] == "script"
            assert s.room.bodies("turn")[-1]["via"] == "text"
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())

"""Scenes on virtual time: the clinician asks the team, by voice or typed, and hears what comes of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.inbox import MessageKind
from infra.errors import InboxFull, StoreUnavailable
from realtime.team import asking
from realtime.team.to_team import NOT_SENT, SENT, TOO_LONG
from realtime.testing import ListLine
from tests.realtime.asking_team import (
    OTHER,
    QUESTION,
    READ_BACK,
    asked_to_the_end,
    listening,
    offered,
    said,
)
from tests.realtime.reading import ITEM, modes, reading, turns
from tests.realtime.scene import Scene

# --- by voice ---------------------------------------------------------------------------------------------


def test_a_question_is_read_back_and_goes_to_the_team_after_a_yes(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            await s.ears.say(QUESTION, lasts_s=3.0)
            await asked_to_the_end(s)
            assert said(s, "question") == [READ_BACK]
            assert not line.messages, "nothing goes before the yes"
            assert (s.room.bodies("mode")[-1]["asks"], modes(s)[-1]) == ("to_team", "asking")
            await s.ears.say("Yes.")
            yes_s = s.loop.time()
            await s.until(yes_s + 12.0)
            (sent,) = [each.message for each in line.messages]
            assert (sent.kind, sent.to, sent.text) == (
                MessageKind.QUESTION, "doctor1", "could this be pericarditis?",
            )  # fmt: skip
            assert line.put_at_s[0] - yes_s <= 1.0
            assert said(s, "reply") == [SENT]
            assert not s.dialogue.asked, "the board was not asked in the team's place"
            assert s.room.phases(ITEM)[-1] == "spoken" or modes(s)[-1] == "free"

    virtual.run(scene())


@pytest.mark.parametrize("answer", ["No.", OTHER, "Stop."])
def test_whatever_else_is_said_sends_nothing_and_is_told(virtual: asyncio.Runner, answer: str) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line, answers={OTHER: "It does."}) as s:
            await s.ears.say(QUESTION, lasts_s=3.0)
            await asked_to_the_end(s)
            await s.ears.say(answer)
            await s.until(s.loop.time() + 12.0)
            assert not line.messages
            assert NOT_SENT in said(s, "reply")

    virtual.run(scene())


def test_silence_sends_nothing_and_is_told(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            await s.ears.say(QUESTION, lasts_s=3.0)
            await asked_to_the_end(s)
            await s.until(s.loop.time() + 20.0)
            assert not line.messages
            assert said(s, "reply") == [NOT_SENT]
            assert modes(s)[-1] == "free"

    virtual.run(scene())


@pytest.mark.parametrize("heard", [("Mm-hm.", None), ("Yas.", "yes"), ("", None)])
def test_a_hum_a_cough_and_a_yes_heard_badly_send_nothing(
    virtual: asyncio.Runner, heard: tuple[str, str | None]
) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            await s.ears.say(QUESTION, lasts_s=3.0)
            await asked_to_the_end(s)
            await s.ears.say(heard[0], word=heard[1])
            await s.until(s.loop.time() + 20.0)
            assert not line.messages
            assert said(s, "reply") == [NOT_SENT]

    virtual.run(scene())


def test_a_yes_before_our_read_back_is_over_sends_nothing_by_itself(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            await s.ears.say(QUESTION, lasts_s=3.0)
            await s.until(s.loop.time() + 1.0)
            assert not said(s, "question")
            await s.ears.say("Yes.", lasts_s=0.4)
            await asked_to_the_end(s)
            assert not line.messages
            await s.ears.say("Yes, please.")
            await s.until(s.loop.time() + 3.0)
            assert len(line.messages) == 1

    virtual.run(scene())


def test_another_question_takes_the_place_of_one_that_was_not_confirmed(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            await s.ears.say(QUESTION, lasts_s=3.0)
            await asked_to_the_end(s)
            await s.ears.say("Tell the team that the lactate is 7.1.", lasts_s=3.0)
            await asked_to_the_end(s)
            assert said(s, "question")[-1] == f"{NOT_SENT} Tell the team: the lactate is 7.1. Say yes."
            await s.ears.say("Yes.")
            await s.until(s.loop.time() + 5.0)
            (sent,) = [each.message for each in line.messages]
            assert (sent.kind, sent.to, sent.text) == (MessageKind.FACT, "", "the lactate is 7.1")
            assert said(s, "reply") == [SENT]

    virtual.run(scene())


@pytest.mark.parametrize(
    ("why", "line"),
    [
        (asking.DEAF, ListLine(listens=False)),
        (asking.OVER, "over"),
        (asking.AWAY, "away"),
    ],
)
def test_who_can_not_be_asked_is_told_at_once(virtual: asyncio.Runner, why: str, line: Any) -> None:
    async def scene() -> None:
        found = line if isinstance(line, ListLine) else ListLine()
        async with listening(found) as s:
            found.over, found.away = line == "over", line == "away"
            await s.until(s.loop.time() + 1.0)
            await s.ears.say(QUESTION, lasts_s=3.0)
            await s.until(s.loop.time() + 8.0)
            assert said(s, "reply") == [why]
            assert not said(s, "question")
            assert not s.dialogue.asked

    virtual.run(scene())


def test_a_recording_has_nobody_to_ask_and_says_so(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(6.0)
            await s.ears.say("Ask the team whether heparin is safe.", lasts_s=3.0)
            await s.until(s.loop.time() + 10.0)
            assert said(s, "reply") == [asking.RECORDED]
            assert turns(s)[0] == ("ask_team", "for_team")
            assert not s.dialogue.asked

    virtual.run(scene())


@pytest.mark.parametrize(
    ("failure", "told"), [(InboxFull(20), asking.FULL), (StoreUnavailable("x"), asking.NOT_KNOWN)]
)
def test_what_was_not_sent_though_confirmed_is_told(virtual: asyncio.Runner, failure: Any, told: str) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            line.fails_with = failure
            await s.ears.say(QUESTION, lasts_s=3.0)
            await asked_to_the_end(s)
            await s.ears.say("Yes.")
            await s.until(s.loop.time() + 10.0)
            assert said(s, "reply") == [told]

    virtual.run(scene())


def test_what_can_not_be_read_back_is_not_sent(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with listening() as s:
            await s.ears.say("Ask the team " + "and the kidney " * 30, lasts_s=4.0)
            await s.until(s.loop.time() + 15.0)
            assert said(s, "reply") == [TOO_LONG]

    virtual.run(scene())


def test_a_team_is_told_to_stop_though_it_takes_no_questions(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine(listens=False)
        async with listening(line) as s:
            await s.ears.say("Tell the team to stop now.", lasts_s=2.0)
            await asked_to_the_end(s)
            assert said(s, "question") == [
                "Tell the team to stop? It ends its work, and can't go on. Say yes."
            ]
            await s.ears.say("Yes.")
            await s.until(s.loop.time() + 8.0)
            assert [each.message.kind for each in line.messages] == [MessageKind.CANCELLED]
            assert s.room.bodies("notice")[-1]["code"] == "team_cancelled"
            assert s.room.bodies("mode")[-1]["mode"] == "free", "we are not told to stop"

    virtual.run(scene())


# --- typed ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["typed yes", "button", "no"])
def test_what_is_typed_is_asked_on_the_page_without_a_sound(virtual: asyncio.Runner, how: str) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            assert (await s.client.say(2, "ask", text=QUESTION))["ok"]
            await s.until(s.loop.time() + 1.0)
            assert s.room.bodies("mode")[-1]["question"] == READ_BACK
            assert not offered(s, "question")
            match how:
                case "typed yes":
                    assert (await s.client.say(3, "ask", text="Yes."))["ok"]
                case "button":
                    assert (await s.client.say(3, "send_to_team"))["ok"]
                case _:
                    assert (await s.client.say(3, "keep_from_team"))["ok"]
            await s.until(s.loop.time() + 10.0)
            assert len(line.messages) == (how != "no")
            assert said(s, "reply") == [NOT_SENT if how == "no" else SENT]
            assert not (await s.client.say(4, "send_to_team"))["ok"], "nothing is asked any more"

    virtual.run(scene())


@pytest.mark.parametrize("how", ["typed", "spoken"])
def test_the_turn_of_a_question_that_nobody_can_be_asked_says_so(virtual: asyncio.Runner, how: str) -> None:
    """The page shows it as what came of the turn: nothing is asked back."""

    async def scene() -> None:
        async with reading() as s:  # a recording: there is no team
            if how == "typed":
                assert (await s.client.say(2, "ask", text="Ask the team: is it sepsis?"))["ok"]
            else:
                await s.ears.say("Ask the team: is it sepsis?", lasts_s=2.0)
            await s.until(s.loop.time() + 1.0)
            turn = s.room.bodies("turn")[-1]
            assert (turn["effect"], turn["reply"]) == ("ask_team", asking.RECORDED)

    virtual.run(scene())


def test_what_was_typed_is_still_asked_after_a_welcome(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            assert (await s.client.say(2, "ask", text=QUESTION))["ok"]
            await s.until(s.loop.time() + 1.0)
            s.client.leave()
            await asyncio.sleep(2.0)
            await s.client.come(None)
            await asyncio.sleep(12.0)  # the welcome is over
            assert (await s.client.say(2, "send_to_team"))["ok"]
            await s.until(s.loop.time() + 10.0)
            assert len(line.messages) == 1

    virtual.run(scene())


def test_that_nothing_was_sent_is_told_after_a_welcome_though_we_were_asked_to_wait(
    virtual: asyncio.Runner,
) -> None:
    """The welcome lets go of the read-back; who is back hears so before the wait goes on."""

    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            await s.ears.say("Wait.", lasts_s=0.5)
            await s.until(s.loop.time() + 3.0)
            await s.ears.say(QUESTION, lasts_s=3.0)
            await asked_to_the_end(s)
            s.client.leave()
            await asyncio.sleep(2.0)
            await s.client.come(None)
            await asyncio.sleep(25.0)
            assert not line.messages
            assert said(s, "reply") == [NOT_SENT]
            assert (modes(s)[-1], s.room.phases(ITEM)[-1]) == ("waiting", "held"), "and waits again"

    virtual.run(scene())

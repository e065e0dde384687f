"""Scenes on virtual time: a worker dies over a question, or in a quiet, and its successor stands as it did."""

from __future__ import annotations

import asyncio

import pytest

from infra.streams import Command, LoggedCommand
from realtime.conversation.short_answers import NOTHING_BEFORE
from realtime.conversation.unheard import ASK_AGAIN, MISSED
from realtime.interruption import Mode
from realtime.speech.before import read_before
from realtime.team.to_team import NOT_SENT
from tests.realtime.asking_team import QUESTION as TO_TEAM
from tests.realtime.asking_team import asked_to_the_end, listening, said
from tests.realtime.reading import modes, reading
from tests.realtime.scene import LONG, Scene
from tests.realtime.test_stopped import succeeding

pytestmark = pytest.mark.usefixtures("no_task_left_behind")

QUESTION = "What is the potassium?"


def last_phases(s: Scene, kind: str) -> list[str]:
    """Return the last phase of each utterance of a kind."""
    phases = {b["utterance_id"]: b["phase"] for b in s.room.bodies("utterance") if b["kind"] == kind}
    return list(phases.values())


def turn(number: int, effect: str, reply: str = "") -> LoggedCommand:
    args = {"turn_id": f"b-1-{number}", "effect": effect, "reply": reply}
    return LoggedCommand(f"{number}-0", number, Command(kind="turn", by="x", at_ms=0, args=args), number)


@pytest.mark.parametrize(("reply", "mode"), [(NOTHING_BEFORE, Mode.QUIET), ("", Mode.FREE)])
def test_previous_with_nothing_before_it_ends_no_quiet(reply: str, mode: Mode) -> None:
    commands = [turn(1, "quiet"), turn(2, "previous", reply)]
    assert read_before(commands, [], vacant_s=6.0, now_ms=1.0).mode is mode


def test_an_answer_that_was_asked_into_a_quiet_is_said_and_the_quiet_goes_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(answers={QUESTION: LONG}) as first:
            await first.client.say(2, "stop")
            await asyncio.sleep(1.0)
            await first.ears.say(QUESTION, lasts_s=1.0)
            await asyncio.sleep(2.0)
            assert last_phases(first, "answer") == ["speaking"]
        async with succeeding(first) as second:
            await asyncio.sleep(20.0)
            assert last_phases(second, "answer")[-1] == "spoken"
            assert modes(second)[-1] == "quiet"

    virtual.run(scene())


def test_an_answer_that_a_later_stop_held_waits_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(answers={QUESTION: LONG}) as first:
            await first.client.say(2, "stop")
            await first.ears.say(QUESTION, lasts_s=1.0)
            await asyncio.sleep(2.0)
            await first.client.say(3, "stop")
            await asyncio.sleep(1.0)
        async with succeeding(first) as second:
            await asyncio.sleep(20.0)
            assert last_phases(second, "answer")[-1] == "queued"

    virtual.run(scene())


def test_a_question_whose_answer_had_not_come_is_asked_for_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(answers={QUESTION: LONG}, answer_takes_s=3.0) as first:
            await first.ears.say(QUESTION, lasts_s=1.0)
            await asyncio.sleep(1.0)
            assert last_phases(first, "answer") == []
        async with succeeding(first) as second:
            await asyncio.sleep(10.0)
            replies = [b for b in second.room.bodies("utterance") if b["kind"] == "reply"]
            assert [b["text"] for b in replies if b["phase"] == "spoken"] == [ASK_AGAIN]

    virtual.run(scene())


def test_a_question_that_was_answered_is_not_asked_for_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(answers={QUESTION: "It is 6.9."}) as first:
            await first.ears.say(QUESTION, lasts_s=1.0)
            await asyncio.sleep(5.0)
        async with succeeding(first) as second:
            await asyncio.sleep(10.0)
            assert last_phases(second, "reply") == []

    virtual.run(scene())


def test_what_was_being_said_when_the_worker_died_is_asked_for_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(answers={QUESTION: LONG}) as first:
            saying = asyncio.create_task(first.ears.say(QUESTION, lasts_s=3.0))
            await asyncio.sleep(1.0)
            saying.cancel()
        async with succeeding(first) as second:
            await asyncio.sleep(10.0)
            assert said(second, "reply") == [MISSED]

    virtual.run(scene())


@pytest.mark.parametrize("words", ["Mm-hm.", "Stop.", "Did you get your lunch?"])
def test_what_was_decided_before_the_worker_died_is_not(virtual: asyncio.Runner, words: str) -> None:
    async def scene() -> None:
        async with reading() as first:
            await first.ears.say(words)
            await asyncio.sleep(1.0)
        async with succeeding(first) as second:
            await asyncio.sleep(10.0)
            assert said(second, "reply") == []

    virtual.run(scene())


@pytest.mark.parametrize(("then", "want"), [("", [MISSED]), ("No.", [])])
def test_a_message_that_waited_for_a_yes_is_asked_for_again(
    virtual: asyncio.Runner, then: str, want: list[str]
) -> None:
    async def scene() -> None:
        async with listening() as first:
            await first.ears.say(TO_TEAM, lasts_s=3.0)
            await asked_to_the_end(first)
            if then:
                await first.ears.say(then)
                await asyncio.sleep(1.0)
        async with succeeding(first) as second:
            await asyncio.sleep(10.0)
            assert said(second, "reply") == want

    virtual.run(scene())


@pytest.mark.parametrize("hum", ["", "Mm-hm."])
def test_a_message_of_which_was_said_that_it_was_not_sent_is_not(virtual: asyncio.Runner, hum: str) -> None:
    async def scene() -> None:
        async with listening() as first:
            await first.ears.say(TO_TEAM, lasts_s=3.0)
            await asked_to_the_end(first)
            async with asyncio.timeout(30.0):
                while said(first, "reply") != [NOT_SENT]:
                    await asyncio.sleep(0.05)
            if hum:
                await first.ears.say(hum)
                await asyncio.sleep(1.0)
        async with succeeding(first) as second:
            await asyncio.sleep(10.0)
            assert said(second, "reply") == []

    virtual.run(scene())

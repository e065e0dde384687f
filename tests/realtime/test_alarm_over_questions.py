"""Scenes on virtual time: questions come faster than an alarm can be told, and it is told all the same."""

from __future__ import annotations

import asyncio

import pytest

from realtime.testing import ListLine
from tests.realtime.making import update, update_id
from tests.realtime.reading import reading, words_heard
from tests.realtime.scene import Scene
from tests.realtime.test_stopped import ALARM, alarm, sounding

WHOLE = "Potassium is 7.4 now.".split()
ALARM_TEXT = "Potassium is 7.4 now."
BOUND_S = 10.0
SHORT = "On the calcium: ten millilitres of calcium gluconate over ten minutes."
SIXTY = " ".join(f"Clause number {n} is said." for n in range(12))  # 60 words
ASKED = "What is the dose of calcium?"


def told_whole_s(s: Scene, name: str = ALARM) -> float:
    """Return when an alarm was heard to its end."""
    (spoken_s,) = s.told_at_s(name, "spoken")
    return spoken_s


async def ask(s: Scene, how: str, seq: int) -> None:
    """Ask so that the next question comes 2.5 s after this one."""
    if how == "typed" or (how == "mixed" and seq % 2):
        assert (await s.client.say(seq, "ask", text=ASKED))["ok"]
        await asyncio.sleep(2.5)
    else:
        await s.ears.say(ASKED, lasts_s=1.5)
        await asyncio.sleep(1.0)


@pytest.mark.parametrize("answer", [SHORT, SIXTY], ids=["short", "sixty words"])
@pytest.mark.parametrize("how", ["typed", "spoken", "mixed"])
def test_an_alarm_is_told_within_ten_seconds_however_fast_questions_come(
    virtual: asyncio.Runner, how: str, answer: str
) -> None:
    async def scene() -> None:
        async with reading(answers={ASKED: answer}) as s:
            await ask(s, how, 2)
            s.streams.commit(update(2, alarm(ALARM_TEXT)), update_id(2))
            came_s = s.loop.time()
            for seq in range(3, 15):
                await ask(s, how, seq)
            assert told_whole_s(s) - came_s <= BOUND_S + 5.0, "begun by then; it lasts some three seconds"
            assert s.told_at_s(ALARM, "speaking")[0] - came_s <= BOUND_S
            assert words_heard(s, ALARM) == WHOLE
            await asyncio.sleep(40.0)
            last = s.room.bodies("answer")[-1]["utterance_id"]
            assert s.room.phases(last)[-1] == "spoken", "the newest question is answered"

    virtual.run(scene())


@pytest.mark.parametrize("how", ["typed", "spoken", "mixed"])
def test_five_alarms_are_told_one_after_the_other_whatever_is_asked(
    virtual: asyncio.Runner, how: str
) -> None:
    async def scene() -> None:
        async with reading(answers={ASKED: SIXTY}) as s:
            await ask(s, how, 2)
            five = [alarm(f"Finding {name} is 7.4 now.", name) for name in "abcde"]
            s.streams.commit(update(2, *five), update_id(2))
            came_s = s.loop.time()
            for seq in range(3, 27):
                await ask(s, how, seq)
            ended_s = [told_whole_s(s, f"{update_id(2)}.{n}") for n in range(1, 6)]
            alone_s = 6.0  # earcon, words and the pause for "got it"
            assert ended_s[-1] - came_s <= BOUND_S + 5 * alone_s
            assert s.told_at_s(f"{update_id(2)}.1", "speaking")[0] - came_s <= BOUND_S

    virtual.run(scene())


def test_a_typed_question_does_not_break_an_alarm_off(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(answers={ASKED: SHORT}) as s:
            s.streams.commit(update(2, alarm(ALARM_TEXT)), update_id(2))
            await sounding(s, ALARM)
            await s.client.say(2, "ask", text=ASKED)
            await asyncio.sleep(20.0)
            assert s.room.phases(ALARM) == ["queued", "speaking", "spoken"]
            (answer,) = s.room.bodies("answer")
            assert s.room.phases(answer["utterance_id"])[-1] == "spoken"
            assert told_whole_s(s) < s.told_at_s(answer["utterance_id"], "speaking")[0]

    virtual.run(scene())


def test_an_alarm_that_was_stopped_waits_ten_seconds_of_questions_and_no_more(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading(answers={ASKED: SHORT}) as s:
            s.streams.commit(update(2, alarm(ALARM_TEXT)), update_id(2))
            await sounding(s, ALARM)
            await s.ears.say("Stop.", lasts_s=0.4)
            asked_s = s.loop.time()
            for seq in range(2, 14):
                await ask(s, "typed", seq)
            assert told_whole_s(s, f"{ALARM}.r1") - asked_s <= BOUND_S + 5.0
            assert words_heard(s, f"{ALARM}.r1") == WHOLE

    virtual.run(scene())


def test_an_alarm_that_is_overdue_sounds_while_somebody_speaks_and_can_be_stopped(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading(answers={ASKED: SHORT}) as s:
            await ask(s, "spoken", 2)
            s.streams.commit(update(2, alarm("Potassium is 7.4 now. " + SIXTY)), update_id(2))
            for seq in range(3, 9):
                await ask(s, "spoken", seq)
            assert s.room.phases(ALARM)[-1] == "speaking"
            await s.ears.say("Stop.", lasts_s=0.4)
            await asyncio.sleep(1.0)
            assert s.room.phases(ALARM)[-1] == "held", "a question is no stop; a stop is one"

    virtual.run(scene())


def test_an_alarm_that_is_overdue_is_not_held_by_our_next_question(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True, team=ListLine(), answers={ASKED: SIXTY})
        async with s.running():
            await s.client.come()
            await s.until(12.0)
            await ask(s, "spoken", 2)
            s.streams.commit(update(2, alarm(f"{ALARM_TEXT} {SIXTY}")), update_id(2))
            for _ in range(3):
                await s.ears.say(ASKED, lasts_s=1.5)
                await asyncio.sleep(0.5)
            await asyncio.sleep(BOUND_S)
            assert s.room.phases(ALARM)[-1] == "speaking"
            await s.ears.say("Ask the team whether dialysis is needed.", lasts_s=1.6)
            await asyncio.sleep(1.0)
            assert s.room.bodies("mode")[-1]["asks"] == "to_team"
            await asyncio.sleep(1.0)
            assert s.room.phases(ALARM)[-1] == "speaking"
            await s.ears.say("Wrong patient.", lasts_s=0.6)
            await asyncio.sleep(2.0)
            assert s.room.phases(ALARM)[-1] == "held", "this question silences everything"

    virtual.run(scene())


@pytest.mark.parametrize("again", [False, True], ids=["waited for", "asked again"])
def test_an_answer_that_an_alarm_broke_into_goes_on_after_it_or_is_left_with_a_notice(
    virtual: asyncio.Runner, again: bool
) -> None:
    async def scene() -> None:
        async with reading(answers={ASKED: SIXTY}) as s:
            await s.client.say(2, "ask", text=ASKED)
            await asyncio.sleep(2.0)
            s.streams.commit(update(2, alarm(ALARM_TEXT)), update_id(2))
            await sounding(s, ALARM)
            if again:
                await s.client.say(3, "ask", text=ASKED)
            await asyncio.sleep(60.0)
            ends = [s.room.phases(b["utterance_id"])[-1] for b in s.room.bodies("answer")]
            assert ends == (["cancelled", "spoken"] if again else ["spoken"])
            notices = [b["code"] for b in s.room.bodies("notice")]
            assert notices.count("answer_left") == again

    virtual.run(scene())

"""Scenes on virtual time: a stopped alarm comes again; "got it" takes note of the one that was meant."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import Update
from realtime.ears import TurnEnded, TurnMetadata, VoiceBegan
from realtime.room.livekit_room import Typed
from realtime.speech.alerts import AGAIN_AFTER_S
from realtime.speech.waiting import ADMITTED_AFTER_S
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, modes, reading, words_heard
from tests.realtime.scene import LONG, Scene
from tests.realtime.test_alarms import board
from tests.realtime.test_stopped import AGAIN, ALARM, OTHER, TWICE, alarm, sounding

WHOLE = "Potassium is 6.9 now.".split()


def with_board(made: Update, *findings: tuple[str, str]) -> Update:
    return made.model_copy(update={"board": board(*findings)})


async def stopped(s: Scene, said: str) -> float:
    """Have an alarm sound, stop it, and return when that was said."""
    s.streams.commit(with_board(update(2, alarm()), ("k", "potassium")), update_id(2))
    await sounding(s, ALARM)
    await s.ears.say(said, lasts_s=0.5)
    await asyncio.sleep(0.2)
    assert s.room.phases(ALARM)[-1] == "held"
    return s.loop.time()


def replies(s: Scene) -> list[str]:
    """Return what we answered by ourselves, as far as it was heard to its end."""
    return [b["text"] for b in s.room.bodies("utterance") if (b["kind"], b["phase"]) == ("reply", "spoken")]


@pytest.mark.parametrize(
    ("said", "after_s", "mode"),
    [("Stop.", AGAIN_AFTER_S, "quiet"), ("Hold on.", ADMITTED_AFTER_S, "waiting")],
)
def test_an_alarm_that_was_stopped_is_told_again_whole_after_a_while(
    virtual: asyncio.Runner, said: str, after_s: float, mode: str
) -> None:
    async def scene() -> None:
        async with reading() as s:
            stopped_s = await stopped(s, said)
            await s.until(stopped_s + after_s - 1.0)
            assert s.room.phases(AGAIN) == []
            await s.until(stopped_s + after_s + 8.0)
            assert s.room.phases(AGAIN)[-1] == "spoken"
            assert words_heard(s, AGAIN) == WHOLE
            assert s.room.phases(ALARM) == ["queued", "speaking", "held", "cancelled"]
            await asyncio.sleep(5.0)
            assert (modes(s)[-1], s.room.phases(ITEM)[-1]) == (mode, "held"), "silent again"

    virtual.run(scene())


def test_ten_seconds_are_counted_from_the_last_voice_but_two_minutes_are_the_most(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await stopped(s, "Hold on.")
            for _ in range(4):
                await s.ears.say("did you get any lunch", lasts_s=2.0)
                await asyncio.sleep(4.0)
            spoken_s = s.loop.time() - 4.6
            assert s.room.phases(AGAIN) == []
            await s.until(spoken_s + ADMITTED_AFTER_S + 5.0)  # the earcon goes before its words
            assert s.room.phases(AGAIN)[-1] == "spoken"

    virtual.run(scene())


def test_talk_that_never_pauses_for_long_puts_an_alarm_off_for_two_minutes_at_most(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            stopped_s = await stopped(s, "Hold on.")
            while s.loop.time() < stopped_s + AGAIN_AFTER_S + 8.0:
                await s.ears.say("did you get any lunch", lasts_s=2.0)
                await asyncio.sleep(3.0)
            await asyncio.sleep(5.0)
            assert s.told_at_s(AGAIN, "queued")[0] - stopped_s < AGAIN_AFTER_S + 5.0
            assert s.room.phases(AGAIN)[-1] == "spoken"

    virtual.run(scene())


async def talk_without_a_pause(s: Scene, until_s: float) -> None:
    """Have somebody talk so that each turn begins before the one before it is over."""
    before: tuple[int, float] | None = None
    for number in range(100, 200):
        now_s = s.loop.time()
        if now_s >= until_s and before is None:
            return
        if now_s < until_s:
            s.ears.tell(VoiceBegan(number, now_s))
        if before is not None:
            said = "did you get any lunch"
            metadata = TurnMetadata(
                turn=before[0],
                began_s=before[1],
                ended_s=now_s,
                duration_ms=round(1000 * (now_s - before[1])),
                word_count=5,
                had_eager_eot=True,
                had_turn_resumed=False,
                confidence=1.0,
                word=None,
                word_confidence=0.0,
                trigger="silence",
            )
            s.ears.tell(TurnEnded(before[0], said, metadata))
        before = (number, now_s) if now_s < until_s else None
        await asyncio.sleep(20.0)


@pytest.mark.parametrize("said", ["Stop.", "Hold on."])
def test_nor_does_talk_without_any_pause_and_a_stop_is_obeyed_in_it(
    virtual: asyncio.Runner, said: str
) -> None:
    async def scene() -> None:
        async with reading() as s:
            stopped_s = await stopped(s, said)
            async with asyncio.TaskGroup() as group:
                group.create_task(talk_without_a_pause(s, stopped_s + 200.0))
                await sounding(s, AGAIN)
                assert s.loop.time() - stopped_s < AGAIN_AFTER_S + 2.0
                await s.client.say(2, "stop")
                await asyncio.sleep(0.5)
                assert s.room.phases(AGAIN)[-1] == "held"
                await asyncio.sleep(AGAIN_AFTER_S - 1.0)
                assert s.room.phases(AGAIN)[-1] == "held", "it was stopped anew"
            await asyncio.sleep(10.0)
            assert s.room.phases(TWICE)[-1] == "spoken"

    virtual.run(scene())


def test_let_go_of_it_is_told_from_its_beginning_before_anything_else(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await stopped(s, "Stop.")
            await asyncio.sleep(5.0)
            await s.ears.say("Go on.")
            await asyncio.sleep(25.0)
            assert words_heard(s, AGAIN) == WHOLE
            assert words_heard(s, ITEM) == LONG.split()
            assert s.told_at_s(AGAIN, "spoken") < s.told_at_s(ITEM, "speaking")[-1:]
            assert s.room.phases(f"{ALARM}.r2") == []

    virtual.run(scene())


def test_a_question_is_answered_before_the_alarm_that_was_stopped(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        asked = "What is the potassium?"
        async with reading(answers={asked: "On the potassium: 6.9."}) as s:
            await stopped(s, "Stop.")
            await s.ears.say(asked, lasts_s=1.4)
            await asyncio.sleep(15.0)
            (answer,) = s.room.bodies("answer")
            assert s.told_at_s(answer["utterance_id"], "spoken") < s.told_at_s(AGAIN, "speaking")
            assert words_heard(s, AGAIN) == WHOLE

    virtual.run(scene())


def test_an_alarm_that_is_stopped_again_and_again_is_told_again_twice_and_then_when_let_go_of(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await stopped(s, "Hold on.")
            for again in (AGAIN, TWICE):
                await sounding(s, again)
                await s.ears.say("Hold on.", lasts_s=0.5)
                await asyncio.sleep(0.2)
                assert s.room.phases(again)[-1] == "held"
            await asyncio.sleep(200.0)
            assert s.room.phases(TWICE)[-1] == "held"
            await s.ears.say("Go on.")
            await asyncio.sleep(6.0)
            assert s.room.phases(f"{ALARM}.r3")[-1] == "spoken"

    virtual.run(scene())


def test_next_said_to_it_skips_it_as_before(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await stopped(s, "Stop.")
            await s.ears.say("Next.", lasts_s=0.4)
            await asyncio.sleep(30.0)
            assert s.room.phases(ALARM)[-1] == "cut"
            assert s.room.phases(AGAIN) == []
            await asyncio.sleep(AGAIN_AFTER_S)
            assert s.room.phases(AGAIN)[-1] == "spoken", "nobody took note of it"

    virtual.run(scene())


@pytest.mark.parametrize("how", ["acknowledged", "taken back"])
def test_an_alarm_of_which_nothing_is_left_is_not_told_again(virtual: asyncio.Runner, how: str) -> None:
    async def scene() -> None:
        async with reading() as s:
            await stopped(s, "Stop.")
            if how == "acknowledged":
                await s.client.say(2, "acknowledge", critical_key="k")
            else:
                s.streams.commit(with_board(update(3, spoken("One two."))), update_id(3))
            await asyncio.sleep(AGAIN_AFTER_S + 20.0)
            assert s.room.phases(AGAIN) == []

    virtual.run(scene())


# --- taking note


def acknowledged(s: Scene) -> list[str]:
    return [c.args["critical_key"] for c in s.streams.commands if c.kind == "acknowledge"]


def test_got_it_is_read_back_with_the_name_of_the_finding(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(with_board(update(2, alarm()), ("k", "potassium")), update_id(2))
            await sounding(s, ALARM)
            await s.ears.say("Got it.", lasts_s=0.5)
            await asyncio.sleep(8.0)
            assert s.room.phases(ALARM)[-1] == "spoken", "it is heard to its end all the same"
            assert (acknowledged(s), replies(s)) == (["k"], ["Noted: potassium."])
            await asyncio.sleep(10.0)
            assert words_heard(s, ITEM) == LONG.split()

    virtual.run(scene())


def test_got_it_over_another_item_takes_note_of_nothing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, alarm()), update_id(2))
            while s.room.phases(ALARM)[-1:] != ["spoken"]:
                await asyncio.sleep(0.05)
            await asyncio.sleep(2.5)  # the item that it broke into goes on
            await s.ears.say("Got it.", lasts_s=0.5)
            await asyncio.sleep(AGAIN_AFTER_S)
            assert (acknowledged(s), replies(s)) == ([], [])
            assert s.room.phases(AGAIN)[-1] == "spoken"

    virtual.run(scene())


@pytest.mark.parametrize(("after_s", "keys"), [(9.0, ["k"]), (10.5, [])])
def test_after_its_last_word_there_are_ten_seconds(
    virtual: asyncio.Runner, after_s: float, keys: list[str]
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Stop.")
            s.streams.commit(update(2, alarm()), update_id(2))
            while s.room.phases(ALARM)[-1:] != ["spoken"]:
                await asyncio.sleep(0.05)
            await asyncio.sleep(after_s)
            await s.ears.say("Got it.", lasts_s=0.5)
            await asyncio.sleep(6.0)
            assert acknowledged(s) == keys
            assert (modes(s)[-1], s.room.phases(ITEM)[-1]) == ("quiet", "held")
            assert replies(s) == (["Noted."] if keys else []), "in the quiet too"

    virtual.run(scene())


def test_of_two_alarms_the_one_that_sounded_last_is_meant(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            both = with_board(update(2, alarm()), ("k", "potassium"), ("l", "lactate"))
            s.streams.commit(both, update_id(2))
            second = update(3, alarm("Lactate is 9.", "l")).model_copy(update={"board": both.board})
            s.streams.commit(second, update_id(3))
            while s.room.phases(OTHER)[-1:] != ["spoken"]:
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.5)
            await s.ears.say("Acknowledged.", lasts_s=0.7)
            await asyncio.sleep(6.0)
            assert (acknowledged(s), replies(s)) == (["l"], ["Noted: lactate."])

    virtual.run(scene())


def test_got_it_in_the_chat_is_as_good(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(with_board(update(2, alarm()), ("k", "potassium")), update_id(2))
            await sounding(s, ALARM)
            s.room.offer(Typed("got it"))
            await asyncio.sleep(6.0)
            assert (acknowledged(s), replies(s)) == (["k"], ["Noted: potassium."])

    virtual.run(scene())


def test_a_word_to_us_meanwhile_does_not_put_a_stopped_alarm_off(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            stopped_s = await stopped(s, "Stop.")
            await s.until(stopped_s + 100.0)
            await s.ears.say("Can you hear me?", lasts_s=0.9)
            await s.until(stopped_s + AGAIN_AFTER_S + 8.0)
            assert s.room.phases(AGAIN)[-1] == "spoken"

    virtual.run(scene())

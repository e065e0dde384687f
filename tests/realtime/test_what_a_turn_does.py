"""Scenes on virtual time: the one before, more and less, short answers, what is kept, what is waited out."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from realtime.conversation.page import SHOWN_S
from realtime.conversation.short_answers import DETAIL, NOTHING_BEFORE
from realtime.interruption import Effect
from realtime.speech.before import FIRST
from realtime.speech.verbosity import Verbosity
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, NEXT, SECOND, modes, reading, sounding_from, turns, words_heard
from tests.realtime.scene import LONG, RATE_HZ, Scene
from tests.realtime.test_stopped import ALARM, alarm, sounding
from tests.realtime.test_stopped_alarms import replies

THIRD = f"{update_id(1)}.3"


async def until_spoken(s: Scene, uid: str) -> None:
    while s.room.phases(uid)[-1:] != ["spoken"]:
        await asyncio.sleep(0.05)


async def until_sounding(s: Scene, uid: str) -> None:
    while s.room.phases(uid)[-1:] != ["speaking"]:
        await asyncio.sleep(0.05)
    await asyncio.sleep(1.0)


# --- the one before


def test_previous_says_the_item_before_and_then_goes_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await until_sounding(s, NEXT)
            await s.ears.say("Previous.", lasts_s=0.6)
            await asyncio.sleep(30.0)
            assert words_heard(s, f"{ITEM}.r1") == LONG.split()
            assert words_heard(s, NEXT) == SECOND.split()
            assert s.told_at_s(f"{ITEM}.r1", "spoken") < s.told_at_s(NEXT, "speaking")[-1:]

    virtual.run(scene())


def test_previous_tells_an_item_once_that_an_alarm_only_interrupted(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, alarm()), update_id(2))
            await sounding(s, ALARM)
            assert (await s.client.say(2, "previous"))["ok"]
            await asyncio.sleep(0.1)
            assert (await s.client.say(3, "previous"))["ok"], "pressed twice: still once"
            await asyncio.sleep(40.0)
            assert s.room.phases(ITEM) == ["queued", "speaking", "held", "cancelled"]
            assert s.room.phases(f"{ITEM}.r1") == ["queued", "cancelled"]
            assert s.room.phases(f"{ITEM}.r2") == ["queued", "speaking", "spoken"]
            assert s.room.phases(ALARM)[-1] == "spoken"

    virtual.run(scene())


def test_previous_said_twice_goes_back_two(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(spoken("A third thing is said.", protects=True)) as s:
            await until_sounding(s, THIRD)
            assert (await s.client.say(2, "previous"))["ok"]
            await until_sounding(s, f"{NEXT}.r1")
            await s.ears.say("Go back one.", lasts_s=0.8)
            await until_sounding(s, f"{ITEM}.r1")
            await asyncio.sleep(40.0)
            for uid in (f"{ITEM}.r1", f"{NEXT}.r1", THIRD):
                assert s.room.phases(uid)[-1] == "spoken"

    virtual.run(scene())


def test_before_the_first_item_there_is_none(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2), update_id(2))
            await s.ears.say("Previous one, please.", lasts_s=1.0)
            await asyncio.sleep(30.0)
            assert replies(s) in ([NOTHING_BEFORE], [])
            assert words_heard(s, ITEM) == LONG.split()

    virtual.run(scene())


# --- answered in a word


@pytest.mark.parametrize(
    ("silence", "answer"),
    [
        ("", "I hear you."),
        ("Stop.", "I hear you, and stay silent until you say: go on."),
        ("Hold on.", "I hear you, and wait until you say: go on."),
    ],
)
def test_can_you_hear_me_is_answered_in_every_mode_and_changes_none(
    virtual: asyncio.Runner, silence: str, answer: str
) -> None:
    async def scene() -> None:
        async with reading() as s:
            if silence:
                await s.ears.say(silence, lasts_s=0.5)
                await asyncio.sleep(1.0)
            asked_s = s.loop.time()
            await s.ears.say("Can you hear me?", lasts_s=0.9)
            await asyncio.sleep(10.0)
            assert replies(s) == [answer]
            began_s = s.told_at_s("s-1.reply.t-3-2" if silence else "s-1.reply.t-3-1", "speaking")[0]
            assert began_s - asked_s < 2.5
            if silence:
                assert modes(s)[-1] == {"Stop.": "quiet", "Hold on.": "waiting"}[silence]
                assert s.room.phases(ITEM)[-1] == "held"
            else:
                assert words_heard(s, ITEM) == LONG.split()

    virtual.run(scene())


def test_how_much_longer_counts_what_waits_and_says_how_far_the_agents_are(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("How much longer?", lasts_s=0.9)
            await asyncio.sleep(10.0)
            (text,) = replies(s)
            assert text == "Two items wait, about 10 seconds. The agents are still thinking."
            await asyncio.sleep(30.0)
            await s.ears.say("How much is left?", lasts_s=0.9)
            await asyncio.sleep(6.0)
            assert replies(s)[-1] == "Nothing waits. The agents are still thinking."

    virtual.run(scene())


def test_a_word_is_spelled(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        about = spoken("The team asks for amlodipine today.", protects=True)
        async with reading(about) as s:
            await until_spoken(s, THIRD)
            await s.ears.say("What was that word?", lasts_s=1.0)
            await asyncio.sleep(10.0)
            await s.ears.say("Spell am low the peen.", lasts_s=1.0, whole="Spell amlodepeen.")
            await asyncio.sleep(10.0)
            letters = "Amlodipine: A, M, L, O, D, I, P, I, N, E."
            assert replies(s) == [letters, letters]

    virtual.run(scene())


# --- how much is told


def brief_and_long(number: int) -> str:
    return f"{update_id(number)}.1"


def test_shorter_and_everything_set_how_much_is_told(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:

            def tell(number: int) -> None:
                told = spoken("The long form of it.", brief="Short.", topic="t", urgency="routine")
                s.streams.commit(update(number, told), update_id(number))

            await s.ears.say("Shorter, please.", lasts_s=0.8)
            await asyncio.sleep(20.0)
            tell(2)
            await asyncio.sleep(0.5)
            assert s.text_of(brief_and_long(2)) == "Short."
            assert s.room.bodies("mode")[-1]["verbosity"] == "brief"
            await s.client.say(2, "full")
            tell(3)
            await asyncio.sleep(0.5)
            assert s.text_of(brief_and_long(3)) == "The long form of it."
            await asyncio.sleep(8.0)
            await s.ears.say("Back to normal detail.", lasts_s=1.0)
            await asyncio.sleep(8.0)
            assert s.room.bodies("mode")[-1]["verbosity"] == "normal"
            assert replies(s) == [DETAIL[e] for e in (Effect.BRIEF, Effect.FULL, Effect.USUAL_DETAIL)]

    virtual.run(scene())


def test_a_session_begins_with_as_much_as_the_operator_set(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(before=replace(FIRST, verbosity=Verbosity.BRIEF))
        async with s.running():
            await s.client.come()
            await asyncio.sleep(10.0)
            told = spoken("The long form of it.", brief="Short.", topic="t", urgency="routine")
            s.streams.commit(update(2, told), update_id(2))
            await asyncio.sleep(0.5)
            assert s.text_of(brief_and_long(2)) == "Short."
            assert s.room.bodies("mode")[-1]["verbosity"] == "brief"

    virtual.run(scene())


def test_tell_me_more_says_what_the_short_form_left_out_else_the_dialogue_is_asked(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        asked = "Tell me more."
        async with reading(answers={asked: "On the potassium: 6.9."}) as s:
            await s.client.say(2, "brief")
            told = spoken("The long form of it.", brief="Short.", protects=True)
            s.streams.commit(update(2, told), update_id(2))
            await until_spoken(s, brief_and_long(2))
            await s.ears.say(asked, lasts_s=0.8)
            await asyncio.sleep(6.0)
            said = [
                b["text"]
                for b in s.room.bodies("utterance")
                if (b["kind"], b["phase"]) == ("answer", "spoken")
            ]
            assert said == ["The long form of it."]
            assert s.dialogue.asked == []
            await s.ears.say(asked, lasts_s=0.8)
            await asyncio.sleep(6.0)
            assert [each.text for each in s.dialogue.asked] == [asked]

    virtual.run(scene())


# --- what is kept


def kept_turns(s: Scene) -> list[tuple[str, str]]:
    return [(c.args["effect"], c.args["text"]) for c in s.streams.commands if c.kind == "turn"]


PRIVATE = "Mrs Miller in bed nine is HIV positive, don't tell her husband."


def test_words_that_were_not_said_to_us_are_shown_and_not_kept(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        asked = "What is the potassium?"
        async with reading(answers={asked: "6.9."}, case_words=frozenset({"potassium", "heparin"})) as s:
            overheard = (
                PRIVATE,
                "Mm-hm.",
                "did you get any lunch",
                "The potassium is back.",
                "Give the heparin.",
            )
            for said in overheard:
                await s.ears.say(said, lasts_s=1.6)
            await s.ears.say(asked, lasts_s=1.4)
            await asyncio.sleep(1.0)
            await s.ears.say("Stop.", lasts_s=0.4)
            await asyncio.sleep(1.0)
            assert [text for _, text in kept_turns(s)] == ["", "", "", "", "", asked, "Stop."]
            shown = {b["text"] for b in s.room.bodies("turn") if b["phase"] == "decided"}
            assert set(overheard) < shown
            await asyncio.sleep(SHOWN_S)
            told = {b["turn_id"]: b for b in s.room.bodies("turn") if b["phase"] == "decided"}
            gone = [b["turn_id"] for b in s.room.bodies("turn") if b["phase"] == "forgotten"]
            assert [told[each]["text"] for each in gone] == list(overheard), "the page forgets them too"
            stored = repr(s.streams.commands)
            assert not any(words in stored for words in overheard)
            s.client.leave()
            await s.client.come()
            await asyncio.sleep(0.5)
            (snapshot,) = s.room.bodies("snapshot")[-1:]
            assert PRIVATE not in repr(snapshot), "it was of the moment"
            assert "Stop." in repr(snapshot)

    virtual.run(scene())


# --- what was not understood is waited out


def sounded_within(s: Scene, from_s: float, until_s: float) -> bool:
    return any(start / RATE_HZ < until_s and end / RATE_HZ > from_s for start, end in s.sink.sounding())


@pytest.mark.parametrize(
    "parts", [("Blorp", "fold on a sec."), ("Stall,", "halt on it again."), ("So the", "thing is")]
)
def test_nothing_sounds_at_the_comma_of_a_turn_that_is_not_understood(
    virtual: asyncio.Runner, parts: tuple[str, ...]
) -> None:
    async def scene() -> None:
        async with reading() as s:
            began_s = s.loop.time()
            await s.ears.say(*parts, lasts_s=0.5)
            assert not sounded_within(s, began_s + 0.15, s.loop.time() - 0.01)
            await asyncio.sleep(25.0)
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_stop_and_then_somebody_in_the_room_is_no_stop(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Stop", "bagging him.", lasts_s=0.4)
            await s.ears.say("Hold still for me.", lasts_s=1.0)
            await asyncio.sleep(0.2)
            assert [effect for effect, _ in turns(s)] == ["not_acted_on", "go_on"]
            assert sounding_from(s, s.loop.time()) is not None
            await asyncio.sleep(20.0)
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())

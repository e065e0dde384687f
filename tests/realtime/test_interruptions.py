"""Scenes on virtual time: the clinician speaks or presses a button while we speak."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import SpokenKind
from realtime.conversation.floor import STOP_OR_GO_ON
from realtime.ears import EarsFailed
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, NEXT, modes, reading, sounding_from, turns, words_heard
from tests.realtime.scene import LONG, RATE_HZ

# --- a voice holds at once, and the verdict comes later --------------------------------------------------


def test_a_voice_silences_us_at_once_and_a_sign_of_listening_goes_on_without_losing_a_word(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            began_s = s.loop.time()
            await s.ears.say("Mm-hm.", lasts_s=0.5)
            held_until_s = sounding_from(s, began_s + 0.1)
            assert held_until_s is not None
            assert not [start for start, _ in s.sink.sounding() if 0.05 < start / RATE_HZ - began_s < 0.5]
            assert held_until_s - (began_s + 0.5) < 0.45, "it goes on at the first pause"
            await s.until(30.0)
            assert words_heard(s, ITEM) == LONG.split()
            assert s.room.phases(ITEM)[-1] == s.room.phases(NEXT)[-1] == "spoken"
            assert turns(s)[0][0] == "go_on"

    virtual.run(scene())


def test_a_cough_is_waited_out_and_nothing_is_lost(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("", lasts_s=0.3)
            await s.until(30.0)
            assert words_heard(s, ITEM) == LONG.split()
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


@pytest.mark.parametrize("lasts_s", [0.03, 0.16, 0.29])
@pytest.mark.parametrize("after_s", [0.0, 0.06, 0.13, 0.21, 0.28, 0.36])
def test_a_sound_that_was_no_voice_costs_no_word_wherever_it_falls(
    virtual: asyncio.Runner, after_s: float, lasts_s: float
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await asyncio.sleep(after_s)
            await s.ears.noise(lasts_s)
            await asyncio.sleep(0.5)
            await s.ears.noise(lasts_s)
            await s.until(30.0)
            assert words_heard(s, ITEM) == LONG.split()
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_whoever_stops_where_a_word_is_missing_is_not_talked_over_before_the_turn_ends(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            began_s = s.loop.time()
            await s.ears.trail_off("What is the dose of", lasts_s=0.8)
            assert s.loop.time() - began_s == pytest.approx(0.8 + 1.6)
            assert not [start for start, _ in s.sink.sounding() if 0.1 < start / RATE_HZ - began_s < 2.4]

    virtual.run(scene())


def test_nor_is_who_said_okay_before_that(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            began_s = s.loop.time()
            await s.ears.trail_off("Okay, what is the dose of", lasts_s=0.8, first="Okay,")
            ended_s = s.loop.time() - began_s
            thinks = (start / RATE_HZ - began_s for start, _ in s.sink.sounding())
            assert not [at_s for at_s in thinks if 0.7 < at_s < ended_s]

    virtual.run(scene())


def test_stop_is_quiet_until_go_on_and_then_goes_on_from_the_word(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Stop.")
            await s.until(60.0)
            assert s.room.phases(ITEM)[-1] == "held"
            assert modes(s)[-1] == "quiet"
            assert s.room.bodies("mode")[-1]["waiting"] == 2
            silent_from = s.sink.sounding()[-1][1]
            await s.ears.say("Go on.")
            await s.until(90.0)
            assert s.sink.sounding()[-1][1] > silent_from
            assert words_heard(s, ITEM) == LONG.split()
            assert s.room.phases(NEXT)[-1] == "spoken"
            assert modes(s)[-1] == "free"

    virtual.run(scene())


def test_a_critical_finding_breaks_the_quiet(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Be quiet.")
            alarm = spoken("Potassium is 6.9.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")
            s.streams.commit(update(2, alarm), update_id(2))
            await s.until(20.0)
            assert s.room.phases(f"{update_id(2)}.1")[-1] == "spoken"
            assert s.room.phases(ITEM)[-1] == "held"

    virtual.run(scene())


def test_next_drops_this_item_and_says_the_next(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Skip.", word="skip")
            await s.until(20.0)
            assert s.room.phases(ITEM)[-1] == "cut"
            assert s.room.phases(NEXT)[-1] == "spoken"

    virtual.run(scene())


def test_repeat_says_the_item_again_from_its_beginning(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Say that again.")
            await s.until(40.0)
            assert s.room.phases(ITEM)[-1] == "cancelled"
            assert words_heard(s, f"{ITEM}.r1") == LONG.split()
            assert s.room.phases(f"{ITEM}.r1")[-1] == s.room.phases(NEXT)[-1] == "spoken"

    virtual.run(scene())


def test_repeat_goes_before_what_presses_and_waits(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            presses = spoken("No nitrates.", SpokenKind.CAUTION, presses=True)
            s.streams.commit(update(7, presses), update_id(7))
            await s.ears.say("Say that again.")
            await s.until(40.0)
            again, waited = f"{ITEM}.r1", f"{update_id(7)}.1"
            assert words_heard(s, again) == LONG.split()
            assert s.room.phases(waited)[-1] == "spoken"
            assert s.told_at_s(again, "speaking")[0] < s.told_at_s(waited, "speaking")[0]

    virtual.run(scene())


def test_what_follows_a_pause_takes_an_early_stop_back(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(case_words=frozenset({"heparin"})) as s:
            await s.ears.say("Stop", "the heparin.")
            await s.until(30.0)
            assert "quiet" in modes(s)
            assert modes(s)[-1] == "free"
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_what_follows_a_pause_takes_an_early_continue_back(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading(case_words=frozenset({"heparin"})) as s:
            await s.ears.say("Wait.")
            await s.until(s.loop.time() + 5.0)
            await s.ears.say("Continue", "the heparin.")
            await s.until(s.loop.time() + 5.0)
            assert modes(s)[-1] == "waiting"

    virtual.run(scene())


# --- waiting -----------------------------------------------------------------------------------------------


def test_a_stop_stands_when_nobody_understands_what_follows_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Stop", lasts_s=0.4, whole="Star, howled on.")
            await s.until(14.0)
            assert turns(s) == [("quiet", "stop_words")]
            assert modes(s)[-1] == "quiet"

    virtual.run(scene())


def test_hold_on_waits_with_a_chime_each_minute(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Hold on.")
            quiet_from_s = s.loop.time()
            await s.until(quiet_from_s + 130.0)
            tones = [start / RATE_HZ for start, _ in s.sink.sounding() if start / RATE_HZ > quiet_from_s]
            chimes = [at for n, at in enumerate(tones) if n == 0 or at - tones[n - 1] > 1.0]
            assert [round(at - quiet_from_s) for at in chimes] == [60, 120]
            await s.ears.say("Continue.")
            await s.until(s.loop.time() + 20.0)
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_a_critical_finding_that_comes_while_waiting_gives_a_tone_and_is_spoken_after_ten_seconds(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Wait a moment.", lasts_s=0.9)
            at_s = s.loop.time() + 1.0
            await s.until(at_s)
            alarm = spoken("Potassium is 6.9.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")
            s.streams.commit(update(2, alarm), update_id(2))
            await s.until(at_s + 9.0)
            assert s.room.phases(f"{update_id(2)}.1")[-1] == "queued"
            assert any(start > at_s * RATE_HZ for start, _ in s.sink.sounding()), "a tone"
            await s.until(at_s + 16.0)
            assert s.room.phases(f"{update_id(2)}.1")[-1] == "spoken"
            assert modes(s)[-1] == "waiting"

    virtual.run(scene())


# --- not sure ----------------------------------------------------------------------------------------------


def test_a_second_short_turn_that_is_not_understood_is_asked_about(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Blorp.", lasts_s=0.4)
            await asyncio.sleep(0.1)
            assert turns(s)[-1][0] == "go_on"
            await s.ears.say("Blorp.", lasts_s=0.4)
            await s.until(12.5)
            asked = {b["text"] for b in s.room.bodies("utterance") if b["kind"] == "question"}
            assert asked == {STOP_OR_GO_ON}
            assert modes(s)[-1] == "asking"
            await s.ears.say("Stop.")
            await s.until(20.0)
            assert modes(s)[-1] == "quiet"
            assert s.room.phases(ITEM)[-1] == "held"

    virtual.run(scene())


def test_no_answer_to_our_question_means_go_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Blorp.", lasts_s=0.4)
            await s.ears.say("Blorp.", lasts_s=0.4)
            await s.until(40.0)
            assert modes(s)[-1] == "free"
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_a_quiet_outlasts_a_question_of_ours_that_nobody_answers(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Stop.")
            await s.until(12.0)
            await s.ears.say("EXAIM?")
            await s.until(15.0)
            assert modes(s)[-1] == "asking"
            await s.until(60.0)
            assert modes(s)[-1] == "quiet"
            assert s.room.phases(ITEM)[-1] == "held"
            await s.ears.say("EXAIM?")
            await s.until(64.0)
            await s.ears.say("Go on.")
            await s.until(90.0)
            assert modes(s)[-1] == "free"
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_a_noisy_room_holds_us_no_more_but_for_words_that_steer(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        long = [spoken(LONG, topic=f"t{n}", protects=True) for n in range(6)]
        async with reading(*long) as s:
            for _ in range(3):
                await s.ears.say("", lasts_s=0.4)
                await asyncio.sleep(2.0)
            assert modes(s)[-1] == "noisy"
            began_s = s.loop.time()
            await s.ears.say("", lasts_s=1.0)
            sounding = sum(
                max(0, min(end, (began_s + 1.0) * RATE_HZ) - max(start, began_s * RATE_HZ))
                for start, end in s.sink.sounding()
            )
            assert sounding > 0.5 * RATE_HZ, "it goes on, softer"
            await s.ears.say("Stop.")
            await asyncio.sleep(1.0)
            assert modes(s)[-1] == "quiet"
            await s.client.say(2, "go_on")
            await asyncio.sleep(45.0)
            assert "free" in modes(s)[modes(s).index("quiet") :]

    virtual.run(scene())


# --- ears that do not hear


def test_a_recogniser_that_fails_is_told_once_and_speech_goes_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.ears.tell(EarsFailed("no text within 1.5 s"))
            await s.until(30.0)
            assert [b["code"] for b in s.room.bodies("notice")] == ["ears_failed"]
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_ears_that_give_no_text_do_not_make_the_room_noisy_and_speech_goes_on(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading(spoken(LONG, protects=True)) as s:
            for _ in range(4):
                await s.ears.mumble()
            await s.until(50.0)
            assert "noisy" not in modes(s)
            assert s.room.phases(ITEM)[-1] == "spoken"

    virtual.run(scene())


def test_every_decided_turn_is_kept(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Mm-hm.", lasts_s=0.4)
            await s.client.say(2, "stop")
            await s.until(15.0)
            kept = [c for c in s.streams.commands if c.kind == "turn"]
            assert [(c.args["via"], c.args["effect"]) for c in kept] == [
                ("voice", "go_on"),
                ("button", "quiet"),
            ]

    virtual.run(scene())


def test_our_own_words_heard_back_go_on_and_are_counted(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say(" ".join(LONG.split()[:4]))
            await s.until(12.0)
            assert turns(s)[-1][0] == "go_on"
            s.leaving.set()
            await s.until(14.0)

    with caplog.at_level("INFO", "realtime.session"):
        virtual.run(scene())
    assert "our own voice, heard back, held us 1 times" in caplog.text


@pytest.mark.parametrize("reason", ["Rhythm check.", "She's crashing.", "The lactate is four."])
def test_a_stop_outlasts_its_clinical_reason_behind_a_pause(virtual: asyncio.Runner, reason: str) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Stop.", reason)
            await asyncio.sleep(1.0)
            assert modes(s)[-1] == "quiet"

    virtual.run(scene())

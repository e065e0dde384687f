"""Scenes on virtual time: what gives way in mid-speech, to what, and where it goes on."""

from __future__ import annotations

import asyncio

import pytest

from tests.tts_queue.scenes import WORD_S, playing, seconds, until
from tts_queue import HoldCause, Priority, Utterance
from tts_queue.scheduling import WHOLE_S

WORD = round(WORD_S * 48_000)
SIX = "One two three four five six."


def test_a_critical_holds_at_the_next_word_and_then_speech_goes_on_from_the_next(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await asyncio.sleep(1.0)
            play.say("c", "Potassium is seven.", Priority.CRITICAL)
            await play.queue.idle()
            held = play.moves("a")[1]
            assert (held.phase_to, held.cause) == ("held", HoldCause.CRITICAL)
            first, again = play.segments("a")
            (a0, a1), (c0, c1), (b0, b1) = play.sink.sounding()
            assert (a1 - a0) == 3 * WORD  # asked for within the third word: it is said to its end
            assert [w.text for w in again.words] == ["four", "five", "six."]
            assert (a1 - a0) + (b1 - b0) == pytest.approx(6 * WORD, abs=2)
            assert seconds(c0 - a1) == pytest.approx(0.3, abs=0.03)
            assert seconds(b0 - c1) == pytest.approx(0.3, abs=0.03)
            assert first.start_sample == a0
            assert play.order_spoken() == ["a", "c"]

    virtual.run(scene())


@pytest.mark.parametrize(("weight", "order"), [(3, ["a", "c", "b", "a"]), (1, ["a", "c", "a", "b"])])
def test_what_a_critical_broke_into_lets_only_what_weighs_more_go_first(
    virtual: asyncio.Runner, weight: int, order: list[str]
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.queue.offer(Utterance("a", SIX, Priority.SUMMARY, kind="finding", weight=1))
            await asyncio.sleep(1.0)
            play.say("c", "Potassium is seven.", Priority.CRITICAL)
            play.queue.offer(Utterance("b", "Give calcium now.", Priority.SUMMARY, "action", weight=weight))
            await play.queue.idle()
            assert [s.utterance_id for s in play.events_of_segments()] == order
            assert play.phases("a")[-1] == play.phases("b")[-1] == "spoken"

    virtual.run(scene())


def test_a_critical_never_interrupts_another_critical(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("c1", "Potassium is seven point one.", Priority.CRITICAL)
            await asyncio.sleep(0.5)
            play.say("c2", "Sodium is low now.", Priority.CRITICAL)
            await play.queue.idle()
            assert play.phases("c1") == play.phases("c2") == ["queued", "speaking", "spoken"]
            assert play.order_spoken() == ["c1", "c2"]

    virtual.run(scene())


def test_nothing_lower_interrupts(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX, Priority.FILLER)
            await asyncio.sleep(0.5)
            play.say("b", "Seven eight nine.", Priority.PRESSING)
            await play.queue.idle()
            assert play.phases("a") == ["queued", "speaking", "spoken"]

    virtual.run(scene())


def test_an_answer_makes_way_at_its_clause_end_for_what_presses_and_goes_on_after_it(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("answer", "One two three four. Five six seven eight. Nine ten.", Priority.ANSWER)
            await asyncio.sleep(0.4)
            play.say("banned", "No nitrates.", Priority.PRESSING)
            await play.queue.idle()
            assert play.phases("answer") == ["queued", "speaking", "held", "speaking", "spoken"]
            assert play.phases("banned") == ["queued", "speaking", "spoken"]
            heard = [begun.index for begun in play.segments("answer")]
            assert heard == [0, 1, 2]  # no clause was begun twice

    virtual.run(scene())


def test_an_answer_makes_way_after_what_its_first_words_lead_up_to(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            text = "On the potassium: one two three four. Five six seven eight."
            play.say("answer", text, Priority.ANSWER)
            await asyncio.sleep(0.4)
            play.say("banned", "No nitrates.", Priority.PRESSING)
            await play.queue.idle()
            begun = [e.index for e in play.segments("answer")]
            assert begun == [0, 1, 2]
            held = next(m for m in play.moves("answer") if m.phase_to == "held")
            assert len(held.segments) == 2, "not after the lead-in alone"

    virtual.run(scene())


def test_an_answer_of_one_clause_is_said_to_its_end_before_what_presses(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("answer", SIX, Priority.ANSWER)
            await asyncio.sleep(0.4)
            play.say("banned", "No nitrates.", Priority.PRESSING)
            await play.queue.idle()
            assert play.order_spoken() == ["answer", "banned"]

    virtual.run(scene())


def test_between_two_that_press_an_answer_has_its_turn(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            for number in range(4):
                play.say(f"banned{number}", "No nitrates.", Priority.PRESSING)
            play.say("answer", "One two three four. Five six.", Priority.ANSWER)
            await play.queue.idle()
            begun = play.begun()
            assert begun == ["banned0", "answer", "banned1", "answer", "banned2", "banned3"]

    virtual.run(scene())


def test_an_answer_that_made_way_for_long_says_no_clause_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("answer", "One two three four. Five six seven eight. Nine ten.", Priority.ANSWER)
            await asyncio.sleep(0.4)
            for number in range(2):
                play.say(f"banned{number}", "No nitrates at all until the scan is back.", Priority.PRESSING)
            await play.queue.idle()
            assert play.begun() == ["answer", "banned0", "answer", "banned1"]
            assert [begun.index for begun in play.segments("answer")] == [0, 1, 2]

    virtual.run(scene())


def test_an_answer_that_went_on_is_told_whole_before_more_that_presses(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("answer", "One two three. Four five six. Seven eight nine. Ten.", Priority.ANSWER)
            await asyncio.sleep(0.4)
            play.say("first", "No nitrates.", Priority.PRESSING)
            await until(lambda: "spoken" in play.phases("first"))
            play.say("second", "No verapamil.", Priority.PRESSING)
            play.say("third", "No heparin.", Priority.PRESSING)
            await play.queue.idle()
            assert play.begun() == ["answer", "first", "answer", "second", "third"]
            assert play.phases("answer") == ["queued", "speaking", "held", "speaking", "spoken"]

    virtual.run(scene())


def test_an_alarm_breaks_an_answer_that_went_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("answer", "One two three. Four five six seven eight nine ten.", Priority.ANSWER)
            await asyncio.sleep(0.4)
            play.say("banned", "No nitrates.", Priority.PRESSING)
            await until(lambda: play.phases("answer")[-2:] == ["held", "speaking"])
            play.say("alarm", "Potassium is seven.", Priority.CRITICAL)
            await play.queue.idle()
            assert play.begun() == ["answer", "banned", "answer", "alarm", "answer"]

    virtual.run(scene())


def test_an_answer_that_was_held_for_a_voice_still_makes_way(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("answer", "One two three. Four five six. Seven eight nine. Ten.", Priority.ANSWER)
            await asyncio.sleep(0.4)
            play.queue.hold(HoldCause.VOICE)
            await asyncio.sleep(0.4)
            play.queue.release(HoldCause.VOICE)
            await until(lambda: play.phases("answer")[-2:] == ["held", "speaking"])
            play.say("banned", "No nitrates.", Priority.PRESSING)
            await play.queue.idle()
            assert play.begun() == ["answer", "answer", "banned", "answer"]

    virtual.run(scene())


def test_a_long_answer_that_went_on_makes_way_again_after_so_long(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            clause = "One two three four five six seven eight nine ten."  # 4 s
            play.say("answer", " ".join([clause] * 9), Priority.ANSWER)
            await asyncio.sleep(0.4)
            for number in range(3):
                play.say(f"banned{number}", "No nitrates.", Priority.PRESSING)
            await play.queue.idle()
            assert play.begun() == ["answer", "banned0", "answer", "banned1", "answer", "banned2"]
            went_on_s, broken_s = (move.at_s for move in play.moves("answer")[2:4])
            assert WHOLE_S <= broken_s - went_on_s <= WHOLE_S + 5.0, "so long, and the clause then begun"

    virtual.run(scene())


def test_what_was_broken_into_goes_on_after_two_that_press(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("view", "One two three four. Five six.", Priority.SUMMARY)
            await asyncio.sleep(0.4)
            play.queue.hold(HoldCause.USER)
            for number in range(4):
                play.say(f"banned{number}", "No nitrates.", Priority.PRESSING)
            play.say("other", "Seven eight.", Priority.SUMMARY)
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            begun = play.begun()
            assert begun == ["view", "banned0", "banned1", "view", "banned2", "banned3", "other"]

    virtual.run(scene())

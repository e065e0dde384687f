"""Scenes on virtual time: holding and going on from the word, the watchdog, cancel."""

from __future__ import annotations

import asyncio

import pytest

from tests.tts_queue.scenes import LATE_S, WORD_S, Scene, playing, until
from tts_queue import HoldCause, HoldsChanged, Priority, WatchdogFired

WORD = round(WORD_S * 48_000)
SIX = "One two three four five six."


async def until_word(play: Scene, number: int, part: float = 0.5) -> None:
    """Wait until the listener is `part` into word `number` (from 0) of the utterance that began first."""
    await until(lambda: bool(play.segments("a")))
    start = play.segments("a")[0].start_sample
    await until(lambda: play.queue.snapshot().played_samples >= start + (number + part) * WORD)


def test_a_voice_stops_speech_within_two_frames_and_it_goes_on_from_the_word_being_heard(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await until_word(play, 2, 0.25)
            play.queue.hold(HoldCause.VOICE)
            held_at = play.queue.written_samples
            await asyncio.sleep(0.7)
            quiet = play.queue.written_samples
            assert not play.sink.pcm[held_at + 480 : quiet].any()
            play.queue.release(HoldCause.VOICE)
            await play.queue.idle()
            assert play.phases("a") == ["queued", "speaking", "held", "speaking", "spoken"]
            # 0.15 s are on their way when the hold comes: the sound ends in the middle of "three".
            assert [w.text for w in play.segments("a")[1].words] == ["three", "four", "five", "six."]
            going_on = play.segments("a")[1].start_sample
            assert going_on - quiet <= 960

    virtual.run(scene())


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("part", [0.02, 0.3, 0.6, 0.9])
def test_going_on_starts_at_a_word_and_skips_nothing_unheard(
    virtual: asyncio.Runner, number: int, part: float
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await until_word(play, number, part)
            play.queue.hold(HoldCause.USER)
            await asyncio.sleep(1.0)
            held = play.moves("a")[1]
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            again = play.segments("a")[1]
            went_on = 6 - len(again.words)
            heard_then = play.moves("a")[2].heard
            assert went_on * WORD <= heard_then < (went_on + 1) * WORD
            assert held.heard <= heard_then
            assert play.phases("a")[-1] == "spoken"

    virtual.run(scene())


TWO_CLAUSES = "One two three four five six; seven eight nine ten eleven twelve."


@pytest.mark.parametrize(
    ("held_s", "first"), [(1.9, "nine"), (2.1, "seven"), (50.0, "seven")], ids=["short", "long", "very long"]
)
@pytest.mark.parametrize("cause", [HoldCause.USER, HoldCause.VOICE])
def test_after_a_long_hold_speech_goes_on_from_the_beginning_of_its_clause(
    virtual: asyncio.Runner, held_s: float, first: str, cause: HoldCause
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", TWO_CLAUSES)
            await until(lambda: len(play.segments("a")) == 2)
            start = play.segments("a")[1].start_sample
            await until(lambda: play.queue.snapshot().played_samples >= start + 2.2 * WORD)
            play.queue.hold(cause)
            await asyncio.sleep(held_s)
            play.queue.release(cause)
            await play.queue.idle()
            (again,) = play.segments("a")[2:]
            assert (again.index, again.words[0].text) == (1, first), "never back into the clause before"
            assert again.words[-1].text == "twelve."

    virtual.run(scene())


def test_held_for_long_between_two_clauses_it_goes_on_with_the_second(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", TWO_CLAUSES)
            await until_word(play, 6, 0.2)  # in the pause
            play.queue.hold(HoldCause.USER)
            await asyncio.sleep(9.0)
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            told = [(event.index, event.words[0].text) for event in play.segments("a")]
            assert told in ([(0, "One"), (1, "seven")], [(0, "One"), (1, "seven"), (1, "seven")])

    virtual.run(scene())


def test_what_was_written_but_never_reported_as_heard_is_said_again_from_its_clause(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            play.say("a", SIX)
            await asyncio.sleep(2.0)
            start = play.segments("a")[0].start_sample
            play.queue.played(start + WORD + 100)  # in "two", when "four" or "five" is being written
            play.queue.hold(HoldCause.LISTENER)
            await asyncio.sleep(30.0)
            play.queue.release(HoldCause.LISTENER)
            await asyncio.sleep(0.1)
            assert [w.text for w in play.segments("a")[1].words] == SIX.split()

    virtual.run(scene())


def test_a_second_hold_before_the_first_place_is_reached_does_not_jump_ahead(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            play.say("a", SIX)
            await asyncio.sleep(2.0)
            start = play.segments("a")[0].start_sample
            play.queue.hold(HoldCause.LISTENER)
            await asyncio.sleep(0.2)
            play.queue.release(HoldCause.LISTENER)  # nothing reported: from the first word
            await asyncio.sleep(0.6)
            play.queue.played(start + 4 * WORD)  # the late report of the first run
            play.queue.hold(HoldCause.VOICE)
            await asyncio.sleep(0.2)
            play.queue.release(HoldCause.VOICE)
            await asyncio.sleep(0.1)
            texts = [[w.text for w in s.words] for s in play.segments("a")]
            assert texts[1][0] == "One"
            assert texts[2][0] == "One", "what was lost does not count as heard, whatever is reported of it"

    virtual.run(scene())


def test_a_lost_listener_hears_the_unconfirmed_end_again_before_what_follows(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            play.say("a", SIX)
            play.say("b", "Seven eight nine.")
            await asyncio.sleep(3.5)
            start = play.segments("a")[0].start_sample
            play.queue.played(start + 4 * WORD + 100)
            play.queue.hold(HoldCause.LISTENER)
            await asyncio.sleep(1.0)
            assert play.phases("a") == play.phases("b") == ["queued", "speaking", "held"]
            play.queue.release(HoldCause.LISTENER)
            await asyncio.sleep(4.0)
            resumed = [(s.utterance_id, s.words[0].text) for s in play.events_of_segments()[2:]]
            assert resumed == [("a", "One"), ("b", "Seven")]

    virtual.run(scene())


def test_without_a_verdict_the_watchdog_lifts_the_hold_a_second_after_the_voice_ended(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await asyncio.sleep(0.5)
            play.queue.hold(HoldCause.VOICE)
            await asyncio.sleep(0.4)
            play.queue.voice_ended()
            await play.queue.idle()
            (fired,) = [e for e in play.events if isinstance(e, WatchdogFired)]
            assert fired.held_s == pytest.approx(1.4, abs=0.02)
            assert play.phases("a")[-1] == "spoken"

    virtual.run(scene())


def test_a_voice_that_does_not_end_is_spoken_over_after_ten_seconds(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await asyncio.sleep(0.5)
            for _ in range(60):  # it ends and begins again all the time
                play.queue.hold(HoldCause.VOICE)
                await asyncio.sleep(0.2)
                if any(isinstance(e, WatchdogFired) for e in play.events):
                    break
                play.queue.voice_ended()
            (fired,) = [e for e in play.events if isinstance(e, WatchdogFired)]
            assert fired.held_s == pytest.approx(10.0, abs=0.05)

    virtual.run(scene())


@pytest.mark.parametrize("cause", [HoldCause.USER, HoldCause.LISTENER, HoldCause.TAKEOVER])
def test_no_other_cause_has_a_watchdog(virtual: asyncio.Runner, cause: HoldCause) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await asyncio.sleep(0.5)
            play.queue.hold(cause)
            await asyncio.sleep(100.0)
            assert play.phases("a")[-1] == "held"
            assert play.moves("a")[-1].cause is cause

    virtual.run(scene())


def test_quiet_lets_a_new_critical_pass_and_nothing_else(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await asyncio.sleep(0.5)
            play.queue.hold(HoldCause.VOICE)
            await asyncio.sleep(0.3)
            play.queue.hold(HoldCause.USER, admit=Priority.CRITICAL)
            play.queue.release(HoldCause.VOICE)
            play.say("b", "Seven eight nine.", Priority.ANSWER)
            play.say("c", "Potassium is seven.", Priority.CRITICAL)
            await asyncio.sleep(10.0)
            assert play.phases("c")[-1] == "spoken"
            assert play.phases("a")[-1] == "held"
            assert play.phases("b") == ["queued"]
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert play.order_spoken() == ["a", "c", "b"]  # the answer, then on with what was held
            assert play.phases("a")[-1] == "spoken"

    virtual.run(scene())


def test_who_says_stop_to_a_critical_is_obeyed_even_where_critical_may_pass(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("c", "Potassium is seven point one.", Priority.CRITICAL)
            await asyncio.sleep(0.6)
            play.queue.hold(HoldCause.USER, admit=Priority.CRITICAL)
            await asyncio.sleep(60.0)
            assert play.phases("c") == ["queued", "speaking", "held"]

    virtual.run(scene())


def test_an_answer_admitted_by_a_hold_is_itself_held_by_a_voice_and_goes_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await asyncio.sleep(0.5)
            play.queue.hold(HoldCause.USER, admit=Priority.ANSWER)
            play.say("b", "Seven eight nine ten.", Priority.ANSWER)
            await asyncio.sleep(1.0)
            play.queue.hold(HoldCause.VOICE)
            await asyncio.sleep(0.5)
            play.queue.release(HoldCause.VOICE)
            await asyncio.sleep(5.0)
            assert play.phases("b") == ["queued", "speaking", "held", "speaking", "spoken"]
            assert play.phases("a")[-1] == "held"

    virtual.run(scene())


def test_cancel_ends_what_waits_what_is_held_and_what_sounds(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            play.say("b", SIX)
            await asyncio.sleep(0.5)
            assert play.queue.cancel("b")
            play.queue.hold(HoldCause.USER)
            assert play.queue.cancel("a")
            play.queue.release(HoldCause.USER)
            play.say("d", SIX)
            await asyncio.sleep(1.0)
            assert play.queue.cancel("d")
            assert not play.queue.cancel("unknown")
            await play.queue.idle()
            assert play.phases("a") == ["queued", "speaking", "held", "cancelled"]
            assert play.phases("b") == ["queued", "cancelled"]
            assert play.phases("d") == ["queued", "speaking", "cut"]

    virtual.run(scene())


def test_holds_are_told_and_the_queues_own_causes_are_refused(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            for cause in (HoldCause.CRITICAL, HoldCause.STORE):
                with pytest.raises(ValueError, match="queue itself"):
                    play.queue.hold(cause)
            play.queue.hold(HoldCause.USER)
            play.queue.hold(HoldCause.VOICE)
            play.queue.release(HoldCause.USER)
            play.queue.release(HoldCause.USER)
            assert [e.causes for e in play.events if isinstance(e, HoldsChanged)] == [
                (HoldCause.USER,),
                (HoldCause.USER, HoldCause.VOICE),
                (HoldCause.VOICE,),
            ]

    virtual.run(scene())


def test_a_hold_that_comes_and_goes_while_the_log_is_gone_does_not_tell_that_it_is_back(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.log.down = True
            play.say("a", SIX)
            await asyncio.sleep(1.0)
            play.queue.hold(HoldCause.VOICE)
            play.queue.release(HoldCause.VOICE)
            assert play.queue.snapshot().holds == (HoldCause.STORE,)
            play.log.down = False
            await play.queue.idle()
            assert [e.causes for e in play.events if isinstance(e, HoldsChanged)] == [
                (HoldCause.STORE,),
                (HoldCause.VOICE, HoldCause.STORE),
                (HoldCause.STORE,),
                (),
            ]

    virtual.run(scene())


def test_a_hold_in_the_pause_between_segments_goes_on_with_the_next_segment(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", "One two three. Four five six.")
            await asyncio.sleep(0.1 + 3 * WORD_S + 0.15)
            play.queue.hold(HoldCause.VOICE)
            await asyncio.sleep(LATE_S + 0.5)
            play.queue.release(HoldCause.VOICE)
            await play.queue.idle()
            assert [s.words[0].text for s in play.segments("a")] == ["One", "Four"]

    virtual.run(scene())


def test_a_hold_before_the_first_sample_says_it_all_later(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", SIX)
            await until(lambda: bool(play.moves("a")))
            play.queue.hold(HoldCause.VOICE)
            await asyncio.sleep(0.5)
            assert not play.sink.pcm.any()
            play.queue.release(HoldCause.VOICE)
            await play.queue.idle()
            (sound,) = play.sink.sounding()
            assert sound[1] - sound[0] == pytest.approx(6 * WORD, abs=2)

    virtual.run(scene())

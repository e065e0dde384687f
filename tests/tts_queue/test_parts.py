"""Scenes on virtual time: sound that is played while it is made, and what may happen between two parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from tests.tts_queue.scenes import playing, seconds, until
from tts_queue import HoldCause, Part, Priority, Prosody, VoiceFailed
from tts_queue.testing import Line, ScriptedVoice, SteadyVoice

SIX = "One two three four five six."  # 2.4 s, 0.4 s a word


class NotingVoice(SteadyVoice):
    """Notes what is asked for ahead of its time."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead: dict[str, bool] = {}

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        self.ahead[text] = ahead
        async for part in super().parts(text, prosody, urgent=urgent, ahead=ahead):
            yield part


def test_speech_begins_with_the_first_part_and_its_words_and_length_are_the_whole_ones(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = SteadyVoice(takes_s=0.1, parts=(0.3, 0.5, 0.9))
        async with playing(voice) as play:
            await asyncio.sleep(1.0)
            play.say("a", SIX)
            await until(lambda: bool(play.segments("a")))
            (told,) = play.segments("a")
            assert seconds(told.start_sample) - 1.0 < 0.1 + 0.03 + 0.02
            assert told.samples == round(2.4 * 48_000)
            assert [w.start_sample - told.start_sample for w in told.words] == [n * 19_200 for n in range(6)]
            await play.queue.idle()
            assert play.sink.sounding() == [(told.start_sample, told.start_sample + told.samples)]
            assert play.segments("a") == [told]
            assert play.queue.snapshot().longest_gap_s == 0.0

    virtual.run(scene())


def test_a_late_part_is_a_counted_silence_and_the_words_after_it_are_told_again(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(Line(SIX, lasts_s=2.4, takes_s=0.7, parts=(0.5,)))
        async with playing(voice) as play:
            play.say("a", SIX)
            await play.queue.idle()
            (first, stopped), (late, end) = play.sink.sounding()
            assert (stopped - first) + (end - late) == round(2.4 * 48_000)
            assert play.queue.snapshot().longest_gap_s == pytest.approx(seconds(late - stopped), abs=0.011)
            assert 0.1 < seconds(late - stopped) < 0.25
            again = play.segments("a")[1]
            assert (again.index, again.start_sample) == (0, late)
            assert [w.text for w in again.words] == ["three", "four", "five", "six."]  # "two" was broken
            assert again.words[0].start_sample == late + round(0.3 * 48_000)
            assert again.words[-1].end_sample == late + again.samples == end
            assert play.phases("a") == ["queued", "speaking", "spoken"]
            assert play.moves("a")[-1].total == round(2.4 * 48_000)

    virtual.run(scene())


def test_a_hold_inside_a_part_keeps_what_comes_and_goes_on_from_the_word(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = SteadyVoice(takes_s=0.2, parts=(0.5, 0.6))
        async with playing(voice) as play:
            play.say("a", SIX)
            await until(lambda: bool(play.segments("a")))
            await asyncio.sleep(0.1)
            play.queue.hold(HoldCause.USER)
            await asyncio.sleep(2.0)
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            again = play.segments("a")[1]
            assert [w.text for w in again.words] == SIX.split()
            assert again.samples == round(2.4 * 48_000)
            fades_in = again.start_sample + 1
            assert play.sink.sounding()[-1] == (fades_in, again.start_sample + again.samples)
            assert play.phases("a") == ["queued", "speaking", "held", "speaking", "spoken"]
            assert play.queue.snapshot().longest_gap_s == 0.0

    virtual.run(scene())


def test_a_skip_while_parts_come_takes_the_rest_back_and_the_next_is_spoken(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(
            Line(SIX, lasts_s=2.4, takes_s=0.2, parts=(0.4, 0.4, 0.4, 0.4)), Line("Another one then.")
        )
        async with playing(voice) as play:
            play.say("a", SIX)
            await until(lambda: bool(play.segments("a")))
            assert play.queue.skip() == "a"
            play.say("b", "Another one then.")
            await play.queue.idle()
            assert play.phases("a") == ["queued", "speaking", "cut"]
            assert play.phases("b")[-1] == "spoken"
        assert voice.taken_back == [SIX]
        voice.assert_finished()

    virtual.run(scene())


def test_what_broke_off_is_made_again_from_its_word_and_nothing_is_heard_twice(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(
            Line(SIX, lasts_s=2.4, parts=(1.0,), fails="died", fails_at=1),
            Line("three four five six.", lasts_s=2.0),
            in_order=True,
        )
        async with playing(voice) as play:
            play.say("a", SIX)
            await play.queue.idle()
            told, again = play.segments("a")
            assert [w.text for w in again.words] == ["three", "four", "five", "six."]
            assert again.start_sample == told.start_sample + round(0.8 * 48_000)
            end = told.start_sample + round(2.8 * 48_000)
            assert play.sink.sounding() == [(told.start_sample, end)]
            assert again.words[-1].end_sample == end
            spoken = play.moves("a")[-1]
            assert (spoken.phase_to, spoken.total) == ("spoken", round(2.8 * 48_000))
            failed = [e for e in play.events if isinstance(e, VoiceFailed)]
            assert [(e.segment, e.attempt, e.final) for e in failed] == [(0, 1, False)]
        voice.assert_finished()

    virtual.run(scene())


def test_a_voice_that_dies_late_breaks_one_word_which_is_said_again_from_its_beginning(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(
            Line(SIX, lasts_s=2.4, takes_s=1.5, parts=(1.0,), fails="died", fails_at=1),
            Line("three four five six.", lasts_s=1.6),
        )
        async with playing(voice) as play:
            play.say("a", SIX)
            await play.queue.idle()
            (first, stopped), (late, end) = play.sink.sounding()
            assert (stopped - first, end - late) == (48_000, round(1.6 * 48_000))
            assert [w.text for w in play.segments("a")[1].words] == ["three", "four", "five", "six."]
            assert play.phases("a") == ["queued", "speaking", "spoken"]
            assert play.moves("a")[-1].total == round(2.4 * 48_000)

    virtual.run(scene())


def test_a_voice_that_stays_dead_fails_what_it_had_begun_and_the_queue_goes_on(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(
            Line(SIX, lasts_s=2.4, parts=(0.2,), fails="died", fails_at=1),
            Line(SIX, fails="dead"),
            Line("Alive once more."),
        )
        async with playing(voice) as play:
            play.say("a", SIX)
            play.say("b", "Alive once more.")
            await play.queue.idle()
            assert play.phases("a") == ["queued", "speaking", "failed"]
            assert play.phases("b")[-1] == "spoken"
        voice.assert_finished()

    virtual.run(scene())


def test_a_critical_one_is_made_beside_what_is_being_made_and_does_not_wait_for_its_late_word(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(
            Line(SIX, lasts_s=2.4, takes_s=2.0, parts=(0.6,)),
            Line("Potassium is seven.", lasts_s=1.0, parts=(0.4,)),
        )
        async with playing(voice) as play:
            play.say("a", SIX)
            await until(lambda: bool(play.segments("a")))
            await asyncio.sleep(1.0)  # "two" is broken: its second half is late
            play.say("c", "Potassium is seven.", Priority.CRITICAL)
            offered = play.queue.written_samples
            await play.queue.idle()
            assert seconds(play.segments("c")[0].start_sample - offered) < 0.4  # its pause before is 0.3
            assert play.phases("a") == ["queued", "speaking", "held", "speaking", "spoken"]
            assert [w.text for w in play.segments("a")[1].words] == ["two", "three", "four", "five", "six."]
        voice.assert_finished()

    virtual.run(scene())


def test_a_stock_of_what_plays_is_made_so_that_engines_that_die_are_not_heard(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        ones, twos, next_one = "One one one one.", "Two two two two.", "Next after a while."
        threes, fours, fives = "Three three three three.", "Four four four four.", "Five five five five."
        made = [Line(text, lasts_s=3.0) for text in (ones, twos, next_one, threes)]
        gone = [Line(fours, fails="no answer", away=True, takes_s=0.75)] * 4
        voice = ScriptedVoice(*made, *gone, Line(fours), Line(fives), in_order=True)
        async with playing(voice) as play:
            play.say("a", " ".join((ones, twos, threes, fours, fives)))
            play.say("b", next_one)
            await until(lambda: bool(play.segments("a")))
            await asyncio.sleep(0.5)
            assert [text for text, _ in voice.asked] == [ones, twos, next_one, threes]  # 9 s of the 15
            await play.queue.idle()
            assert play.queue.snapshot().longest_gap_s == 0.0
            assert [play.phases(name)[-1] for name in "ab"] == ["spoken"] * 2
        voice.assert_finished()

    virtual.run(scene())


def test_only_what_comes_after_two_seconds_of_sound_is_made_ahead_and_nothing_critical_is(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = NotingVoice()
        async with playing(voice) as play:
            play.say("a", SIX)
            await until(lambda: bool(play.segments("a")))
            play.say("b", "Seven eight.")
            play.say("c", "Nine ten.", Priority.CRITICAL, critical_key="c")
            await until(lambda: bool(play.segments("b")))
            play.say("d", "Eleven twelve.")  # 0.8 s are left of what sounds
            await play.queue.idle()
        assert voice.ahead == {SIX: False, "Seven eight.": True, "Nine ten.": False, "Eleven twelve.": False}

    virtual.run(scene())


def test_what_is_held_is_not_made_ahead(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = NotingVoice()
        async with playing(voice) as play:
            play.say("a", SIX)
            await until(lambda: bool(play.segments("a")))
            play.queue.hold(HoldCause.USER)
            play.say("b", "Seven eight.")
            await asyncio.sleep(0.5)
            assert voice.ahead["Seven eight."] is False

    virtual.run(scene())

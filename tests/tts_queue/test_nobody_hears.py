"""Scenes on virtual time: the listener is gone for a while, and comes back."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests.tts_queue.scenes import WORD_S, playing, until
from tts_queue import HoldCause, Phase, Priority
from tts_queue.mixing import Mixer

WORD = round(WORD_S * 48_000)
TWO_CLAUSES = "One two three four five six seven eight. Nine ten eleven twelve thirteen fourteen."


@pytest.mark.parametrize("cause", [HoldCause.LISTENER, HoldCause.TAKEOVER])
def test_who_comes_back_hears_the_clause_that_was_cut_and_not_the_one_before(
    virtual: asyncio.Runner, cause: HoldCause
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", TWO_CLAUSES)
            await until(lambda: len(play.segments("a")) == 2)
            await asyncio.sleep(1.3)
            play.queue.hold(cause)
            await asyncio.sleep(40.0)
            play.queue.release(cause)
            await play.queue.idle()
            again = play.segments("a")[2]
            assert [w.text for w in again.words] == "Nine ten eleven twelve thirteen fourteen.".split()
            assert len(play.segments("a")) == 3
            assert play.phases("a")[-1] == "spoken"

    virtual.run(scene())


def test_who_was_lost_in_one_clause_hears_it_again_though_the_hold_came_in_the_next(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            play.say("a", TWO_CLAUSES)
            await until(lambda: bool(play.segments("a")))
            await asyncio.sleep(1.0)
            play.queue.played(play.queue.sent_samples)  # the last that was heard of the listener
            await until(lambda: len(play.segments("a")) == 2)
            await asyncio.sleep(0.1)
            play.queue.hold(HoldCause.LISTENER)
            await asyncio.sleep(10.0)
            play.queue.played(play.queue.sent_samples)  # a new client's ear is here now
            play.queue.release(HoldCause.LISTENER)
            await until(lambda: len(play.segments("a")) == 3)
            assert play.segments("a")[2].index == 0

    virtual.run(scene())


def test_a_position_that_comes_back_later_does_not_tell_that_the_lost_end_was_heard(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            play.say("a", "Seven eight nine.")
            await until(lambda: play.queue.snapshot().standings[0].all_sent)
            play.queue.hold(HoldCause.LISTENER)  # nothing of it was reported
            await asyncio.sleep(1.0)
            play.queue.played(play.queue.sent_samples)  # a new client's ear is here now
            play.queue.release(HoldCause.LISTENER)
            await asyncio.sleep(0.1)
            assert play.phases("a") == ["queued", "speaking", "held", "speaking"]
            await until(lambda: play.queue.snapshot().standings[0].all_sent)
            play.queue.played(play.queue.sent_samples)
            assert play.phases("a")[-1] != "spoken"
            await asyncio.sleep(0.2)
            play.queue.played(play.queue.sent_samples)
            await play.queue.idle()
            assert play.phases("a")[-1] == "spoken"

    virtual.run(scene())


def test_what_the_clinician_had_stopped_before_the_line_broke_goes_on_from_its_clause(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", TWO_CLAUSES)
            await until(lambda: len(play.segments("a")) == 2)
            await asyncio.sleep(1.3)
            play.queue.hold(HoldCause.USER)
            await asyncio.sleep(1.0)
            play.queue.hold(HoldCause.LISTENER)
            await asyncio.sleep(1.0)
            play.queue.release(HoldCause.LISTENER)
            await asyncio.sleep(1.0)
            assert len(play.segments("a")) == 2, "still held by the clinician"
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert play.segments("a")[2].words[0].text == "Nine"

    virtual.run(scene())


def test_nothing_that_came_while_nobody_heard_grows_too_old(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.queue.hold(HoldCause.LISTENER)
            play.say("a", "Seven eight nine.", expires_after_s=6.0)
            await asyncio.sleep(100.0)
            play.say("b", "Ten eleven twelve.", expires_after_s=6.0)
            play.queue.release(HoldCause.LISTENER)
            await asyncio.sleep(0.5)
            play.queue.hold(HoldCause.USER)
            await asyncio.sleep(100.0)
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert play.phases("a")[-1] == play.phases("b")[-1] == Phase.SPOKEN

    virtual.run(scene())


def test_what_comes_after_the_return_grows_old_as_ever(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.queue.hold(HoldCause.LISTENER)
            play.queue.release(HoldCause.LISTENER)
            play.queue.hold(HoldCause.USER)
            play.say("a", "Seven eight nine.", expires_after_s=6.0)
            await asyncio.sleep(7.0)
            assert play.phases("a")[-1] == Phase.EXPIRED

    virtual.run(scene())


def test_a_newer_view_takes_the_place_of_an_unheard_one_while_nobody_hears(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.queue.hold(HoldCause.LISTENER)
            play.say("a", "Potassium is six.", topic="potassium")
            play.say("b", "Potassium is seven.", topic="potassium")
            play.queue.release(HoldCause.LISTENER)
            await play.queue.idle()
            assert (play.phases("a")[-1], play.phases("b")[-1]) == (Phase.SUPERSEDED, Phase.SPOKEN)

    virtual.run(scene())


def test_a_welcome_passes_a_hold_that_lets_the_most_urgent_pass(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", TWO_CLAUSES)
            await asyncio.sleep(2.0)
            play.queue.hold(HoldCause.LISTENER)
            await asyncio.sleep(5.0)
            play.queue.hold(HoldCause.LISTENER, admit=Priority.CRITICAL)
            play.say("w", "Welcome back.", Priority.CRITICAL)
            await until(lambda: play.phases("w")[-1:] == ["spoken"])
            play.queue.release(HoldCause.LISTENER)
            await play.queue.idle()
            assert [e.utterance_id for e in play.events_of_segments()] == ["a", "w", "a", "a"]

    virtual.run(scene())


# --- tones and a softer voice -------------------------------------------------------------------------


def test_a_tone_sounds_at_once_in_a_silence_and_beside_speech(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        tone = np.full(4_800, 1_000, np.int16)
        async with playing() as play:
            await asyncio.sleep(0.2)
            at = play.queue.written_samples
            play.queue.tone(tone)
            await asyncio.sleep(0.3)
            assert (play.sink.pcm[at : at + 4_800] == 1_000).all()
            assert not play.sink.pcm[at + 4_800 : play.queue.written_samples].any()

    virtual.run(scene())


def test_a_ducked_voice_is_a_quarter_as_loud_and_comes_back(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", TWO_CLAUSES)
            await asyncio.sleep(1.0)
            full = int(np.abs(play.sink.pcm[play.queue.written_samples - 4_800 :]).max())
            play.queue.duck(True)
            await asyncio.sleep(0.5)
            soft = int(np.abs(play.sink.pcm[play.queue.written_samples - 4_800 :]).max())
            play.queue.duck(False)
            await asyncio.sleep(0.5)
            again = int(np.abs(play.sink.pcm[play.queue.written_samples - 4_800 :]).max())
            assert soft == pytest.approx(full * 10 ** (-12 / 20), rel=0.02)
            assert again == full

    virtual.run(scene())


def test_a_tone_never_wraps_round() -> None:
    mixer = Mixer()
    mixer.tone(np.full(480, 30_000, np.int16))
    assert mixer.mix(np.full(480, 30_000, np.int16)).max() == 32_767


def test_a_tone_is_short() -> None:
    with pytest.raises(ValueError, match="tone"):
        Mixer().tone(np.zeros(48_001, np.int16))

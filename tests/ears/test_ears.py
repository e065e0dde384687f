"""Turns on virtual time: what the ears say of a sound, in which order and when."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from numpy.typing import NDArray

from realtime.ears import (
    EARS_RATE_HZ,
    EagerTurn,
    Ears,
    EarsConfig,
    EarsFailed,
    EarsRecovered,
    TurnEnded,
    TurnResumed,
    VoiceBegan,
    VoicePaused,
)
from realtime.ears.testing import Hear, ScriptedRecogniser, ScriptedVad, quiet, voice
from tests.ears.scenes import Scene, listen, scene, speak

WINDOW_S = 0.032
PAUSE_S = EarsConfig().pause_short_s
A_TURN = ["VoiceBegan", "VoicePaused", "EagerTurn", "TurnEnded"]


def test_a_turn_begins_at_once_pauses_has_an_eager_text_and_ends_with_the_same(
    virtual: asyncio.Runner,
) -> None:
    made = virtual.run(listen(scene(Hear("Stop, hold on.")), quiet(0.5), voice(0.8), quiet(1.0)))
    assert made.kinds == A_TURN
    assert made.at(VoiceBegan)[0] == pytest.approx(0.5, abs=0.061)
    assert made.at(VoicePaused)[0] == pytest.approx(1.3 + PAUSE_S, abs=0.06)
    assert made.at(EagerTurn)[0] == pytest.approx(1.3 + PAUSE_S + 0.06, abs=0.06)
    assert made.at(TurnEnded)[0] == pytest.approx(1.3 + 0.6, abs=0.06)
    eager, end = made.events[2], made.ends[0]
    assert isinstance(eager, EagerTurn)
    assert eager.text == end.text == "Stop, hold on."
    assert end.metadata.had_eager_eot
    assert not end.metadata.had_turn_resumed
    assert (end.metadata.word_count, end.metadata.trigger) == (3, "silence")


def test_times_are_those_of_the_sound_however_late_it_comes(virtual: asyncio.Runner) -> None:
    async def late() -> list[float]:
        made = scene(Hear("Yes."))
        running = asyncio.create_task(made.ears.run())
        await asyncio.sleep(3.0)
        made.ears.feed(np.concatenate([quiet(0.32), voice(0.64), quiet(0.96)]))
        await asyncio.sleep(1.0)
        running.cancel()
        await asyncio.wait({running})
        data = made.ends[0].metadata
        return [data.began_s, data.ended_s, data.duration_ms / 1000]

    assert virtual.run(late()) == pytest.approx([0.32, 0.96, 0.64])


def test_the_recogniser_gets_the_turn_with_its_pre_roll_and_cut_tight_behind(
    virtual: asyncio.Runner,
) -> None:
    made = virtual.run(listen(scene(Hear("Yes.")), quiet(0.96), voice(0.64), quiet(0.96)))
    pre_roll_s = made.recogniser.asked[0].sound_s - 0.64
    assert pre_roll_s == pytest.approx(EarsConfig().pre_roll_s, abs=WINDOW_S)
    assert made.recogniser.asked[0].short


def test_a_voice_that_comes_back_voids_the_eager_text_and_the_whole_turn_is_heard_again(
    virtual: asyncio.Runner,
) -> None:
    script = Hear("Okay."), Hear("Okay, but why?")
    made = virtual.run(listen(scene(*script), voice(0.64), quiet(0.4), voice(0.64), quiet(1.0)))
    assert made.kinds == [*A_TURN[:3], "TurnResumed", "VoicePaused", "EagerTurn", "TurnEnded"]
    assert made.ends[0].text == "Okay, but why?"
    assert made.ends[0].metadata.had_turn_resumed
    assert made.ends[0].metadata.duration_ms == pytest.approx(1680, abs=64)
    assert made.recogniser.asked[1].sound_s == pytest.approx(1.68, abs=0.07)


@pytest.mark.parametrize("length_s", [0.64, 2.56], ids=["short", "a question's length"])
def test_the_text_of_a_turn_is_asked_for_ahead_of_the_pause_and_given_out_with_it(
    virtual: asyncio.Runner, length_s: float
) -> None:
    made = virtual.run(listen(scene(Hear("Okay.", takes_s=0.06)), voice(length_s), quiet(1.0)))
    assert made.kinds == A_TURN
    assert made.at(EagerTurn) == made.at(VoicePaused)


def test_that_of_a_long_turn_is_asked_for_at_the_pause_not_at_each_breath(virtual: asyncio.Runner) -> None:
    sounds = voice(7.04), quiet(0.096), voice(0.64), quiet(1.0)
    made = virtual.run(listen(scene(Hear("So what I wonder is", takes_s=0.06)), *sounds))
    assert made.kinds == A_TURN
    assert made.at(EagerTurn)[0] == pytest.approx(made.at(VoicePaused)[0] + 0.06, abs=0.01)


def test_a_breath_in_a_short_turn_drops_what_was_asked_ahead_and_is_told_to_nobody(
    virtual: asyncio.Runner,
) -> None:
    script = Hear("never seen", takes_s=0.02), Hear("the whole")
    made = virtual.run(listen(scene(*script), voice(0.48), quiet(0.096), voice(0.48), quiet(1.0)))
    assert made.kinds == A_TURN
    assert [each.text for each in made.ends] == ["the whole"]
    assert not made.ends[0].metadata.had_turn_resumed


def test_a_recognition_under_way_is_dropped_when_the_voice_comes_back(virtual: asyncio.Runner) -> None:
    script = Hear("never seen", takes_s=0.5), Hear("the whole")
    made = virtual.run(listen(scene(*script), voice(0.64), quiet(0.3), voice(0.64), quiet(1.0)))
    assert made.recogniser.dropped == 1
    assert "never seen" not in [e.text for e in made.events if isinstance(e, EagerTurn | TurnEnded)]
    assert made.ends[0].text == "the whole"


def test_a_text_that_comes_after_the_silence_ends_the_turn_without_an_eager_one(
    virtual: asyncio.Runner,
) -> None:
    made = virtual.run(listen(scene(Hear("Why?", takes_s=0.9)), voice(0.5), quiet(1.5)))
    assert made.kinds == ["VoiceBegan", "VoicePaused", "TurnEnded"]
    assert made.ends[0].text == "Why?"
    assert not made.ends[0].metadata.had_eager_eot


def test_a_noise_too_short_for_a_word_ends_fast_and_is_never_recognised(virtual: asyncio.Runner) -> None:
    made = virtual.run(listen(scene(), quiet(0.32), voice(0.064), quiet(0.5)))
    assert made.kinds == ["VoiceBegan", "TurnEnded"]
    assert (made.ends[0].text, made.ends[0].metadata.confidence) == ("", 0.0)
    assert made.at(TurnEnded)[0] <= 0.384 + PAUSE_S + 0.06


def test_a_hiss_that_is_cut_off_from_its_word_is_still_heard_with_it(virtual: asyncio.Runner) -> None:
    sounds = quiet(0.64), voice(0.064), quiet(0.192), voice(0.64), quiet(1.0)
    made = virtual.run(listen(scene(Hear("Stop.")), *sounds))
    assert made.kinds == ["VoiceBegan", "TurnEnded", *A_TURN]
    assert made.recogniser.asked[0].sound_s >= 0.064 + 0.192 + 0.64


def test_a_long_turn_is_not_held_against_the_closed_vocabulary(virtual: asyncio.Runner) -> None:
    made = virtual.run(listen(scene(Hear("one"), Hear("two")), voice(1.1), quiet(2), voice(1.3), quiet(1)))
    assert [asked.short for asked in made.recogniser.asked] == [True, False]


def test_what_the_recogniser_gives_is_in_the_metadata(virtual: asyncio.Runner) -> None:
    heard = Hear("Scared.", confidence=0.4, word="skip", word_confidence=0.9)
    data = virtual.run(listen(scene(heard), voice(0.5), quiet(1))).ends[0].metadata
    assert (data.confidence, data.word, data.word_confidence, data.word_count) == (0.4, "skip", 0.9, 1)


def test_a_turn_of_more_than_20_s_is_cut_there_and_the_rest_is_the_next_turn(virtual: asyncio.Runner) -> None:
    made = virtual.run(listen(scene(Hear("first"), Hear("rest")), voice(22), quiet(1)))
    assert made.kinds[:3] == ["VoiceBegan", "VoiceBegan", "TurnEnded"]
    first, rest = made.ends
    assert (first.text, first.metadata.trigger, rest.text) == ("first", "timeout", "rest")
    assert first.metadata.duration_ms == pytest.approx(20_000, abs=32)
    assert rest.metadata.began_s == pytest.approx(first.metadata.ended_s)


def test_a_recogniser_that_hangs_costs_its_deadline_and_the_next_turn_is_heard(
    virtual: asyncio.Runner,
) -> None:
    script = Hear(hangs=True), Hear("Yes.")
    made = virtual.run(listen(scene(*script), voice(0.5), quiet(2.0), voice(0.5), quiet(1)))
    assert made.kinds == [
        *("VoiceBegan", "VoicePaused", "EarsFailed", "TurnEnded"),
        *("VoiceBegan", "EarsRecovered", "VoicePaused", "EagerTurn", "TurnEnded"),
    ]
    failed, well = made.ends
    assert (failed.text, failed.metadata.trigger) == ("", "failed")
    assert (well.text, well.metadata.trigger) == ("Yes.", "silence")
    assert made.at(EarsFailed)[0] == pytest.approx(0.5 + PAUSE_S + 1.5, abs=0.1)


def test_turns_that_come_while_it_hangs_begin_in_time_end_in_order_and_are_told_as_failed_once(
    virtual: asyncio.Runner,
) -> None:
    script = [Hear(hangs=True) for _ in range(4)]
    sounds = [sound for _ in range(4) for sound in (voice(0.5), quiet(0.7))]
    made = virtual.run(listen(scene(*script), *sounds, then_s=4.0))
    assert [event.turn for event in made.ends] == [1, 2, 3, 4]
    assert {event.metadata.trigger for event in made.ends} == {"failed"}
    assert made.at(VoiceBegan) == pytest.approx([0.03, 1.23, 2.43, 3.63], abs=0.06)
    assert len(made.at(EarsFailed)) == 1
    assert made.at(EarsRecovered) == []
    assert made.at(TurnEnded)[-1] <= 3.6 + 0.5 + PAUSE_S + 1.5 + 0.1


def test_a_refusal_of_the_engine_is_a_failure_with_its_reason(virtual: asyncio.Runner) -> None:
    made = virtual.run(listen(scene(Hear(fails="busy")), voice(0.5), quiet(1)))
    assert EarsFailed("busy") in made.events
    assert made.ends[0].metadata.trigger == "failed"


def test_a_track_that_ends_inside_a_word_yields_one_turn(virtual: asyncio.Runner) -> None:
    async def cut_off() -> list[TurnEnded]:
        vad = ScriptedVad()
        made = scene(Hear("What about the"), Hear("Yes."), vad=vad)
        running = asyncio.create_task(made.ears.run())
        await speak(made.ears, quiet(0.5), voice(0.7))
        made.ears.track_ended()
        made.ears.track_ended()
        await asyncio.sleep(5.0)
        await speak(made.ears, voice(0.5), quiet(1.0))
        running.cancel()
        await asyncio.wait({running})
        assert vad.resets == 1
        assert made.kinds == ["VoiceBegan", "TurnEnded", *A_TURN]
        return made.ends

    cut, anew = virtual.run(cut_off())
    assert (cut.text, cut.metadata.trigger) == ("What about the", "track_ended")
    assert cut.metadata.duration_ms == pytest.approx(700, abs=64)
    assert (anew.turn, anew.metadata.began_s) == (2, 0.0)


def test_a_turn_is_not_left_open_when_no_more_sound_comes(virtual: asyncio.Runner) -> None:
    made = virtual.run(listen(scene(Hear("What about")), voice(0.7), then_s=1.5))
    assert made.kinds == ["VoiceBegan", "TurnEnded"]
    assert made.ends[0].metadata.trigger == "timeout"


def test_sound_that_waits_too_long_is_dropped_and_told_of_and_the_clock_stays_true(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    async def swamped() -> tuple[float, float]:
        made = scene(Hear("Yes."))
        made.ears.feed(np.concatenate([voice(10.0), quiet(1.6)]))
        running = asyncio.create_task(made.ears.run())
        await asyncio.sleep(1.0)
        running.cancel()
        await asyncio.wait({running})
        data = made.ends[0].metadata
        return data.began_s, data.ended_s

    began_s, ended_s = virtual.run(swamped())
    assert "9.6 s of the clinician's sound were dropped" in caplog.text
    assert (began_s, ended_s) == pytest.approx((9.6, 10.0), abs=WINDOW_S)


def test_a_silent_track_is_told_from_a_quiet_room() -> None:
    ears = Ears(ScriptedVad(), ScriptedRecogniser(), lambda event: None)
    ears.feed(quiet(4.0))
    ears.feed(np.full(160, 2, np.int16))
    assert ears.silent_s == pytest.approx(4.01)
    ears.feed(np.concatenate([np.full(160, -40, np.int16), quiet(0.5)]))
    assert ears.silent_s == pytest.approx(0.5)
    ears.track_ended()
    assert ears.silent_s == 0.0


def test_frames_of_any_length_give_the_same_turns(virtual: asyncio.Runner) -> None:
    async def fed_by(samples: int) -> list[str]:
        made = scene(Hear("Yes."))
        running = asyncio.create_task(made.ears.run())
        pcm = np.concatenate([quiet(0.5), voice(0.5), quiet(0.7)])
        for start in range(0, len(pcm), samples):
            made.ears.feed(pcm[start : start + samples])
            await asyncio.sleep(samples / EARS_RATE_HZ)
        await asyncio.sleep(0.5)
        running.cancel()
        await asyncio.wait({running})
        assert made.ends[0].metadata.duration_ms == pytest.approx(500, abs=33)
        return made.kinds

    assert [virtual.run(fed_by(samples)) for samples in (37, 480, 5_000)] == [A_TURN] * 3


def test_the_order_holds_when_a_voice_comes_back_again_and_again(virtual: asyncio.Runner) -> None:
    sounds = [sound for _ in range(5) for sound in (voice(0.2), quiet(0.3))]
    made = virtual.run(listen(scene(*[Hear(str(n)) for n in range(5)]), *sounds, quiet(1.0)))
    assert len(made.at(TurnResumed)) == 4
    assert len(made.at(VoicePaused)) == 5
    assert [end.text for end in made.ends] == ["4"]


def test_a_turn_that_begins_just_after_another_is_heard_alone_and_with_it(virtual: asyncio.Runner) -> None:
    script = Hear("What is the"), Hear("calcium dose"), Hear("What is the calcium dose?")
    made = virtual.run(listen(scene(*script), voice(1.28), quiet(0.96), voice(0.64), quiet(1.0)))
    assert [(end.text, end.metadata.joined) for end in made.ends] == [
        ("What is the", ""),
        ("calcium dose", "What is the calcium dose?"),
    ]
    first, alone, both = (asked.sound_s for asked in made.recogniser.asked)
    assert both == pytest.approx(first + alone, abs=0.01)
    assert made.kinds == [*A_TURN, "VoiceBegan", "VoicePaused", "EagerTurn", "EagerTurn", "TurnEnded"]


@pytest.mark.parametrize(
    ("sounds", "script"),
    [
        ((voice(1.28), quiet(1.92), voice(0.64)), ("What is the", "calcium dose")),
        ((voice(6.4), quiet(0.96), voice(0.64)), ("A long tale", "calcium dose")),
    ],
    ids=["later", "after a long turn"],
)
def test_one_that_begins_later_or_after_a_long_one_is_heard_alone(
    virtual: asyncio.Runner, sounds: tuple[NDArray[np.int16], ...], script: tuple[str, str]
) -> None:
    made = virtual.run(listen(scene(*map(Hear, script)), *sounds, quiet(1.0)))
    assert [(end.text, end.metadata.joined) for end in made.ends] == [(text, "") for text in script]


def test_a_sure_word_is_heard_alone_whatever_was_before(virtual: asyncio.Runner) -> None:
    script = Hear("What is the"), Hear("Stop.", word="stop", word_confidence=0.9)
    made = virtual.run(listen(scene(*script), voice(1.28), quiet(0.96), voice(0.64), quiet(1.0)))
    assert made.ends[1].metadata.joined == ""


def test_the_first_turn_of_a_track_is_no_rest_of_the_last_one_of_another(virtual: asyncio.Runner) -> None:
    async def two_tracks() -> Scene:
        made = scene(Hear("What is the"), Hear("calcium dose"))
        running = asyncio.create_task(made.ears.run())
        await speak(made.ears, voice(1.28), quiet(1.5))
        made.ears.track_ended()
        await speak(made.ears, voice(0.64), quiet(1.5))
        running.cancel()
        await asyncio.wait({running})
        return made

    made = virtual.run(two_tracks())
    assert [(end.text, end.metadata.joined) for end in made.ends] == [
        ("What is the", ""),
        ("calcium dose", ""),
    ]

"""A second recogniser's opinion: whom it is asked of, what it changes, and that nobody waits for it long."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from realtime.ears import EARS_RATE_HZ, EagerTurn, EarEvent, Ears, EarsConfig, Ending, TurnEnded, TurnResumed
from realtime.ears.hints import hints
from realtime.ears.near import own
from realtime.ears.second import SecondOpinion, taken
from realtime.ears.testing import Hear, ScriptedRecogniser, ScriptedVad, quiet, voice
from realtime.interruption import ending_of, is_made_out
from tests.ears.scenes import speak
from tts_queue import EngineUnavailable, Opinion, Recognised

CONFIG = EarsConfig()


class ScriptedOpinions:
    """Gives its script in order; what it is asked beyond that is an error."""

    def __init__(self, *script: Opinion | EngineUnavailable, takes_s: float = 0.1) -> None:
        self._script, self._takes_s = deque(script), takes_s
        self.asked: list[str] = []

    async def opinion(self, pcm: NDArray[np.int16], hints: str) -> Opinion:
        assert self._script, "an opinion that the script has not"
        self.asked.append(hints)
        await asyncio.sleep(self._takes_s)
        said = self._script.popleft()
        if isinstance(said, EngineUnavailable):
            raise said
        return said


def second(opinions: ScriptedOpinions) -> SecondOpinion:
    return SecondOpinion(opinions, known=lambda text: is_made_out(text, frozenset()), hints="Stop. Wait.")


async def heard(
    opinions: ScriptedOpinions,
    *script: Hear,
    sounds: tuple[NDArray[np.int16], ...] = (),
    ending: Callable[[str], Ending] = lambda _: "open",
) -> list[tuple[float, EarEvent]]:
    noted: list[tuple[float, EarEvent]] = []
    began_s = asyncio.get_running_loop().time()

    def note(event: EarEvent) -> None:
        noted.append((asyncio.get_running_loop().time() - began_s, event))

    recogniser = ScriptedRecogniser(*script)
    ears = Ears(ScriptedVad(), recogniser, note, CONFIG, second=second(opinions), ending=ending)
    running = asyncio.create_task(ears.run())
    await speak(ears, *(sounds or (quiet(0.5), voice(0.8), quiet(1.6))))
    running.cancel()
    await asyncio.wait({running})
    recogniser.assert_finished()
    return noted


def last(noted: list[tuple[float, EarEvent]]) -> tuple[float, TurnEnded]:
    at_s, event = noted[-1]
    assert isinstance(event, TurnEnded)
    return at_s, event


def test_that_a_word_is_missing_by_the_second_alone_is_told_before_the_turn_ends(
    virtual: asyncio.Runner,
) -> None:
    opinions = ScriptedOpinions(Opinion("What was her", 0.8, 0.01))
    sounds = (quiet(0.5), voice(0.8), quiet(2.4))
    by_words = partial(ending_of, case_words=frozenset())
    noted = virtual.run(heard(opinions, Hear("Wadders hurt"), sounds=sounds, ending=by_words))
    eager = [event.metadata.ending for _, event in noted if isinstance(event, EagerTurn)]
    assert eager == ["unfinished", "wanting"]
    at_s, _ = last(noted)
    assert at_s == pytest.approx(0.5 + 0.8 + CONFIG.end_wanting_s, abs=0.05)


def test_what_the_first_did_not_make_out_is_taken_from_the_second(virtual: asyncio.Runner) -> None:
    opinions = ScriptedOpinions(Opinion("Hang on a second.", 0.8, 0.01))
    noted = virtual.run(heard(opinions, Hear("Aim on a second,", word="go on", word_confidence=0.2)))
    at_s, end = last(noted)
    assert (end.text, end.metadata.confidence) == ("Hang on a second.", 0.8)
    assert (end.metadata.word, end.metadata.word_confidence) == ("go on", 0.2)
    assert [e.text for _, e in noted if isinstance(e, EagerTurn)] == ["Aim on a second,"]
    assert at_s == pytest.approx(0.5 + 0.8 + CONFIG.end_s, abs=0.05)  # it was there before the turn's end
    assert opinions.asked == ["Stop. Wait."]


@pytest.mark.parametrize(
    "first",
    [
        Hear("Okay."),
        Hear("Stop, hold on."),
        Hear("In the nation,", word="mm-hm", word_confidence=0.8),
        Hear(""),
    ],
)
def test_a_hum_a_command_and_a_sound_without_words_are_not_asked_about(
    virtual: asyncio.Runner, first: Hear
) -> None:
    opinions = ScriptedOpinions()
    _, end = last(virtual.run(heard(opinions, first)))
    assert end.text == first.text
    assert opinions.asked == []


def test_a_turn_just_after_another_has_a_second_opinion_of_its_own(virtual: asyncio.Runner) -> None:
    opinions = ScriptedOpinions(Opinion("Turn it down.", 0.9, 0.0))
    script = Hear("Okay."), Hear("Churn it down"), Hear("Okay. Churn it down")
    sounds = (quiet(0.5), voice(0.6), quiet(1.0), voice(0.9), quiet(1.6))
    _, end = last(virtual.run(heard(opinions, *script, sounds=sounds)))
    assert (end.text, end.metadata.joined) == ("Turn it down.", "Okay. Churn it down")


def test_a_question_of_known_words_alone_ends_without_a_second_opinion(virtual: asyncio.Runner) -> None:
    opinions = ScriptedOpinions()  # asked, it fails
    by_words = partial(ending_of, case_words=frozenset())
    at_s, end = last(virtual.run(heard(opinions, Hear("What is the potassium?"), ending=by_words)))
    assert end.text == "What is the potassium?"
    assert at_s == pytest.approx(0.5 + 0.8 + CONFIG.end_finished_s, abs=0.06)


def test_nobody_waits_for_a_second_opinion_that_is_late(virtual: asyncio.Runner) -> None:
    opinions = ScriptedOpinions(Opinion("Hang on.", 0.9, 0.0), takes_s=30.0)
    at_s, end = last(virtual.run(heard(opinions, Hear("Aim on,"))))
    assert end.text == "Aim on,"
    asked_s = 0.5 + 0.8 + CONFIG.lull_s + 0.06
    assert at_s == pytest.approx(asked_s + CONFIG.second_s, abs=0.06)


def test_a_voice_that_comes_back_voids_the_second_opinion_too(virtual: asyncio.Runner) -> None:
    opinions = ScriptedOpinions(Opinion("Hang on.", 0.9, 0.0), Opinion("Hang on to it, will you?", 0.9, 0.0))
    sounds = (quiet(0.5), voice(0.8), quiet(0.4), voice(0.8), quiet(1.6))
    noted = virtual.run(heard(opinions, Hear("Aim on,"), Hear("Aim on to it, Bill"), sounds=sounds))
    assert any(isinstance(event, TurnResumed) for _, event in noted)
    assert last(noted)[1].text == "Hang on to it, will you?"


def test_a_second_recogniser_that_fails_leaves_the_first_and_one_that_is_not_there_is_asked_once(
    virtual: asyncio.Runner,
) -> None:
    _, end = last(virtual.run(heard(ScriptedOpinions(EngineUnavailable("busy")), Hear("Aim on,"))))
    assert end.text == "Aim on,"
    asked = second(gone := ScriptedOpinions(EngineUnavailable("no_engine", retryable=False)))
    first = Recognised("Aim on,", 1.0)
    assert asked.wanted(first)
    assert virtual.run(asked.opinion(np.zeros(1600, np.int16))) == Opinion()
    assert not asked.wanted(first)
    assert len(gone.asked) == 1


@pytest.mark.parametrize(
    ("opinion", "text"),
    [
        (Opinion("Slower.", 0.41, 0.5), "Slower."),
        (Opinion("Slower.", 0.39, 0.0), "So it."),
        (Opinion("Slower.", 0.9, 0.7), "So it."),
        (Opinion("", 0.0, 0.0), "So it."),
    ],
)
def test_the_second_counts_only_where_it_is_fairly_sure(opinion: Opinion, text: str) -> None:
    first = Recognised("So it.", 1.0, "stop", 0.2)
    got = taken(first, opinion)
    assert (got.text, got.word, got.word_confidence) == (text, "stop", 0.2)


def test_the_hints_hold_our_commands_and_the_cases_longest_names() -> None:
    told = hints(frozenset({"spironolactone", "leg", *(f"word{n}" for n in range(50))}))
    assert "spironolactone" in told
    assert "leg," not in told
    assert "Stop." in told


def murmured(seconds: float, level: int) -> NDArray[np.int16]:
    return np.random.default_rng(1).integers(-level, level, round(seconds * EARS_RATE_HZ)).astype(np.int16)


def test_far_talk_before_and_after_a_word_is_not_of_the_turn() -> None:
    sound = np.concatenate([murmured(1.5, 400), murmured(0.5, 4000), murmured(1.0, 400)])
    first, end = own(sound)
    assert first / EARS_RATE_HZ == pytest.approx(1.2, abs=0.1)
    assert end / EARS_RATE_HZ == pytest.approx(2.35, abs=0.1)


def test_of_a_voice_alone_nothing_is_lost_and_silence_is_no_trouble() -> None:
    sound = np.concatenate([murmured(0.2, 900), murmured(0.5, 4000), murmured(0.3, 900)])
    assert own(sound) == (0, len(sound))
    assert own(np.zeros(16_000, np.int16)) == (0, 16_000)
    assert own(np.zeros(100, np.int16)) == (0, 100)


def test_a_word_among_far_talk_is_a_short_turn_to_the_recogniser(virtual: asyncio.Runner) -> None:
    """Far talk that the detector takes for a voice made every word a long turn, which no vote is asked of."""
    recogniser = ScriptedRecogniser(Hear("Stop."), Hear("Stop."))
    ends: list[TurnEnded] = []

    async def among_others() -> None:
        def note(event: EarEvent) -> None:
            if isinstance(event, TurnEnded):
                ends.append(event)

        ears = Ears(ScriptedVad(), recogniser, note, CONFIG)
        running = asyncio.create_task(ears.run())
        babble = [voice(1.5, 0.4), voice(0.4, 2.5), voice(1.0, 0.4)]
        await speak(ears, quiet(0.5), *babble, quiet(1.6), *babble, quiet(1.6))
        running.cancel()
        await asyncio.wait({running})

    virtual.run(among_others())
    assert [asked.short for asked in recogniser.asked] == [True, True]
    assert [end.metadata.began_s for end in ends] == pytest.approx([1.85, 6.35], abs=0.1)
    assert all(end.metadata.duration_ms < 1000 for end in ends)

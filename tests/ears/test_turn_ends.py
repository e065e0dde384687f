"""What the words at a pause tell of a turn's end, and that it ends sooner or later by that."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from realtime.ears import EarsConfig, Ending, TurnEnded
from realtime.ears.testing import Hear, quiet, voice
from realtime.interruption import ending_of
from tests.ears.scenes import listen, scene
from tts_queue import Opinion, Recognised

CASE = frozenset({"heparin", "potassium"})
CONFIG = EarsConfig()
WINDOW_S = 0.032


@pytest.mark.parametrize(
    "text",
    [
        "What's the dose of",
        "What is the",
        "What is",
        "Can you",
        "Does she have",
        "Give her",
        "I think it's because",
        "And then, um,",
        "The pressure is falling and",
        "Is that because of what",
        "This is",
        "What's her",
        "What is the next",
        "What was her last",
        "What was her",
        "What allergies does she",
        "What does the surgeon",
        "How much longer will",
        "How sure are",
        "Which drugs should we",
    ],
)
def test_a_text_in_which_a_word_is_missing_wants_one(text: str) -> None:
    assert ending_of(text, CASE) == "wanting"


@pytest.mark.parametrize(
    "text",
    [
        "What's the dose of heparin?",
        "How high is the potassium?",
        "Tell me about the potassium.",
        "Who disagrees?",
        "What's the plan?",
        "What does the surgeon think?",
        "What allergies does she have?",
        "What about potassium?",
        "What is she allergic to?",
        "Who disagrees and why?",
        "Any allergies?",
    ],
)
def test_a_question_that_ends_in_what_it_is_about_is_finished(text: str) -> None:
    assert ending_of(text, CASE) == "finished"


@pytest.mark.parametrize(
    "text", ["Why do you think so?", "How long should it run over?", "What should we do now?"]
)
def test_a_question_of_four_words_for_us_is_finished(text: str) -> None:
    assert ending_of(text, CASE) == "finished"


@pytest.mark.parametrize(
    "text",
    [
        "What allergies",
        "How much heparin",
        "Stop.",
        "Hold on.",
        "Okay, stop.",
        "Did you get your lunch",
        "The potassium is 6.9.",
        "I parked",
    ],
)
def test_of_what_is_nothing_whole_for_us_or_silenced_us_already_more_may_come(text: str) -> None:
    assert ending_of(text, CASE) == "unfinished"


@pytest.mark.parametrize(
    "text",
    [
        "What allergies does the patient have?",
        "What must the patient not have?",
        "What should the dose be?",
        "How has she been?",
        "She's allergic, isn't she?",
        "He had one, hasn't he?",
        "What is the patient allergic to?",
        "What's she allergic to?",
        "What drugs is she allergic to?",
        "Is it the same?",
    ],
)
def test_a_whole_question_wants_no_word(text: str) -> None:
    assert ending_of(text, CASE) != "wanting"


@pytest.mark.parametrize("text", ["Yes.", "Yes, please.", "Yes, go ahead.", "Confirm."])
def test_a_yes_in_words_is_finished(text: str) -> None:
    assert ending_of(text, CASE) == "finished"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Okay.",
        "Mm-hm.",
        "Skip this one.",
        "Louder.",
        "How much longer will you be?",
        "No.",
        "Got it.",
        "This is the wrong patient.",
    ],
)
def test_of_what_is_known_and_is_acted_on_at_the_end_nothing_is_told(text: str) -> None:
    assert ending_of(text, CASE) == "open"


def ends_after(runner: asyncio.Runner, ending: Ending, takes_s: float = 0.06) -> float:
    """Return how long after the last sound a turn of that ending ends."""
    made = scene(Hear("so it is", takes_s=takes_s), ending=lambda _: ending)

    async def heard() -> None:
        began_s = asyncio.get_running_loop().time()
        await listen(made, voice(1.6), quiet(2.1))
        (at_s,) = made.at(TurnEnded)
        ends.append(at_s - began_s - 1.6)

    ends: list[float] = []
    runner.run(heard())
    return ends[0]


def test_a_turn_ends_by_its_words(virtual: asyncio.Runner) -> None:
    silences: dict[Ending, float] = {
        "finished": CONFIG.end_finished_s,
        "open": CONFIG.end_s,
        "unfinished": CONFIG.end_unfinished_s,
        "wanting": CONFIG.end_wanting_s,
    }
    for ending, silence_s in silences.items():
        assert ends_after(virtual, ending) == pytest.approx(silence_s, abs=2 * WINDOW_S)


def test_a_text_that_comes_late_ends_a_finished_turn_then(virtual: asyncio.Runner) -> None:
    assert ends_after(virtual, "finished", takes_s=0.25) == pytest.approx(0.25 + 0.25, abs=2 * WINDOW_S)


def test_a_text_that_comes_after_the_usual_silence_changes_nothing(virtual: asyncio.Runner) -> None:
    assert ends_after(virtual, "unfinished", takes_s=0.6) == pytest.approx(
        EarsConfig().lull_s + 0.6, abs=2 * WINDOW_S
    )


@dataclass(frozen=True)
class ScriptedSecond:
    """A second recogniser that is always asked, and always right."""

    text: str
    takes_s: float

    def wanted(self, heard: Recognised) -> bool:
        return True

    async def opinion(self, pcm: NDArray[np.int16]) -> Opinion:
        await asyncio.sleep(self.takes_s)
        return Opinion(self.text, 0.9, 0.0)


def test_the_second_recognisers_text_ends_a_turn_that_the_first_misheard(virtual: asyncio.Runner) -> None:
    second = ScriptedSecond("What's the dose of heparin?", takes_s=0.3)
    made = scene(Hear("Once the doze of hair"), ending=lambda text: ending_of(text, CASE), second=second)
    virtual.run(listen(made, voice(1.6), quiet(1.0)))
    (end,), (at_s,) = made.ends, made.at(TurnEnded)
    assert end.text == "What's the dose of heparin?"
    text_s, opinion_s = EarsConfig().lull_s + 0.06, 0.3
    assert at_s - 1.6 == pytest.approx(max(EarsConfig().end_finished_s, text_s + opinion_s), abs=3 * WINDOW_S)


def test_a_word_beyond_doubt_ends_as_soon_as_ever_whatever_its_text(virtual: asyncio.Runner) -> None:
    hum = Hear("In the nation,", word="mm-hm", word_confidence=0.9)
    made = scene(hum, ending=lambda text: ending_of(text, CASE))
    virtual.run(listen(made, voice(0.5), quiet(1.0)))
    (at_s,) = made.at(TurnEnded)
    assert at_s - 0.5 == pytest.approx(CONFIG.end_s, abs=3 * WINDOW_S)


def test_a_thought_does_not_end_a_turn_and_what_comes_after_it_is_judged_anew(
    virtual: asyncio.Runner,
) -> None:
    whole = "What's the dose of heparin?"
    made = scene(Hear("What's the dose of"), Hear(whole), ending=lambda text: ending_of(text, CASE))
    virtual.run(listen(made, voice(1.0), quiet(0.8), voice(0.6), quiet(0.5)))
    (end,) = made.ends
    assert (end.text, end.metadata.had_turn_resumed) == (whole, True)


def test_without_a_judge_that_thought_is_two_turns_and_heard_as_one_too(virtual: asyncio.Runner) -> None:
    made = scene(Hear("What's the dose of"), Hear("heparin?"), Hear("What's the dose of heparin?"))
    virtual.run(listen(made, voice(1.0), quiet(0.8), voice(0.6), quiet(0.8)))
    assert [end.text for end in made.ends] == ["What's the dose of", "heparin?"]
    assert made.ends[1].metadata.joined == "What's the dose of heparin?"

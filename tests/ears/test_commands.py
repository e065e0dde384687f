"""Commands held against a sound: which are, when one counts, and what the real model makes of two sounds."""

from __future__ import annotations

import pytest

from realtime.ears.engines.commands import ALWAYS, LEAST, NEAREST, PRIOR, Scored, chosen, nearest
from realtime.ears.engines.whisper import WhisperEars, once, packaged_whisper
from realtime.ears.hints import hints
from realtime.interruption import Context, Kind, classify_with_prosody, whole_commands
from tests.ears.material import level, spoken
from tests.interruption.rows import turn

FREE = Scored("Flour.", -6.0, 3)


@pytest.mark.parametrize("text", [*ALWAYS, "slower please", "skip this one"])
def test_a_whole_command_steers_by_itself(text: str) -> None:
    verdict = classify_with_prosody(text, turn(text, 900), Context(speaking=True))
    assert text in whole_commands()
    assert verdict.kind is not Kind.IGNORE


def test_the_nearest_and_those_that_silence_us_are_held_against_a_sound() -> None:
    found = nearest("Lower.", whole_commands())
    assert "Slower." in found
    assert {f"{each.capitalize()}." for each in ALWAYS} <= set(found)
    assert len(found) <= NEAREST + len(ALWAYS)


@pytest.mark.parametrize("text", ["", "...", "Slower.", "hold on, please"])
def test_a_text_that_is_a_command_or_nothing_is_not(text: str) -> None:
    assert nearest(text, whole_commands()) == []


def test_the_likeliest_command_counts_if_it_is_as_likely_as_the_text() -> None:
    text, sure = chosen([Scored("Stop.", -20.0, 2), Scored("Slower.", -6.0, 3)], FREE) or ("", 0.0)
    assert text == "Slower."
    assert 0.5 < sure < 1.0
    assert chosen([Scored("Slower.", FREE.log_likelihood - PRIOR - 0.1, 3)], FREE) is None


def test_a_command_that_fits_no_sound_counts_for_nothing_however_badly_the_text_fits() -> None:
    assert chosen([Scored("Slower.", 3 * LEAST - 0.1, 3)], Scored("Flour.", -40.0, 3)) is None


def test_the_model_gives_a_command_where_it_was_said_and_leaves_talk_alone() -> None:
    model = WhisperEars(packaged_whisper(), ("hold on a sec",))
    sound = level(spoken("Hold on a second."), -22.0)
    assert model.transcribe(sound).text.startswith("Hold on")
    left = WhisperEars(packaged_whisper(), ("hold on a sec",), lambda text: text.startswith("Hold on"))
    assert left.transcribe(sound).text == "Hold on a second."
    talk = level(spoken("Is there any coffee left?"), -22.0)
    assert model.transcribe(talk).text == "Is there any coffee left?"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("what is she on? What is she on? What is she on? What is", "What is she on?"),
        ("is the heart rate. What is the heart rate? What", "What is the heart rate?"),
        ("who disagrees, who disagrees, who disagrees,", "who disagrees,"),
        ("Stop. Stop. Stop.", "Stop. Stop. Stop."),
        ("How old is the patient? How old is she?", "How old is the patient? How old is she?"),
        ("No, no, it's the left one, the left.", "No, no, it's the left one, the left."),
        ("Give 2.5 of it, 2.5 now.", "Give 2.5 of it, 2.5 now."),
        ("No more heparin, no.", "No more heparin, no."),
        ("", ""),
    ],
)
def test_what_a_model_says_again_and_again_is_kept_once(written: str, kept: str) -> None:
    assert once(written) == kept


@pytest.mark.parametrize(
    ("written", "lasts_s", "kept"),
    [
        ("what was the your ancidium? What was the urensodium?", 1.6, "What was the urensodium?"),
        ("what was the your ancidium? What was the urensodium?", 4.0, None),
        ("What is the sodium? What is the potassium?", 2.4, None),
        ("Who disagrees and why? Stop reading that now, please.", 1.0, None),
    ],
)
def test_another_spelling_of_what_nobody_could_say_twice_in_that_time_stays_alone(
    written: str, lasts_s: float, kept: str | None
) -> None:
    assert once(written, lasts_s) == (kept or written)


def test_a_question_told_our_commands_is_written_once() -> None:
    sound = level(spoken("How old is the patient?"), -22.0)
    told = hints(frozenset({"ramipril", "potassium", "nephrologist"}))
    assert WhisperEars(packaged_whisper()).transcribe(sound, told).text == "How old is the patient?"

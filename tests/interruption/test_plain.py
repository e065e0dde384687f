"""Questions that were made out to the last word, and texts that leave something to ask."""

from __future__ import annotations

import pytest

from realtime.interruption import is_made_out, is_plain_question, understood

CASE = frozenset({"potassium", "spironolactone", "urine", "sodium"})


@pytest.mark.parametrize(
    "text",
    [
        "What is the potassium?",
        "How old is the patient?",
        "what was the urine sodium",
        "What is she allergic to?",
        "Why do you think so?",
        "Which drugs must not be given?",
        "Okay, what is the heart rate?",
        "Tell me about the potassium.",
    ],
)
def test_a_question_of_known_words_alone_is_plain(text: str) -> None:
    assert is_plain_question(text, CASE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Howl is the patient?",  # "How old": a word that stands in no list
        "What was the your insodium?",
        "What is the hot rate?",
        "Who disagrees?",  # short: the closed vocabulary may want it
        "What is the",  # more is to come
        "What allergies does she",
        "The potassium is high.",
        "Give her spironolactone now.",
        "Did you get your lunch?",
        "Stop.",
        "What is the potassium " + "of the patient " * 120,  # longer than is read
    ],
)
def test_what_is_short_or_unknown_or_no_question_is_not(text: str) -> None:
    assert not is_plain_question(text, CASE)


def test_a_word_of_another_case_is_not_known() -> None:
    assert is_plain_question("How high is the zalbutol?", CASE) is False
    assert is_plain_question("How high is the zalbutol?", CASE | {"zalbutol"})


@pytest.mark.parametrize("text", ["How old is the patient?", "Skip this one."])
def test_a_plain_question_and_a_command_are_not_held_against_commands(text: str) -> None:
    assert understood(text)


def test_a_question_with_a_word_of_one_case_is() -> None:
    assert not understood("How high is the zalbutol?")


@pytest.mark.parametrize("text", ["No, no.", "Oh, no.", "no no no"])
def test_of_a_bare_no_no_the_second_is_asked_for_a_hum_may_be_written_so(text: str) -> None:
    assert not is_made_out(text, CASE)
    assert understood(text)  # and it is not held against commands


@pytest.mark.parametrize("text", ["No.", "No, stop.", "Stop.", "Mm-hm.", "Oh.", "No, go on."])
def test_of_what_else_silences_or_goes_on_it_is_not(text: str) -> None:
    assert is_made_out(text, CASE)

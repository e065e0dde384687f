"""When somebody is to be called, and what should make one stop: the sentences that say so come first."""

from __future__ import annotations

import pytest

from agents.dialogue.calls import call_asked
from agents.dialogue.intents import of_all, wanted
from agents.dialogue.shapes import sets_condition
from agents.dialogue.values import Intent
from tests.dialogue.asking import Asking, board_of

SAID = (
    ("spinal reg", "Legs hourly. A drop of one grade = call me, back to theatre. Pus to micro."),
    ("haem reg", "FEIBA 4400 units over 40 min. Chest pain or a cold leg during it = stop and ring me."),
    ("night reg", "Bleeping spines. Wake me if the urine falls under 20 ml an hour."),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("when do I ring spines", "a drop of one grade"),
        ("when should we call the spinal registrar", "a drop of one grade"),
        ("when should I call haem", "cold leg"),
        ("when must I wake the night reg", "urine falls under 20"),
        ("what would the haem reg want a call about", "cold leg"),
        ("what should I phone the haem reg about", "cold leg"),
    ],
)
async def test_when_to_call_somebody_is_answered_by_who_bids_it(question: str, told: str) -> None:
    answer = await Asking(await board_of(*SAID), None).ask(question)
    assert told in answer.sentences[0].text, answer.text


async def test_when_to_call_is_answered_by_everybody_who_bids_it_where_nobody_is_named() -> None:
    answer = await Asking(await board_of(*SAID), None).ask("when should I call someone")
    assert "urine falls" in answer.text and "cold leg" in answer.text, answer.text


@pytest.mark.parametrize(
    "question",
    ["when was the surgeon called", "has anyone rung spines", "when do we call it a day", "who do I call"],
)
def test_other_questions_ask_for_no_call(question: str) -> None:
    assert call_asked(question) is None


@pytest.mark.parametrize(
    "question",
    ["what should make me stop the feiba", "what would make us hold it", "what will make you call theatre"],
)
def test_what_should_make_one_stop_asks_for_a_condition(question: str) -> None:
    assert of_all(question) is None
    assert wanted(question) is Intent.CONDITION


def test_what_should_be_stopped_still_asks_for_the_list() -> None:
    assert of_all("what should I stop") is Intent.FORBIDDEN


@pytest.mark.parametrize(
    ("text", "sets"),
    [
        ("A drop of one grade = call me.", True),
        ("Chest pain = stop.", True),
        ("40 mg/kg = 2160 mg.", False),
        ("Penicillin = rash.", False),
    ],
)
def test_a_sum_that_ends_in_an_order_sets_a_condition(text: str, sets: bool) -> None:
    assert sets_condition(text) is sets


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("when do you want to be paged", "K below 3.3"),
        ("what should I phone you about overnight", "stridor"),
        ("when do I shout for the anaesthetist", "Under 1.4"),
    ],
)
async def test_a_call_is_asked_for_in_the_passive_and_bid_in_a_list_or_by_who_acts(
    question: str, told: str
) -> None:
    said = (
        ("safety", "K below 3.3 pauses insulin and pages us. Bed 4 is free. HDU tonight."),
        ("planner", "Call: stridor or wheeze, GCS 12 or less. Consent is signed."),
        ("anaesthetist", "Under 1.4 or she cannot count to 20, I tube. Spirometer is on the table."),
    )
    answer = await Asking(await board_of(*said), None).ask(question)
    assert told.lower() in answer.text.lower(), answer.text


@pytest.mark.parametrize(
    "text", ["when do you want to be in theatre", "what should I phone", "when was he called"]
)
def test_who_asks_when_somebody_is_to_be_somewhere_asks_for_no_call(text: str) -> None:
    assert call_asked(text) is None


@pytest.mark.parametrize(
    ("text", "sets"),
    [
        ("Any drop in GCS → CT again and FFP.", True),
        ("Intubate at 1.2 L.", True),
        ("K 3.1 → 3.6.", False),
        ("Repeat the gas at 14:00.", False),
        ("Theatre rang at 9 am.", False),
    ],
)
def test_an_arrow_from_a_state_and_a_level_set_a_condition(text: str, sets: bool) -> None:
    assert sets_condition(text) is sets

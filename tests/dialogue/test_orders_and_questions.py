"""What bids is an order; what asks whether something may be given is a question, whatever stands before it."""

from __future__ import annotations

import pytest

from agents.dialogue.intents import wanted
from agents.dialogue.values import Intent
from agents.dialogue.words import tokens

ASKS = [
    "So give ibuprofen?",
    "Okay, stop metformin?",
    "Just give gentamicin?",
    "Right, give beta-blockers?",
    "Let's give insulin?",
    "Check ibuprofen is ok",
    "Check that gentamicin is safe.",
    "Check she can have heparin",
    "Change in potassium",
    "Increase in lactate",
    "Discharge plan",
    "Transfer criteria",
    "Take home message",
    "Run that by me again",
    "Give me the plan.",
]
BIDS = [
    "So give ibuprofen.",
    "Stop metformin.",
    "Give methotrexate.",
    "Then stop the insulin.",
    "Let's give insulin.",
    "Please give ibuprofen?",
    "Right, could you give ibuprofen?",
    "Check the potassium in an hour",
    "Check the tube is in the right place",
    "Check with pharmacy if heparin is ok",
    "Increase the insulin",
]


def _wanted(text: str) -> Intent | None:
    return wanted(" ".join(tokens(text)), asks=text.endswith("?"))


@pytest.mark.parametrize("text", ASKS)
def test_what_asks_is_no_order(text: str) -> None:
    assert _wanted(text) is not Intent.ORDER


@pytest.mark.parametrize("text", BIDS)
def test_what_bids_is_an_order(text: str) -> None:
    assert _wanted(text) is Intent.ORDER

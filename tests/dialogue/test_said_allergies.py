"""Allergies of the discussion are told beside those of the record, which come first."""

from __future__ import annotations

import pytest

from exaim_core import CasePaper
from exaim_core.patient.paper import Allergy
from tests.dialogue.asking import Asking, board_of

PAPER = CasePaper(
    case_id="case-1",
    age=29,
    allergies=(Allergy(substance="phenytoin", reaction="Stevens-Johnson syndrome", year=2015),),
)

SAID = [
    ("Her sister says she also comes out in a rash with latex, so use latex-free gloves.", "latex"),
    ("She comes out in a rash with latex.", "latex"),
    ("She gets a rash with latex.", "latex"),
    ("She is allergic to penicillin, it closed her throat.", "penicillin"),
    ("Codeine brings her out in hives.", "codeine"),
    ("She wheezed with the rubber gloves.", "gloves"),
    ("Blisters from sticking plaster.", "plaster"),
    ("Last time amoxicillin gave her a rash.", "amoxicillin"),
    ("She had anaphylaxis to peanuts as a child.", "peanuts"),
]  # fmt: skip

NOT_SAID = [
    ("She has a rash on both legs, wear gloves.", "gloves"),
    ("The latex catheter is out.", "latex"),
    ("She has eaten eggs this morning.", "eggs"),
    ("He likes prawns.", "prawns"),
    ("No known latex allergy.", "anaphylaxis"),
    ("Does she react to latex?", "latex"),
    ("Give amoxicillin 1 g.", "amoxicillin"),
]  # fmt: skip


@pytest.mark.parametrize("question", ["is she allergic to anything", "any allergies"])
@pytest.mark.parametrize(("text", "named"), SAID)
async def test_what_was_said_of_allergies_is_told_beside_the_record(
    text: str, named: str, question: str
) -> None:
    board = await board_of(("doctor2", f"I am with her. {text} I will come back."))
    answer = await Asking(board, PAPER).ask(question)
    assert "phenytoin" in answer.sentences[0].text, answer.text
    assert named in answer.text.lower(), answer.text


@pytest.mark.parametrize(("text", "named"), NOT_SAID)
async def test_what_is_of_no_allergy_is_not_told_beside_the_record(text: str, named: str) -> None:
    board = await board_of(("doctor2", f"I am with her. {text} I will come back."))
    answer = await Asking(board, PAPER).ask("is she allergic to anything")
    assert "phenytoin" in answer.text and named not in answer.text.lower(), answer.text

"""What is not about what was asked is not told: what stands next, what is likest, headings, what was done."""

from __future__ import annotations

import pytest

from agents.dialogue.headings import without_bare_heading
from agents.dialogue.intents import wanted
from agents.dialogue.passages import Passages
from agents.dialogue.ties import share_asked, tied
from agents.dialogue.values import Intent
from exaim_core.board.shown import BoardView, SaidView
from tests.dialogue.asking import at

_NONE = Passages(BoardView(), ())


def _said(text: str, under: str = "") -> SaidView:
    return SaidView(agent_id="doctor0", text=text, at=(1, 1, 1), under=under)


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (
            _said("Ibuprofen: stop it.", "Limits; Ibuprofen"),
            _said("Use aztreonam 2 g once.", "Allergy"),
            False,
        ),
        (_said("The dose is halved.", "Allergy"), _said("Gentamicin should be avoided.", "Allergy"), False),
        (
            _said("Metformin: stop it.", "Limits"),
            _said("Twice daily is too much.", "Limits; Metformin"),
            True,
        ),
        (_said("Stop the metformin.", "Limits"), _said("It is harmful below 30.", "Limits"), True),
        (_said("Aspirin 300 mg: given."), _said("Tadalafil 20 mg: no nitrates."), False),
        (_said("Old letters: penicillin, a rash."), _said("Mother on phone: that was the brother."), True),
        (_said("No muscle relaxant."), _said("The potassium is 6.9."), True),
    ],
)
def test_what_stands_next_is_about_the_same_or_not(first: SaidView, second: SaidView, together: bool) -> None:
    assert tied(_NONE, first, second) is together


@pytest.mark.parametrize(
    ("question", "text", "shares"),
    [
        ("Has anyone told the renal team?", "Doctor Zero leads with prerenal kidney injury.", False),
        ("Has anyone told the renal team?", "The renal team is to be told now.", True),
        ("what did the CT of the head show", "CT of the urinary tract only if it worsens.", False),
        ("ok to give gentamicin?", "A renal ultrasound is needed urgently.", False),
        ("is she septic", "There are no signs of sepsis.", True),
        ("so what now", "Whatever it is.", True),
    ],
)
def test_what_fills_names_what_was_asked(question: str, text: str, shares: bool) -> None:
    assert share_asked(question, text) is shares


def test_what_is_very_like_the_question_may_say_it_in_other_words_but_of_no_drug() -> None:
    assert share_asked("when do we tube him", "At 40 he is paralysed.", 0.5)
    assert not share_asked("ok to give gentamicin?", "At 40 he is paralysed.", 0.5)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("What Remains: She does not need a left nephrostomy.", "She does not need a left nephrostomy."),
        ("Withdrawn Treatment: heparin.", "Withdrawn Treatment: heparin."),
        ("Not for Him: heparin.", "Not for Him: heparin."),
        ("Urine Sodium: it is 8 mmol/L.", "Urine Sodium: it is 8 mmol/L."),
        ("Still to settle: rate control.", "Still to settle: rate control."),
    ],
)
def test_a_heading_that_names_nothing_is_not_read(text: str, told: str) -> None:
    assert without_bare_heading(text) == told


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("has anyone told the renal team", Intent.DONE),
        ("has the calcium gone in yet", Intent.DONE),
        ("did anyone check a glucose", None),
        ("did anyone change their mind", Intent.CHANGED),
        ("no the other one", Intent.UNCLEAR),
        ("what is the other one", None),
    ],
)
def test_what_somebody_did_and_what_only_points_elsewhere(question: str, intent: Intent | None) -> None:
    found = wanted(question)
    assert found is intent if intent else found not in {Intent.DONE, Intent.UNCLEAR}


async def test_what_the_stranger_was_told_beside_her_question_is_not_told() -> None:
    for question, beside in (
        ("is it ok to give ibuprofen for the flank pain?", "aztreonam"),
        ("Has anyone told the renal team?", "perinephric"),
        ("what did the CT of the head show", "bladder outlet"),
        ("How much fluid should she get?", "CT of the urinary tract"),
        ("How much fluid should she get?", "what Remains"),
        ("Any history of stroke?", ".."),
    ):
        said = (await (await at()).ask(question)).text
        assert beside not in said, said
    assert "nothing on insulin" not in (await (await at()).ask("insulin dose?")).text

"""Allergies: what denies them is told with its question, no drug stands as one that is none, nothing else fills."""

from __future__ import annotations

import pytest

from agents.dialogue.allergies import leans
from agents.dialogue.restraints import without_urging
from tests.dialogue.asking import Asking, at, board_of
from tests.dialogue.test_before import said
from tests.dialogue.test_likeness import Topics, answered


@pytest.mark.parametrize("question", ["what is she allergic to", "any allergies"])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Any allergies? None known. Amoxicillin is running.", "any allergies? none known"),
        ("Any allergies? Nil known. Amoxicillin is running.", "any allergies? nil known"),
        ("Allergies: none known. Amoxicillin is running.", "allergies: none known"),
        ("NKDA. Amoxicillin is running.", "nkda"),
    ],
)
async def test_what_denies_allergies_is_told_with_its_question_and_no_drug_behind_it(
    question: str, words: str, told: str
) -> None:
    answer = await answered(question, await board_of(("agent_a", words)), None)
    assert told in answer.text.lower() and "amoxicillin" not in answer.text.lower(), answer.text


async def test_what_somebody_else_answers_to_the_question_is_told_with_it() -> None:
    talk = said(("doctor", "Any allergies?"), ("nurse", "None known. / Amoxicillin is running."))
    answer = await answered("any allergies", talk, Topics("any allergies", "Any allergies"))
    assert "says of any allergies: none known" in answer.text, answer.text
    assert "amoxicillin" not in answer.text.lower()


@pytest.mark.parametrize(
    "talk",
    [
        "Give amoxicillin. / She has only one allergy.",
        "Amoxicillin is good for this. / The allergy is in the old notes.",
    ],
)
async def test_a_drug_that_an_allergy_does_not_point_at_is_not_told_before_it(talk: str) -> None:
    answer = await answered("what is she allergic to", said(("nurse", talk)), None)
    assert "allergy" in answer.text and "amoxicillin" not in answer.text.lower(), answer.text


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("Write that as an allergy.", True),
        ("Only allergy she has.", True),
        ("A known allergy.", True),
        ("She has only one allergy.", False),
        ("She says that the allergy is old.", False),
        ("This patient has an allergy.", False),
        ("Check the allergy first.", False),
    ],
)
def test_an_allergy_leans_where_it_points_or_is_a_fragment(text: str, does: bool) -> None:
    assert leans(text) is does


@pytest.mark.parametrize(
    "talk",
    [
        "She takes apixaban. / Do not forget it.",
        "Aspirin and clopidogrel. / Never miss those.",
        "Give heparin 5000 units now. / Please don't delay.",
        "Furosemide 40 mg. / Don't stop it.",
        "Morphine. / Don't fear it.",
        "Don't hesitate to give adrenaline.",
        "Never stop the insulin.",
        "Aspirin? / Don't worry.",
    ],
)
async def test_what_urges_is_no_ban(talk: str) -> None:
    answer = await Asking(said(("nurse", f"{talk} / Avoid ibuprofen.")), None).ask("what must not be given")
    shown = " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()
    assert "ibuprofen" in shown and talk.split(" / ")[0].rstrip(".?").lower() not in shown, shown


@pytest.mark.parametrize("talk", ["Amiodarone. / Don't give it.", "Don't forget: no amiodarone."])
async def test_a_ban_stays_one_beside_what_urges(talk: str) -> None:
    answer = await Asking(said(("nurse", talk)), None).ask("what must not be given")
    assert "amiodarone" in answer.text.lower()
    assert without_urging("Don't delay: stop the aspirin") == "stop the aspirin"


async def test_what_is_of_no_allergy_fills_no_answer_on_allergies() -> None:
    asking = await at()
    talk = said(("doctor", "She is volume depleted."), ("nurse", "Penicillin allergy, hives."))
    answer = await answered(
        "Is she allergic to anything?", talk, Topics("allergic", "depleted", "Penicillin")
    )
    assert "hives" in answer.text and "depleted" not in answer.text, answer.text
    german = await asking.ask("Welche Allergien hat der Patient?")
    assert "penicillin" in german.text and "invented" not in german.text and "medicines" not in german.text

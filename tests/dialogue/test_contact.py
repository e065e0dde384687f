"""Whether people were told, asked or called is answered by who says so of them, never by what is about their organ."""

from __future__ import annotations

import pytest

from agents.dialogue.compose import NOT_KNOWN_TOLD
from agents.dialogue.contact import contact_asked
from agents.dialogue.people import whom
from tests.dialogue.asking import Asking, board_of

_ORGANS = (
    "Renal ultrasound shows small echogenic kidneys. Renal function is worse: creatinine 410.\n"
    "The heart is enlarged on the film. Cardiac arrest is a risk with a potassium of 7.2.\n"
    "Liver enzymes are normal. The family history is of polycystic kidneys.\n"
)
_TOLD = (
    "I rang the renal registrar at 04:10, he is coming.\n"
    "The family have been told and are on their way.\n"
    "She was seen by cardiology this morning.\n"
    "Blood bank is aware. Intensive care has accepted her.\n"
)


async def asking(words: str) -> Asking:
    return Asking(await board_of(("doctor1", words)), None)


@pytest.mark.parametrize(
    "question",
    [
        "Has anyone told the renal team?",
        "Have the kidney doctors been called?",
        "did somebody ring the cardiologist",
        "Was she seen by cardiology?",
        "Have we informed the family?",
        "Is the liver team aware?",
        "who told the nephrologist",
        "Do the family know?",
    ],
)
async def test_what_is_about_the_organ_is_no_answer(question: str) -> None:
    answer = await (await asking(_ORGANS)).ask(question)
    assert answer.text == NOT_KNOWN_TOLD, (question, answer.text)


@pytest.mark.parametrize(
    ("question", "term", "other"),
    [
        ("Has anyone told the renal team?", "registrar at 04:10", "echogenic"),
        ("Have the kidney doctors been called?", "registrar at 04:10", "echogenic"),
        ("Have we informed the family?", "have been told", "polycystic"),
        ("Was she seen by cardiology?", "seen by cardiology", "film"),
        ("Is blood bank aware?", "is aware", "creatinine"),
    ],
)
async def test_who_says_so_is_told_alone(question: str, term: str, other: str) -> None:
    answer = await (await asking(_ORGANS + _TOLD)).ask(question)
    assert term in answer.text.lower() and other not in answer.text.lower(), (question, answer.text)
    assert NOT_KNOWN_TOLD not in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "what does the renal team say",
        "has she had calcium",
        "was the calcium given",
        "did the cardiologist ask for an echo",
        "is the potassium high",
        "has he got a fever",
        "call the renal team",
        "is she allergic to penicillin",
        "what did they ask for",
        "has anyone seen the film",
        "does she know her allergies",
        "who is the patient",
        "is the aortic valve involved",
        "are the kidneys involved",
        "has anyone updated the potassium",
        "was the lactate called normal",
        "was the CT called",
    ],
)
def test_what_is_of_the_case_is_no_question_of_contact(question: str) -> None:
    found = contact_asked(question)
    assert found is None, found


@pytest.mark.parametrize(
    ("speaker", "question"),
    [
        ("haem reg", "what does the haematologist want"),
        ("neuro_reg", "what does the neurologist say"),
        ("paeds", "what did the paediatrician think"),
        ("onc fellow", "what does the oncologist suggest"),
    ],
)
async def test_who_is_called_for_short_has_spoken(speaker: str, question: str) -> None:
    view = await board_of((speaker, "Two pools of platelets before the line."), ("nurse", "BP 98/60."))
    assert whom(question, view, frozenset()).agent == speaker

"""What is on record of the person answers who asks for it, and no other question that it is like."""

from __future__ import annotations

import pytest

from agents.dialogue import Dialogue, Question
from agents.dialogue.embeddings import Embeddings
from exaim_core import CasePaper
from tests.dialogue.test_before import said
from tests.dialogue.test_likeness import Topics

PAPER = CasePaper(case_id="case-1", age=46, sex="female", weight_kg=92, height_cm=168)
_BOARD = said(("doctor1", "The tube is in. / Bed six is ready."))


async def _answer(question: str) -> str:
    encoder = Topics(question, "sex", "weight", "height", "age")  # to it the record is like any question
    embeddings = Embeddings(lambda: encoder)
    dialogue = Dialogue(thread_id="t", paper=PAPER, embeddings=embeddings, meant_within_s=2.0)
    await embeddings.of(question, dialogue.texts(_BOARD), 60.0)
    return (await dialogue.answer(Question("turn-1", question, _BOARD, None, 0))).text


@pytest.mark.parametrize(
    "question",
    ["what have we given her", "who's telling the husband", "what happened to her", "is she back in circulation",
     "can I give labetalol", "did anyone ring the ward"],
)  # fmt: skip
async def test_the_record_of_the_person_answers_no_other_question(question: str) -> None:
    text = await _answer(question)
    assert "female" not in text and "92 kg" not in text and "168" not in text and "46" not in text, text


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("is she a woman", "female"),
        ("what sex is the patient", "female"),
        ("man or woman", "female"),
        ("how old is she", "46"),
        ("what's her age", "46"),
        ("what does she weigh", "92 kg"),
        ("how heavy is she", "92 kg"),
        ("how tall is she", "168 cm"),
    ],
)
async def test_who_asks_for_the_person_hears_it(question: str, holds: str) -> None:
    text = await _answer(question)
    assert holds in text, text


_TEAM = said(
    ("nephrologist", "Dialysis is not needed yet. / The kidneys will recover."),
    ("cardiologist", "The echo shows a good left ventricle. / Keep her on the monitor."),
)


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("What does the nephrologist say?", "Dialysis is not needed"),
        ("What does the renal team think?", "Dialysis is not needed"),
        ("What did nephrology say about dialysis?", "Dialysis is not needed"),
        ("What did cardiology say?", "good left ventricle"),
        ("What did the cardiologist say about the echo?", "good left ventricle"),
    ],
)
async def test_who_is_asked_by_his_field_is_no_topic(question: str, holds: str) -> None:
    dialogue = Dialogue(thread_id="t", paper=None)
    answer = await dialogue.answer(Question("turn-1", question, _TEAM, None, 0))
    assert holds.lower() in answer.text.lower() and "nothing on" not in answer.text, answer.text
    assert answer.topic != "renal team"


async def test_of_another_field_nobody_s_view_is_told() -> None:
    dialogue = Dialogue(thread_id="t", paper=None)
    question = Question("turn-1", "What does the respiratory team think?", _TEAM, None, 0)
    assert "has not spoken here" in (await dialogue.answer(question)).text

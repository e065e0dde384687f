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

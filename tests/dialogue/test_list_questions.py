"""A question for all that must not be given is known by its vector, where no rule knows its words."""

from __future__ import annotations

import pytest

from agents.dialogue import Answer, Dialogue, Question
from agents.dialogue.embeddings import Embeddings
from agents.dialogue.minilm import MiniLM
from agents.dialogue.passages import Passages
from agents.dialogue.values import Intent
from lab.evaluation.answers import answered
from tests.dialogue.test_before import said

_TALK = said(
    ("surgeon", "No heparin at any dose until the repeat scan. / She is 34."),
    ("anaesthetist", "Do not give ketorolac. / Fasted since six."),
    ("nurse", "Paracetamol 1 g at six."),
)


async def _asked(question: str) -> Answer:
    embeddings = Embeddings(MiniLM)
    dialogue = Dialogue(thread_id="t", paper=None, embeddings=embeddings, meant_within_s=60.0)
    await embeddings.of(question, dialogue.texts(_TALK), 60.0)
    return await answered(dialogue, Question("turn-1", question, _TALK, None, 0))


@pytest.mark.parametrize(
    "question", ["anything we were told to leave alone", "run through the don'ts for me"]
)
async def test_the_list_is_told_in_whatever_words_it_is_asked_for(question: str) -> None:
    answer = await _asked(question)
    assert answer.kind == Intent.FORBIDDEN
    assert "heparin" in answer.text and "ketorolac" in answer.text


@pytest.mark.parametrize(
    "question",
    ["what is she taking", "why are we leaving it", "what did the surgeon leave in"],
)
async def test_what_only_sounds_like_it_is_no_question_for_the_list(question: str) -> None:
    assert (await _asked(question)).kind != Intent.FORBIDDEN


@pytest.mark.parametrize("order", ["cancel all the drugs", "withhold everything until I am there"])
async def test_an_order_stays_an_order(order: str) -> None:
    answer = await _asked(order)
    assert answer.kind == Intent.ORDER and not answer.found


async def test_a_drug_that_is_named_is_asked_about_alone() -> None:
    assert (await _asked("anything we were told about leaving ketorolac alone")).kind != Intent.FORBIDDEN


def test_what_repeats_the_question_is_not_the_nearest() -> None:
    encoder, question = MiniLM(), "how long was he down for"
    talk = said(
        ("registrar", "Collapse off the commode, ROSC at 6 min."),
        ("nurse", "We have to know how long he was down for."),
        ("registrar", "Correct that: ROSC at 16 min per the arrest sheet."),
    )
    passages = Passages(talk, ())
    passages.liken([encoder.encode(text) for text in (question, *passages.likeness.texts)])
    near = [one.text for one in passages.nearest(question, most=3, widely=True)]
    assert "We have to know" not in near[0]

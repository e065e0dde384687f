"""What was said later belongs to what is told: no reply to another question, no other thing of the same number."""

from __future__ import annotations

import pytest

from agents.dialogue.beside import replied
from agents.dialogue.facts import Fact
from agents.dialogue.forbidden_list import allergies_quoted
from agents.dialogue.further import with_further
from agents.dialogue.given import looks_allergic
from agents.dialogue.later import figure_again, last_word, next_speaker
from agents.dialogue.look_up import FactGroup
from agents.dialogue.passages import Passages
from agents.dialogue.understand import UnderstoodQuestion
from agents.dialogue.values import Intent, Sentence
from exaim_core import BoardView
from tests.dialogue.test_before import said
from tests.dialogue.test_likeness import Topics, answered


def _of(board: BoardView, text: str) -> tuple[Passages, tuple[Fact, ...]]:
    """Return the passages of a board, with its passage of this text as told first."""
    passages = Passages(board, ())
    return passages, (passages.fact_of(next(one for one in passages.all if one.text == text)),)


def _texts(facts: tuple[Fact, ...]) -> str:
    return " ".join(text for fact in facts for text in fact.said)


async def test_the_reply_to_another_question_is_not_told() -> None:
    board = said(
        ("doctor", "Aspirin 300 mg is due."),
        ("nurse", "Does he have a bleed?"),
        ("radiologist", "No. / The head is clean."),
    )
    answer = await answered("is aspirin due", board, None)
    assert "radiologist" not in answer.text, answer.text


@pytest.mark.parametrize(
    ("between", "replies"), [("Does he have a bleed?", False), ("Aspirin with that stomach?", True)]
)
async def test_a_reply_may_be_to_a_question_about_what_is_told(between: str, replies: bool) -> None:
    told = "Aspirin 300 mg is due."
    board = said(("doctor", told), ("nurse", between), ("radiologist", "No. / Give it."))
    passages, facts = _of(board, told)
    encoder = Topics("is aspirin due", "No.")
    passages.liken([encoder.encode(text) for text in ("is aspirin due", *passages.likeness.texts)])
    assert bool(next_speaker(passages, facts)) is replies


def test_behind_a_question_a_form_that_leans_is_not_enough() -> None:
    told = "Aspirin 300 mg is due."
    board = said(("doctor", told), ("nurse", "Is aspirin due?"), ("radiologist", "No."))
    assert next_speaker(*_of(board, told)) == ()


def test_far_from_what_is_told_nobody_replies_to_it() -> None:
    told = "Aspirin 300 mg is due."
    far = " / ".join((told, *(f"Point {k} of the plan." for k in range(5))))
    assert next_speaker(*_of(said(("doctor", far), ("nurse", "No, wait.")), told)) == ()


async def test_the_half_that_hangs_on_a_reply_is_not_told_without_it() -> None:
    board = said(
        ("doctor", "Amiodarone is due."),
        ("nurse", "Not now, I have ordered adenosine. / It is safe in pregnancy."),
    )
    answer = await answered("is amiodarone due", board, None)
    assert "safe in pregnancy" not in answer.text or "adenosine" in answer.text, answer.text


def test_a_correction_is_found_behind_sentences_that_are_told_as_one() -> None:
    board = said(
        ("lab", "Neutrophils came. / They are 0.4."), ("nurse", "Noted."), ("lab", "The 0.4 is Mr Lund's.")
    )
    joined = "Neutrophils came. They are 0.4."
    assert "0.4 is Mr Lund's" in _texts(figure_again(*_of(board, joined)))


def test_words_are_told_of_who_said_them() -> None:
    board = said(
        ("nurse", "No, wait."),
        ("doctor", "Aspirin 300 mg is due."),
        ("radiologist", "No, wait."),
    )
    passages, told = _of(board, "Aspirin 300 mg is due.")
    for replies in (next_speaker(passages, told), replied(passages, told, 0.0, number=False)):
        assert replies and replies[0].agents[0] == "radiologist"
    again = said(("nurse", "Aspirin is due."), ("doctor", "No, wait."), ("nurse", "Aspirin is due."))
    passages, told = _of(again, "Aspirin is due.")
    assert next_speaker(passages, told)[0].agents[0] == "doctor"
    assert last_word(passages, told) == ()


@pytest.mark.parametrize(
    ("first", "later", "told"),
    [
        ("Heparin 18 units per kilo.", "The 18 gauge cannula has tissued.", False),
        ("Adenosine 12 mg.", "Bring the 12-lead machine.", False),
        ("Morphine 10 mg.", "The 10 units of insulin went in.", False),
        ("Sodium 158.", "That 158 was haemolysed.", True),
        ("Sodium 158.", "Ignore that 158.", True),
        ("Sodium 158.", "The 158 is for heparin.", False),
        ("Neutrophils 0.4.", "The 0.4 belongs to Mr Lund.", True),
    ],
)
def test_a_figure_is_the_same_thing_only_without_another_noun(first: str, later: str, told: bool) -> None:
    board = said(("lab", first), ("nurse", later))
    assert bool(figure_again(*_of(board, first))) is told


@pytest.mark.parametrize(
    ("beside", "place"), [("No hypotonic saline with that.", 2), ("Repeat the sample.", 1)]
)
def test_a_figure_is_not_put_before_what_restrains(beside: str, place: int) -> None:
    board = said(("lab", "Sodium 158."), ("doctor", beside), ("nurse", "The 158 is Mr Lund's."))
    passages = Passages(board, ())
    told = tuple(passages.fact_of(one) for one in passages.all if one.text in ("Sodium 158.", beside))
    groups = with_further(UnderstoodQuestion(Intent.OPEN), "the sodium", (FactGroup("that", told),), passages)
    texts = [fact.rests_on[0] for group in groups for fact in group.facts]
    assert texts.index("The 158 is Mr Lund's.") == place, texts


async def test_the_page_has_nothing_of_something_else_and_what_is_near_is_not_counted() -> None:
    board = said(
        ("doctor", "No metoprolol with that pressure."),
        ("porter", "The lift is stuck."),
        ("nurse", "Beta blockers dropped him before."),
        ("doctor", " / ".join(f"Point {k} of the plan is long and is read out here." for k in range(9))),
    )
    topics = Topics("give metoprolol", "No metoprolol", "Beta blockers")
    answer = await answered("can i give metoprolol", board, topics)
    shown = _shown(answer.on_page)
    assert "lift" not in shown and "Point" not in shown, shown
    assert "on the page" not in answer.text, answer.text


@pytest.mark.parametrize(
    ("talk", "kept"),
    [
        ("No known drug allergies. / Start ceftriaxone 2 g.", ""),
        ("He had no hives after the scan. / Iohexol 80 ml.", ""),
        ("Allergies: none. / Amoxicillin.", ""),
        ("No known allergies. / Except latex.", "latex"),
        ("He had hives after the scan. / Iohexol 80 ml.", "Iohexol"),
        ("No penicillin, it brought him out in hives.", "penicillin"),
    ],
)
def test_what_is_denied_is_on_no_list_of_allergies(talk: str, kept: str) -> None:
    shown = _shown(allergies_quoted(said(("nurse", talk))))
    assert (kept in shown) if kept else not shown, shown


def test_a_symptom_that_is_denied_looks_like_no_allergy() -> None:
    assert not looks_allergic("No swelling of the lips.") and looks_allergic("Not new: swelling of the lips.")


def _shown(sentences: tuple[Sentence, ...]) -> str:
    return " ".join(one.text for one in sentences)

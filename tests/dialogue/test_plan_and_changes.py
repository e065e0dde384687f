"""The plan is told by the orders that stand, what changed by what was put right and withdrawn: the newest first."""

from __future__ import annotations

import pytest

from exaim_core import BoardView
from tests.dialogue.asking import Asking, board_of


async def _board() -> BoardView:
    return await board_of(
        ("registrar", "Start heparin 5000 units now."),
        ("cardiology", "Give metoprolol 25 mg by mouth."),
        ("renal", "Give insulin 10 units with glucose. Her ankles are swollen."),
        ("cardiology", "I withdraw the metoprolol, she is in shock."),
        ("pharmacist", "Make the heparin 2500 units, not 5000 units."),
        ("chair", "Start noradrenaline at 0.1 micrograms per kilo per minute. Repeat the lactate at six."),
    )


PLAN = (
    "what's the plan",
    "so what are we doing now",
    "what's the plan for her",
    "what are we going to do",
    "run me through the plan",
    "what is the current plan",
    "plan?",
)
CHANGED = (
    "what changed",
    "what's changed since I left",
    "has anything changed",
    "what's different now",
    "any changes",
    "what's new since this morning",
    "did they change anything",
)
OF_A_DRUG = (
    "what changed about the {}",
    "did anything change with the {}",
    "any change to the {}",
    "what's changed with her {}",
    "has the {} changed",
    "has the dose of {} been changed",
)


@pytest.mark.parametrize("question", PLAN)
async def test_the_plan_is_told_by_the_orders_that_stand_the_newest_first(question: str) -> None:
    text = (await Asking(await _board(), None).ask(question)).text.lower()
    assert text.index("noradrenaline") < text.index("insulin 10 units"), text
    assert "metoprolol" not in text and "ankles" not in text, text
    assert "heparin 5000" not in text or "not 5000" in text, text


@pytest.mark.parametrize("question", CHANGED)
async def test_what_changed_is_told_by_corrections_and_withdrawals_the_newest_first(question: str) -> None:
    text = (await Asking(await _board(), None).ask(question)).text.lower()
    assert text.index("heparin 2500 units") < text.index("withdraw the metoprolol"), text
    assert "insulin" not in text and "noradrenaline" not in text, text


@pytest.mark.parametrize("question", OF_A_DRUG)
async def test_what_changed_about_a_drug_is_told_of_that_drug_alone(question: str) -> None:
    asking = Asking(await _board(), None)
    heparin = (await asking.ask(question.format("heparin"))).text.lower()
    assert heparin.startswith("on heparin: the pharmacist says: make the heparin 2500 units"), heparin
    assert "metoprolol" not in heparin and "insulin" not in heparin, heparin
    metoprolol = (await asking.ask(question.format("metoprolol"))).text.lower()
    assert metoprolol.startswith("on metoprolol: cardiology says: i withdraw the metoprolol"), metoprolol
    assert "2500" not in metoprolol, metoprolol


async def test_an_order_that_was_stopped_or_put_right_is_a_change() -> None:
    board = await board_of(
        ("registrar", "Start amiodarone 300 mg over an hour."),
        ("cardiology", "No amiodarone, his QT is 520."),
        ("renal", "Give furosemide 40 mg."),
        ("renal", "Furosemide is 80 mg, not 40 mg."),
    )
    text = (await Asking(board, None).ask("what's changed")).text.lower()
    assert text.index("furosemide is 80 mg") < text.index("no amiodarone"), text
    text = (await Asking(board, None).ask("what changed about the amiodarone")).text.lower()
    assert text.startswith("on amiodarone: cardiology says: no amiodarone"), text
    assert "furosemide" not in text, text


async def test_where_no_view_was_decided_the_orders_that_stand_are() -> None:
    text = (await Asking(await _board(), None).ask("what did we decide")).text.lower()
    assert text.index("noradrenaline") < text.index("insulin 10 units"), text


@pytest.mark.parametrize(
    "question",
    [
        "how much insulin",
        "what's the plan if she bleeds",
        "what would change the plan",
        "who changed the heparin",
        "does the plan include heparin",
        "when do we change the line",
        "are her ankles swollen",
    ],
)
async def test_what_is_asked_of_one_thing_is_no_question_for_the_plan(question: str) -> None:
    text = (await Asking(await _board(), None).ask(question)).text.lower()
    assert not text.startswith("on the plan"), text


async def test_without_an_order_or_a_change_nothing_is_told_for_one() -> None:
    board = await board_of(("nurse", "Her ankles are swollen."), ("lab", "Sodium is 141 mmol/L."))
    for question in (PLAN[0], PLAN[3], CHANGED[0], CHANGED[2]):
        text = (await Asking(board, None).ask(question)).text.lower()
        assert "that is not a no" in text, text


@pytest.mark.parametrize(
    "taken_out",
    [
        "Strike the phenytoin.",
        "Phenytoin: deleted.",
        "Cross the phenytoin off.",
        'In the plan, "phenytoin 1 g": struck out.',
        "Please scrap phenytoin.",
    ],
)
async def test_a_drug_that_is_taken_out_of_the_plan_is_told_no_more(taken_out: str) -> None:
    board = await board_of(
        ("aster", "Phenytoin 1 g IV. Levetiracetam 2 g IV over 15 min."), ("birch", f"Draft 2. {taken_out}")
    )
    answer = await Asking(board, None).ask("what's the plan")
    assert "levetiracetam" in answer.text.lower() and "phenytoin 1 g iv" not in answer.text.lower(), (
        answer.text
    )


@pytest.mark.parametrize(
    "text",
    [
        "Don't strike the phenytoin.",
        "Allergy line: phenytoin: deleted.",
        "Strike the aspirin.",
        "Delete phenytoin from the GP's list.",
        "Scrap the idea.",
        "Should we strike the phenytoin?",
    ],
)
async def test_what_takes_nothing_out_of_it_leaves_the_plan(text: str) -> None:
    board = await board_of(("aster", "Phenytoin 1 g IV."), ("birch", f"Draft 2. {text}"))
    answer = await Asking(board, None).ask("what's the plan")
    assert "phenytoin 1 g" in answer.text.lower(), answer.text

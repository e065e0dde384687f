"""A figure that was put right since is told put right: before the sentence with the wrong one."""

# ruff: noqa: E501 - what a team says is read more easily on its one line

from __future__ import annotations

import pytest

from agents.dialogue.amended import put_right
from agents.dialogue.passages import Passages
from tests.dialogue.asking import Asking
from tests.dialogue.test_before import said

RIGHTED = [
    ("Give prothrombin complex 50 units per kilo, that is 4,000 units.", "haematologist", "I said 50 units per kilo. / That is too much with a stent, make it 25 units per kilo, 2,000 units.", "how much prothrombin complex", "25 units"),
    ("Her platelets are 48, so no spinal anaesthetic.", "doctor1", "Also, the platelets are 84 on the paper, not 48.", "can she have a spinal anaesthetic", "84"),
    ("Start labetalol 200 mg.", "doctor1", "Labetalol 20 mg, not 200 mg.", "how much labetalol", "20 mg, not"),
    ("Ketamine 100 mg now.", "haematologist", "The 100 mg was for a bigger man. / Ketamine 50 mg is enough.", "how much ketamine", "50 mg"),
    ("She had 500 micrograms of adrenaline.", "haematologist", "Sorry, the adrenaline was 5 milligrams, not 500 micrograms.", "how much adrenaline", "5 milligrams"),
    ("Potassium is 6.9 mmol/L, so no suxamethonium.", "doctor1", "The potassium of 6.9 mmol/L was haemolysed, it is 4.1 mmol/L.", "can she have suxamethonium", "4.1"),
    ("Enoxaparin 70 mg twice daily.", "doctor1", "With those kidneys enoxaparin 70 mg is too much, 40 mg once a day.", "how much enoxaparin", "40 mg once"),
]  # fmt: skip

NOT_RIGHTED = [
    ("Give morphine 10 mg.", "doctor1", "Midazolam 5 mg with the morphine 10 mg."),
    ("Give morphine 10 mg.", "doctor1", "Was it morphine 10 mg or 5 mg?"),
    ("Give morphine 10 mg.", "doctor1", "Heparin 5,000 units, not 500 units."),
    ("Give morphine 10 mg.", "doctor1", "Ten minutes later, 20 mL of saline."),
    ("Give morphine 10 mg.", "doctor1", "Morphine 10 mg it is."),
    ("Give morphine 10 mg.", "doctor1", "Her age is 48, not 84."),
    ("Sodium is 119 mmol/L.", "doctor1", "Potassium is 4.1 mmol/L, not 5.1 mmol/L."),
    ("Give morphine 10 mg.", "doctor1", "Morphine 10 mg by mouth, or 5 mL of it under the skin."),
    ("Platelets are 84.", "doctor1", "I would not do a spinal with platelets below 80, but with 84 it is open."),
    ("Platelets are 84, not 48.", "doctor1", "With platelets of 84 she bleeds, with 48 she would not stop, 30 is the end."),
    ("Pressure 88 over 40.", "doctor1", "He is 40 and weighs 88."),
]  # fmt: skip


@pytest.mark.parametrize(("first", "who", "later", "question", "right"), RIGHTED)
async def test_what_puts_a_figure_right_is_told_before_it(
    first: str, who: str, later: str, question: str, right: str
) -> None:
    board = said(("haematologist", f"He is ill. / {first}"), ("nurse", "The family is here."), (who, later))
    answer = (await Asking(board, None).ask(question)).text
    assert right in answer, answer
    wrong = first.lower().rstrip(".")
    assert wrong not in answer.lower() or answer.index(right) < answer.lower().index(wrong), answer


@pytest.mark.parametrize(("first", "who", "later"), NOT_RIGHTED)
def test_another_figure_puts_nothing_right(first: str, who: str, later: str) -> None:
    board = said(("haematologist", f"He is ill. / {first}"), ("nurse", "The family is here."), (who, later))
    passages = Passages(board, ())
    fact = next(passages.fact_of(one) for one in passages.all if one.text == first)
    assert put_right(fact, passages) == ()

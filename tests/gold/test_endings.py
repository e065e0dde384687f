"""How a closing is held against the ending that a discussion's author wrote down."""

from __future__ import annotations

import pytest

from lab.evaluation.endings import Ending

AGREED = Ending("agreed", ("methanol",), ("sepsis", "ethylene glycol"))
OPEN = Ending("open", ("takotsubo", "myocarditis"), ("infarction",))
UNSTATED = Ending("unstated", (), ("ulcer",))


@pytest.mark.parametrize(
    ("ending", "closing", "judged"),
    [
        (AGREED, "Finished. Methanol poisoning, all agree.", "right"),
        (AGREED, "Finished. Methanol, sepsis not the driver, says Dr Sokolov.", "right"),
        (AGREED, "Finished. Methanol with sepsis, says Dr Sokolov.", "wrong"),
        (AGREED, "Finished. At the end Dr Park said: DOH called.", "beside"),
        (AGREED, "Finished. Acidosis, all agree.", "wrong"),
        (AGREED, "Finished. What was decided could not be read: it is on the page.", "unread"),
        (OPEN, "Finished. No winner is declared, says the judge.", "right"),
        (OPEN, "Finished. Takotsubo or myocarditis, says the judge.", "right"),
        (OPEN, "Finished. Takotsubo, says Agent B.", "wrong"),
        (OPEN, "Finished. At the end the nurse said: Bed nine.", "beside"),
        (UNSTATED, "Finished. At the end Dr Lind said: Theatre at 05:15.", "right"),
        (UNSTATED, "Finished. Bleeding ulcer, from Dr Lind.", "wrong"),
    ],
)
def test_a_closing_is_right_beside_unread_or_wrong(ending: Ending, closing: str, judged: str) -> None:
    assert ending.judged(closing) == judged

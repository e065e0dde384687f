"""How a closing is held against the ending that a discussion's author wrote down."""

from __future__ import annotations

import pytest

from lab.evaluation.aloud import Said
from lab.evaluation.endings import Ending
from lab.evaluation.habits import closing_of

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
        (AGREED, "Finished. Consensus: methanol is excluded.", "wrong"),
        (AGREED, "Finished. No methanol, all agree.", "wrong"),
        (AGREED, "Finished. Nothing speaks against methanol, all agree.", "right"),
        (AGREED, "Finished. Methanol is not in doubt.", "right"),
        (AGREED, "Finished. Ketosis is excluded and methanol remains.", "right"),
        (AGREED, "Finished. Not methanol and ketosis, all agree.", "wrong"),
        (AGREED, "Finished. Not sepsis: methanol, not proven, says Dr Park.", "right"),
        (AGREED, "Finished. Methanol not excluded, says Dr Park.", "right"),
        (AGREED, "Finished. Methanol from the bottle was ruled out, says Dr Park.", "wrong"),
        (AGREED, "Finished. Methanol from the dropped bottle, says Dr Park.", "right"),
        (AGREED, "", "untold"),
        (AGREED, "Finished. Acidosis, all agree.", "wrong"),
        (AGREED, "Finished. What was decided could not be read: it is on the page.", "unread"),
        (OPEN, "Finished. No winner is declared, says the judge.", "right"),
        (OPEN, "Finished. Takotsubo or myocarditis, says the judge.", "right"),
        (OPEN, "Finished. Takotsubo, says Agent B.", "wrong"),
        (OPEN, "Finished. At the end the nurse said: Bed nine.", "beside"),
        (OPEN, "Finished. Left open: takotsubo, myocarditis or infarction.", "right"),
        (
            OPEN,
            "Finished. Takotsubo or myocarditis stays open. Infarction is the cause, says Agent B.",
            "wrong",
        ),
        (OPEN, "Finished. Consensus: open repair of the infarction.", "wrong"),
        (OPEN, "Finished. Consensus: open repair.", "wrong"),
        (OPEN, "", "untold"),
        (UNSTATED, "Finished. At the end Dr Lind said: Theatre at 05:15.", "right"),
        (UNSTATED, "Finished. Bleeding ulcer, from Dr Lind.", "wrong"),
        (UNSTATED, "Finished. Consensus: open repair.", "wrong"),
        (UNSTATED, "", "untold"),
    ],
)
def test_a_closing_is_right_beside_unread_or_wrong(ending: Ending, closing: str, judged: str) -> None:
    assert ending.judged(closing) == judged


def test_a_closing_that_was_never_begun_tells_no_ending() -> None:
    assert (
        AGREED.judged(closing_of([Said("Finished. Methanol, all agree.", "closing", 14.0, None)])) == "untold"
    )
    assert (
        AGREED.judged(closing_of([Said("Finished. Methanol, all agree.", "closing", 14.0, 15.0)])) == "right"
    )

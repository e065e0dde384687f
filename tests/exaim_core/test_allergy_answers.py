"""An answer to a question for allergies states what it names, and so does what puts a bare "no" right."""

from __future__ import annotations

from typing import Final

import pytest

from exaim_core import EXAIM, Delta

BOTH: Final = "Is she allergic to penicillin or latex?"


async def alarms(*turns: tuple[str, str]) -> list[str]:
    """Return the alarms on an order of amoxicillin that follows the turns."""
    exaim, told = EXAIM(), list[str]()
    for number, (agent, text) in enumerate((*turns, ("doctor", "Give amoxicillin 1 g IV."))):
        updates = [*await exaim.feed(Delta(agent, text, 2 * number + 1, 5.0 * number))]
        updates += await exaim.turn_end(agent, 2 * number + 2, 5.0 * number + 1)
        told += [item.text for update in updates for item in update.items if item.critical_key]
    return told


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (BOTH, ["No wait, both of them."]),
        (BOTH, ["No. Well, penicillin."]),
        (BOTH, ["No.", "Well, penicillin."]),
        (BOTH, ["No.", "Hang on, both."]),
        (BOTH, ["Both, hives as a child."]),
        (BOTH, ["Yes. Both."]),
        (BOTH, ["No, hang on, penicillin."]),
        ("Is she allergic to latex or penicillin?", ["All of them, she says."]),
        ("Is she allergic to penicillin?", ["Yes, anaphylaxis in 2010."]),
        ("Does she have a penicillin allergy?", ["She has."]),
        ("Any allergies?", ["No. Well, penicillin."]),
        ("Allergies?", ["None known.", "Oh, penicillin."]),
        ("Any allergies?", ["No, wait, codeine and penicillin."]),
        ("Any allergies?", ["Latex and penicillin."]),
    ],
)
async def test_what_is_said_after_a_bare_no_stands(question: str, answers: list[str]) -> None:
    told = await alarms(("lead", question), *(("nurse", each) for each in answers))
    assert any(each.startswith("Check, ") and "amoxicillin" in each for each in told), told


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (BOTH, ["No."]),
        (BOTH, ["Neither."]),
        (BOTH, ["Both are fine."]),
        (BOTH, ["No. Both are fine."]),
        (BOTH, ["Both were tested and are negative."]),
        (BOTH, ["No wait, let me check both."]),
        (BOTH, ["Both, if the chart is right."]),
        (BOTH, ["No. Well, latex."]),
        (BOTH, ["No, penicillin's fine."]),
        (BOTH, ["No. Well, penicillin is fine."]),
        (BOTH, ["Not latex."]),
        (BOTH, ["No. Penicillin 1.2 g, then."]),
        ("Is her brother allergic to penicillin or latex?", ["Both of them."]),
        ("Who is allergic to penicillin or latex?", ["Both of them."]),
        ("Should we give penicillin or gentamicin?", ["No wait, both of them."]),
        ("Is she allergic to penicillin?", ["Yes, but the label was removed."]),
        ("Is she allergic to penicillin?", ["No."]),
        ("Any allergies?", ["No.", "Penicillin, please."]),
        ("Any allergies?", ["No. Give penicillin."]),
        ("Potassium?", ["No.", "Well, penicillin."]),
    ],
)
async def test_what_is_denied_borne_asked_or_ordered_is_no_allergy(question: str, answers: list[str]) -> None:
    assert await alarms(("lead", question), *(("nurse", each) for each in answers)) == []


async def test_another_may_put_a_bare_no_right() -> None:
    said = (("lead", BOTH), ("nurse", "No."))
    assert await alarms(*said, ("mother", "No wait, both of them."))
    assert await alarms(*said, ("mother", "Both of them are fine.")) == []
    assert await alarms(*said, ("lead", "Thank you."), ("mother", "Both of them.")) == []

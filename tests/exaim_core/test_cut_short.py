"""A sentence that was cut is told as far as it is whole: no half word, no half number, no clause without its end."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.claims.cut_short import told_of

CUT = [
    ("Do not give nitrates because he took silden", "Do not give nitrates"),
    ("Do not give nitrates because he took ", "Do not give nitrates"),
    ("Avoid metformin, her eGFR is 1", "Avoid metformin"),
    ("Do not give heparin, she is bleeding", "Do not give heparin"),
    ("Avoid nitrates, morphine because he took, apparently, silden", "Avoid nitrates, morphine"),
    ("The potassium is 7.2 mmol/L, so give calcium gluc", "The potassium is 7.2 mmol/L"),
    ("Do not give rivaro", ""),
    ("Avoid calcium gluc", ""),
    ("Avoid beta block", ""),
    ("Never give flumazenil in mixed overd", ""),
    ("Withhold insulin until the potas", ""),
    ("Do not thrombolyse unless the CT is cl", ""),
    ("Potassium is 7", ""),
    ("Do not give ", ""),
]
WHOLE = [
    "Do not give heparin",
    "Do not give nitrates.",
    "Do not give nitrates because he took sildenafil.",
    "Do not thrombolyse unless the CT is clear.",
    "Avoid penicillin",
    "Avoid NSAIDs (she bleeds)",
    "Stop metformin",
    "Do not give morphine 10 mg",
    "K 7.4 mmol/L",
    "Potassium is 7.2",
    "SpO2 is 71 %",
    "pH 6.91",
]


@pytest.mark.parametrize(("text", "told"), CUT)
def test_what_was_cut_is_told_as_far_as_it_is_whole(text: str, told: str) -> None:
    assert text[: told_of(text)] == told


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_whole_is_told_as_it_is(text: str) -> None:
    assert told_of(text) == len(text)


@pytest.mark.parametrize("text", ["Give aspirin because he took silden", "We discuss it tomorr"])
def test_what_may_wait_is_left_out(text: str) -> None:
    assert told_of(text) == 0


async def test_no_half_word_is_spoken() -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("cardiologist", "The troponin is 4200 ng/L. Do not give ", 1, 1.0))
    await exaim.feed(Delta("cardiologist", "nitrates because he took silden", 2, 1.5))
    updates = await exaim.cut_short("cardiologist", 3, 2.0) + await exaim.turn_end("cardiologist", 4, 2.1)
    updates += await exaim.break_off(3.0)
    said = " ".join(item.text for update in updates for item in update.items)
    assert "nitrates" in said
    assert "silden" not in said + str([update.summary for update in updates])

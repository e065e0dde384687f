"""Drugs by the short names that clinicians write: a ban of one is told, and one that meets a hazard alarms."""

from __future__ import annotations

import pytest

from exaim_core.lexicon.drugs import drugs_named
from tests.exaim_core.test_terse_orders import told
from tests.exaim_core.test_whose_words import alarms, played


@pytest.mark.parametrize(
    "drug", ["sux", "vanc", "tazo", "LMWH", "tPA", "FFP", "SSRIs", "triptans", "volatiles", "GTN"]
)
@pytest.mark.parametrize("ban", ["No {}.", "Then no {}, to be safe.", "So no {}."])
async def test_its_ban_is_told(drug: str, ban: str) -> None:
    assert drugs_named(f"no {drug}")
    assert [kind for kind, _ in await told(ban.format(drug))] == ["caution"]


@pytest.mark.parametrize(
    "said", ["Then no rash and no fever.", "So no change.", "Then no ST changes in the second ECG."]
)
async def test_a_denied_finding_is_none(said: str) -> None:
    assert await told(said) == []


@pytest.mark.parametrize(
    ("hazard", "order"),
    [
        ("She is allergic to penicillin.", "Give tazo 4.5 g."),
        ("She is allergic to penicillin.", "500 ml crystalloid over 15 min, cultures, co-amox 1.2 g."),
        ("She has malignant hyperthermia.", "RSI with sux 100 mg."),
        ("Notes say HIT 2019.", "Heparin 5000 units IV now."),
    ],
)
async def test_it_meets_a_hazard(hazard: str, order: str) -> None:
    assert alarms(await played(("a", hazard), ("b", order)))

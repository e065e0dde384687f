"""Orders in JSON: under the name of their drug, under an "agent", beside their limits, below a condition."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.exaim_core.test_whose_words import items, played, texts

LIMITS: Final = {"hold_if": "SBP < 100", "max": "40 mg"}
LIMITED: Final = "labetalol 20 mg IV; hold if: SBP < 100; max: 40 mg."
DOSED: Final = {"drug": "apixaban", "dose": "5 mg bd"}
ORDERS: Final[list[tuple[dict[str, Any], str]]] = [
    ({"insulin": {"rate_units_h": 6}}, "recommends insulin 6 units/h."),
    (
        {"orders": {"insulin": {"rate_units_h": 6, "hold_if": "glucose < 10"}}},
        ": insulin 6 units/h; hold if: gl",
    ),
    ({"plan": {"labetalol": {"dose": "20 mg IV", "when": "now"}}}, ": labetalol 20 mg IV now."),
    ({"action": "give", "agent": "labetalol", "dose": "20 mg IV"}, ": give labetalol 20 mg IV."),
    ({"action": "give", "agent": "labetalol", "dose_mg": 20, "route": "IV"}, ": give labetalol 20 mg IV."),
    ({"action": "give", "drug": "labetalol", "dose": "20 mg IV", **LIMITS}, f": give {LIMITED}"),
    ({"recommendation": "give labetalol 20 mg IV", **LIMITS}, f": give {LIMITED}"),
    ({"agent": "pharmacist", "action": "give", "dose": "labetalol 20 mg IV"}, ": give labetalol 20 mg IV."),
    ({"patient": {"medications_to_start": [DOSED]}}, "recommends apixaban 5 mg bd."),
    ({"patient": {"prescriptions": [DOSED]}}, "recommends apixaban 5 mg bd."),
    (
        {"if_he_deteriorates": ["give adrenaline 0.5 mg IM"]},
        ": if he deteriorates: give adrenaline 0.5 mg IM.",
    ),
    (
        {"if_deteriorates": {"adrenaline": {"dose": "0.5 mg", "route": "IM"}}},
        ": if deteriorates: adrenaline 0.5 mg IM.",
    ),
    (
        {"contingencies": [{"condition": "SBP < 90", "action": "give noradrenaline 5 mcg/min"}]},
        ": give noradrenaline 5 mcg/min if SBP < 90.",
    ),
]
NO_ORDERS: Final[list[dict[str, Any]]] = [
    {"home_medications": {"metformin": {"dose": "500 mg", "frequency": "bd"}}},
    {"already_given": {"adrenaline": {"dose": "0.5 mg", "route": "IM"}}},
    {"avoid": {"metformin": {"dose": "500 mg", "reason": "AKI"}}},
    {"insulin": {"dose": "6 units", "status": "stopped"}},
    {"patient_state": {"infusions": {"noradrenaline": {"rate": "5 mcg/min"}}}},
    {"observation": {"drug": "adrenaline", "dose": "0.5 mg IM"}},
    {"heart": {"rate": 80}},
    {"action": "handoff", "agent": "cardiology", "priority": "high"},
    {"action": "give", "agent": "nurse", "dose": "20 mg IV"},
    {"action": "give", "agent": "cardiology", "dose": "20 mg labetalol IV"},  # as it was: a finding
    {"current_therapy": {"insulin": {"dose": "6 units"}}},
    {"insulin": {"dose": "6 units", "current": True}},
    {"max_doses": {"labetalol": {"dose": "300 mg"}}},
    {"blood_loss": {"amount": "2 units"}},
    {"blood_loss": {"volume": "2 units"}},
]


@pytest.mark.parametrize(("said", "told"), ORDERS)
async def test_an_order_in_json_is_told_whole(said: dict[str, Any], told: str) -> None:
    assert told in texts(await played(("house", said)))


@pytest.mark.parametrize("said", NO_ORDERS)
async def test_what_is_given_taken_or_forbidden_is_no_order(said: dict[str, Any]) -> None:
    assert "action" not in {item.kind for item in items(await played(("house", said)))}


async def test_a_disease_is_no_condition_of_the_act_beside_it() -> None:
    said = {"condition": "sepsis", "action": "give ceftriaxone 2 g IV"}
    assert "if sepsis" not in texts(await played(("house", said)))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"action": "stop", "agent": "warfarin"}, "stop warfarin."),
        ({"recommendation": {"action": "avoid", "agent": "gentamicin"}}, "avoid gentamicin."),
        ({"action": "give", "agent": "ceftriaxone"}, "give ceftriaxone."),
    ],
)
async def test_an_act_on_a_known_drug_needs_no_dose(said: dict[str, Any], told: str) -> None:
    assert told in texts(await played(("house", json.dumps(said))))


async def test_an_agent_that_is_no_drug_is_who_acts() -> None:
    assert "pharmacist" not in texts(await played(("house", '{"action": "stop", "agent": "pharmacist"}')))

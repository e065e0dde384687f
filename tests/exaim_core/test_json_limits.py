"""In JSON an order keeps what limits it, a number its unit, and a finding its noun, under whatever keys."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.exaim_core.test_json_answers import stated, told_of


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            {"give": "labetalol 20 mg iv", "not_if": "pulse below 50"},
            ["Labetalol 20 mg iv; not if: pulse below 50"],
        ),
        (
            {"give": "labetalol 20 mg iv", "only_if": "pulse above 60"},
            ["Labetalol 20 mg iv only if pulse above 60"],
        ),
        (
            {"give": "labetalol 20 mg iv", "max": "300 mg", "avoid_in": ["asthma", "heart block"]},
            ["Labetalol 20 mg iv; max: 300 mg; avoid in: asthma, heart block"],
        ),
        (
            {"plan": [{"drug": "labetalol", "dose": "20 mg", "hold_if": "pulse below 50"}]},
            ["Labetalol 20 mg; hold if: pulse below 50"],
        ),
        (
            {"plan": [{"action": "insulin infusion", "precondition": "potassium above 3.3 mmol/L"}]},
            ["Insulin infusion; precondition: potassium above 3.3 mmol/L"],
        ),
        (
            {"start": "insulin 6 units/h", "limits": {"glucose_below": 4, "potassium_below": 3.3}},
            ["Start insulin 6 units/h; limits: glucose below 4, potassium below 3.3"],
        ),
        (
            {"give": {"drug": "alteplase", "dose_mg": 90}, "not_if": "pressure above 185/110"},
            ["Alteplase 90 mg; not if: pressure above 185/110"],
        ),
        (
            {"give": ["aspirin 300 mg", "ticagrelor 180 mg"], "unless": "active bleeding"},
            ["Aspirin 300 mg unless active bleeding", "Ticagrelor 180 mg unless active bleeding"],
        ),
        (  # a limit belongs to the act before it
            {"start": "metformin 500 mg", "max_dose": "2 g", "stop": "gliclazide"},
            ["Start metformin 500 mg; max dose: 2 g", "Stop gliclazide"],
        ),
        (
            {"give": "paracetamol 1 g", "stop": "ibuprofen", "max": "4 g"},
            ["paracetamol 1 g", "Stop ibuprofen", "max: 4 g"],
        ),
    ],
)
def test_an_order_keeps_the_limits_that_stand_beside_it(said: dict[str, Any], words: list[str]) -> None:
    assert stated(said) == words


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"plan": [{"drug": "enoxaparin", "dose_mg": 80}]}, ["Enoxaparin 80 mg"]),
        ({"plan": [{"drug": "heparin", "dose": {"value": 5000, "unit": "units"}}]}, ["Heparin 5000 units"]),
        (
            {"plan": [{"drug": "heparin", "dose": 5000, "route": "iv", "unit": "units"}]},
            ["Heparin 5000 units iv"],
        ),
        (
            {"plan": [{"drug": "heparin", "dose": "5000 units", "bolus": False}]},
            ["Heparin 5000 units; bolus: no"],
        ),
        ({"spo2_pct": "88"}, ["spo2: 88 %"]),
        ({"sbp_mmHg": 82}, ["sbp: 82 mmHg"]),
        ({"platelets_min": 50}, ["platelets min: 50"]),
        ({"labs": [{"name": "K", "val": "6.8", "units": "mmol/L"}]}, ["K: 6.8 mmol/L"]),
    ],
)
def test_a_number_keeps_its_unit_and_a_no_its_noun(said: dict[str, Any], words: list[str]) -> None:
    assert stated(said) == words


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"structure": "left ventricle", "finding": "dilated"}, ["left ventricle: dilated"]),
        ({"findings": [{"item": "lactate", "state": "raised"}]}, ["lactate: raised"]),
        ({"test": "D-dimer", "result": "raised"}, ["D-dimer: raised"]),
        (
            {"imaging": [{"structure": "aortic root", "appearance": "dilated to 52 mm"}]},
            ["aortic root: dilated to 52 mm"],
        ),
        (
            {"exam": {"site": "left calf", "swelling": "yes", "tenderness": "no", "girth_cm": 41}},
            ["left calf: swelling: yes; tenderness: no; girth: 41 cm"],
        ),
        ({"beds": [{"ward": "side room", "potassium": 6.9}]}, ["side room: potassium: 6.9"]),
        (  # beside one another
            {"care": {"counselling": "referral at first findings", "imaging": "yearly"}},
            ["referral at first findings", "yearly"],
        ),
        (
            {"plan": [{"action": "prednisolone 30 mg", "request": ["EBUS of station 7"]}]},
            ["Prednisolone 30 mg", "EBUS of station 7"],
        ),
        ({"speaker": "nurse", "message": "stop the heparin"}, ["nurse", "stop the heparin"]),
        ({"opinion": "pericarditis", "stance": "agree"}, ["pericarditis", "agree"]),
    ],
)
def test_a_finding_keeps_its_noun_under_keys_that_nobody_knows(
    said: dict[str, Any], words: list[str]
) -> None:
    assert stated(said) == words


@pytest.mark.parametrize(
    ("order", "alarm"),
    [
        ({"give": "piperacillin-tazobactam 4.5 g iv", "stop_if": "rash", "loading": False}, "piperacillin"),
        (
            {"plan": [{"drug": "amoxicillin", "dose_g": 1, "loading": False, "max_doses": 3}]},
            "amoxicillin",
        ),
        ({"drug": "amoxicillin", "dose": "1 g", "stat": True}, "amoxicillin"),
    ],
)
async def test_an_order_with_its_limits_still_meets_an_allergy(order: dict[str, Any], alarm: str) -> None:
    aloud, _ = await told_of("a|He is allergic to penicillin.", f"b|{json.dumps(order)}")
    assert any(text.startswith("Check") and alarm in text for text in aloud)


async def test_a_limit_of_an_order_is_no_finding_and_no_ban() -> None:
    said = {"plan": [{"intervention": "fluid bolus 500 mL", "stop_criteria": ["crackles", "SpO2 below 92%"]}]}
    aloud, _ = await told_of(f"a|{json.dumps(said)}")
    assert aloud[0] == "Agent A: fluid bolus 500 mL; stop criteria: crackles, SpO2 below 92%."
    assert not any(text.startswith(("Caution", "Agent A: SpO2")) for text in aloud)


async def test_a_value_of_somebody_else_in_json_is_not_the_patients() -> None:
    said = {"labs": [{"test": "K", "value": 6.9, "unit": "mmol/L", "patient": "mother"}]}
    aloud, _ = await told_of(f"a|{json.dumps(said)}")
    assert not any(text.startswith("Critical") for text in aloud)


async def test_a_test_with_its_result_is_not_asked_for() -> None:
    aloud, _ = await told_of('a|{"test": "D-dimer", "result": "raised"}')
    assert not any("asks for" in text for text in aloud)

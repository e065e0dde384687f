"""JSON and tables say what they say: an object is one statement, its keys say how its words are meant (136)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from exaim_core import EXAIM, Delta, Update
from exaim_core.text.jsonstatements import statements_of
from exaim_core.text.keys import KeySense, meaning, plain_key
from exaim_core.text.wording import lower_first
from tests.exaim_core.test_whose_words import alarms, played, texts

ANSWERS: Final = yaml.safe_load((Path(__file__).parent.parent / "gold/json_answers.yaml").read_text("utf-8"))
REFUSALS: Final = yaml.safe_load(
    (Path(__file__).parent.parent / "gold/json_refusals.yaml").read_text("utf-8")
)
PIECE: Final = 40  # characters of a delta


async def told_of(*turns: str) -> tuple[list[str], dict[str, str]]:
    """Play "agent|text" turns in pieces; return what was told aloud, and the page's fields."""
    exaim, at_s = EXAIM(), 0.0
    aloud: list[str] = []
    fields: dict[str, str] = {}
    for turn in turns:
        agent, _, text = turn.partition("|")
        made: list[Update] = []
        for at in range(0, len(text), PIECE):
            at_s += 1
            made += await exaim.feed(Delta(agent, text[at : at + PIECE], int(at_s), at_s))
        at_s += 1
        made += await exaim.turn_end(agent, int(at_s), at_s)
        aloud += [item.text for update in made for item in update.items]
    for update in await exaim.finish(at_s):
        aloud += [item.text for item in update.items]
        fields = update.summary.model_dump()
    return aloud, fields


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: str(row["id"]))
async def test_an_answer_in_json_is_told_as_it_is_meant(row: dict[str, Any]) -> None:
    if row.get("open"):
        pytest.xfail(row["open"])
    aloud, fields = await told_of(*row["turns"])
    told = [*aloud, *map(str, fields.values())]
    assert [one for one in row["told"] if not any(re.search(one, text) for text in told)] == []
    assert [one for one in row["never"] if any(re.search(one, text, re.MULTILINE) for text in told)] == []


@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: str(row["id"]))
async def test_what_says_no_beside_a_name_is_told_in_its_own_words(row: dict[str, Any]) -> None:
    aloud, fields = await told_of(*row["turns"])
    told = [*aloud, *map(str, fields.values())]
    assert [one for one in row["told"] if not any(re.search(one, text) for text in told)] == []
    assert [one for one in row["never"] if any(re.search(one, text, re.MULTILINE) for text in told)] == []
    where = {"next_steps": "recommendation_next_step", "working_view": "differential_rationale"}
    kept_out = row.get("not_field", {}).items()
    assert [one for name, one in kept_out if re.search(one, str(fields[where[name]]))] == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"drug": "alteplase", "dose": "50 mg", "start": False}, "alteplase 50 mg: start: no"),
        ({"drug": "morphine", "given": False}, "morphine: given: no"),
        (
            {"treatment": "thrombolysis", "eligibility": "outside the window"},
            "thrombolysis: eligibility: outside the window",
        ),
        ({"diagnosis": {"name": "PE", "confirmed": False}}, "PE: confirmed: no"),
        ({"leading_diagnosis": "PE", "supported": "no"}, "PE: supported: no"),
        ({"differential": [{"name": "PE", "present": False}]}, "PE: present: no"),
        ({"tests": [{"test": "CT head", "needed": False}]}, "CT head: needed: no"),
    ],
)
def test_an_object_beside_whose_name_a_key_says_no_is_not_stated(said: dict[str, Any], words: str) -> None:
    assert [(each.text, each.doubted) for each in statements_of([said])] == [(words, True)]


@pytest.mark.parametrize(
    "said",
    [
        {"drug": "alteplase", "dose": "50 mg", "start": True},
        {"drug": "alteplase", "dose": "50 mg", "approved": "yes"},
        {"drug": "alteplase", "dose": "50 mg", "timing": "after the CT"},
        {"plan": [{"action": "CT head", "urgent": True}]},
        {"leading_diagnosis": "PE", "disagreement": False, "next_step": "CT"},
        {"name": "Ada Smith", "on_call": False},
        {"consensus": False},
    ],
)
def test_what_is_understood_or_of_nothing_is_not_doubted(said: dict[str, Any]) -> None:
    assert not any(each.doubted for each in statements_of([said]))


@pytest.mark.parametrize("flag", ["false", '"no"', '"No."', '"N"'])
async def test_no_alarm_is_raised_on_an_order_that_is_refused(flag: str) -> None:
    orders = [f'{{"name": "{name}", "dose": "5 mg", "start": {flag}}}' for name in ("alteplase", "apixaban")]
    aloud, fields = await told_of(f'a|{{"medications": [{", ".join(orders)}]}}')
    assert aloud[:2] == ["Agent A: alteplase 5 mg: start: no.", "Agent A: apixaban 5 mg: start: no."]
    assert fields["recommendation_next_step"] == fields["status_action"] == "None yet."


async def test_a_critical_value_beside_a_refused_order_is_an_alarm() -> None:
    aloud, _ = await told_of('a|{"drug": "spironolactone", "start": false, "reason": "potassium 7.1 mmol/L"}')
    assert any("potassium 7.1" in text and text.startswith(("Critical", "Check")) for text in aloud)


async def test_a_refused_view_is_nobodys_decision() -> None:
    said = {"final_decision": {"diagnosis": "sepsis", "accepted": False}}
    aloud, _ = await told_of(f"supervisor|{json.dumps(said)}")
    assert aloud == [
        "The supervisor: sepsis: accepted: no.",
        "Finished. What was decided could not be read: it is on the page.",
    ]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"metformin": "stop"}, "metformin: stop"),
        ({"thrombolysis": "do not give"}, "thrombolysis: do not give"),
        ({"insulin": "start 6 units per hour"}, "insulin: start 6 units per hour"),
        ({"wibble": "contraindicated"}, "wibble: contraindicated"),
    ],
)
async def test_a_key_that_is_the_thing_is_told_with_what_it_says(said: dict[str, Any], told: str) -> None:
    aloud, fields = await told_of(f"a|{json.dumps(said)}")
    assert f"Agent A: {told}." in aloud
    assert fields["recommendation_next_step"] == "None yet."


@pytest.mark.parametrize(
    "said", [{"message": "start insulin 6 units per hour"}, {"summary": "stop metformin"}, {"mode": "manual"}]
)
async def test_a_key_that_is_no_thing_is_not_said_before_its_words(said: dict[str, Any]) -> None:
    aloud, fields = await told_of(f"a|{json.dumps(said)}")
    assert not any(f"{key}:" in text.lower() for key in said for text in (*aloud, *map(str, fields.values())))


def stated(said: dict[str, Any]) -> list[str]:
    return [f"{each.item}: {each.text}" if each.item else each.text for each in statements_of([said])]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            {"treatment": "tenecteplase 45 mg", "only_if": "no bleed on CT"},
            "Tenecteplase 45 mg only if no bleed on CT",
        ),
        (
            {"drug": "labetalol", "dose": "10 mg", "when": "systolic above 185"},
            "Labetalol 10 mg when systolic above 185",
        ),
        (
            {"drug": "alteplase", "dose": "90 mg", "condition": "if CT shows no bleed"},
            "Alteplase 90 mg if CT shows no bleed",
        ),
        ({"drug": "esmolol", "provided": "no bronchospasm"}, "Esmolol provided no bronchospasm"),
        ({"if": "MAP below 65", "then": "start noradrenaline"}, "Start noradrenaline if MAP below 65"),
        ({"drug": "heparin", "status": "do not give"}, "Do not give heparin."),
        ({"drug": "heparin", "contraindicated": True, "reason": "HIT"}, "Contraindicated: heparin: HIT."),
        ({"drug": "apixaban", "action": "hold until the scan"}, "Hold apixaban until the scan."),
        (
            {
                "drug": "gentamicin",
                "issue": "eGFR 14. Must not be given.",
                "alternative": "ceftriaxone 2 g daily",
            },
            "Gentamicin must not be given: eGFR 14. Instead: ceftriaxone 2 g daily.",
        ),
        (
            {
                "drug": "metoclopramide",
                "reason": "Parkinson disease",
                "instead": {"drug": "ondansetron", "dose": "4 mg"},
            },
            "Ondansetron 4 mg instead of metoclopramide: Parkinson disease",
        ),
        ({"avoid": ["NSAIDs"]}, "Avoid NSAIDs"),
        ({"contraindicated": {"metformin": "eGFR 20"}}, "Contraindicated: metformin: eGFR 20"),
        ({"avoid": {"reason": "bleeding"}}, "bleeding"),
        ({"avoid": {"instead": "paracetamol"}}, "Instead: paracetamol"),
        ({"avoid": {"alternatives": ["paracetamol 1 g"]}}, "Alternative: paracetamol 1 g"),
        ({"do_not": ["give verapamil"]}, "Do not give verapamil"),
        (
            {"ruledOut": [{"name": "pulmonary embolism", "reason": "CTPA clear"}]},
            "Ruled out: pulmonary embolism: CTPA clear.",
        ),
        ({"previous": {"treatment": "tamoxifen"}}, "Previously: tamoxifen"),
        ({"PENDING": "hCG"}, "Pending: hCG"),
        ({"plan": {"now": ["Intensive care"]}}, "Intensive care"),
        ({"plan": {"antibiotic": {"name": "meropenem", "dose": "1 g"}}}, "Meropenem 1 g"),
        (
            {"plan": [{"drug": "insulin", "action": "start", "dose": "0.1 units/kg/h"}]},
            "Start insulin 0.1 units/kg/h",
        ),
        (
            {"actions": [{"do": "bromocriptine 2.5 mg", "urgency": "if rigidity persists"}]},
            "Bromocriptine 2.5 mg if rigidity persists",
        ),
        (
            {"drug": "adrenaline", "dose": "0.5 mg IM", "status": "rejected"},
            "Rejected: adrenaline 0.5 mg IM",
        ),
        ({"drug": "adrenaline", "dose": "0.5 mg", "given": True}, "Already given: adrenaline 0.5 mg"),
        ({"drug": "adrenaline", "dose": "0.5 mg", "status": "not given"}, "adrenaline 0.5 mg: not given"),
        ({"drug": "warfarin", "dose": "5 mg", "status": "home medication"}, "At home: warfarin 5 mg"),
        (
            {"drug": "gentamicin", "dose": "400 mg", "error": "ten times too high"},
            "gentamicin 400 mg: error: ten times too high",
        ),
        (
            {"drug": "gentamicin", "dose": "400 mg", "concern": "too high for eGFR 14"},
            "gentamicin 400 mg: too high for eGFR 14",
        ),
        ({"drug": "alteplase", "dose": "90 mg", "approved": False}, "Not approved: alteplase 90 mg"),
        ({"medication": "gentamicin", "safe": False, "reason": "eGFR 14"}, "Not safe: gentamicin: eGFR 14"),
        ({"avoid": "Do not delay antibiotics."}, "Do not delay antibiotics."),
        ({"action": "blood cultures", "before": "antibiotics"}, "Blood cultures before antibiotics"),
        (
            {"drug": "noradrenaline", "dose": "0.1 µg/kg/min", "requires": "central line"},
            "noradrenaline 0.1 µg/kg/min: requires: central line",
        ),
        (
            {"allergen": "penicillin", "reaction": "anaphylaxis", "alternative": "meropenem 1 g"},
            "Allergy: penicillin: anaphylaxis. Instead: meropenem 1 g.",
        ),
    ],
)
def test_an_object_is_one_statement(said: dict[str, Any], words: str) -> None:
    assert [each.rstrip(".") for each in stated(said)] == [words.rstrip(".")]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"avoid": ["ondansetron is acceptable"]}, ["ondansetron is acceptable"]),
        ({"avoid": [], "hold": False}, []),
        ({"contraindications": "none known"}, ["none known"]),
        ({"stop_date": "2 May"}, ["stop date: 2 May"]),
        ({"held_by": "pharmacy"}, ["pharmacy"]),
        ({"plan": [{"action": "Fluids", "urgency": "now"}]}, ["Fluids"]),
        ({"recommended_tests": [{"test": "CT"}]}, []),  # of a draft
        ({"test": "K", "value": 4.1, "unit": "mmol/L"}, ["K: 4.1 mmol/L"]),
        ({"name": "Ada Smith", "role": "cardiologist"}, ["Ada Smith", "cardiologist"]),
        ({"medications": ["warfarin"], "comment": "frail"}, ["warfarin", "frail"]),
        ({"next": "cardiologist"}, ["cardiologist"]),
        ({"history": "two days of pain"}, ["two days of pain"]),
        ({"differential": [{"name": "pericarditis"}]}, []),
    ],
)
def test_what_says_nothing_of_how_it_is_meant_stays_as_it_is(said: dict[str, Any], words: list[str]) -> None:
    assert stated(said) == words


@pytest.mark.parametrize(
    ("key", "sense"),
    [
        ("doNotGive", KeySense.FORBIDS),
        ("only_if", KeySense.HANGS),
        ("ONLY_IF", KeySense.HANGS),
        ("stopDate", KeySense.OTHER),
    ],
)
def test_a_key_means_the_same_however_it_is_written(key: str, sense: KeySense) -> None:
    assert meaning(key).sense is sense


def test_a_key_is_read_in_plain_words() -> None:
    assert [
        plain_key(key) for key in ("nihssScore", "IMMEDIATE_ACTIONS", "INR", "burch_wartofsky_score")
    ] == [
        *("nihss score", "immediate actions", "INR", "burch wartofsky score"),
    ]


def test_a_proper_name_keeps_its_capital() -> None:
    assert lower_first("Burch-Wartofsky score 55") == "Burch-Wartofsky score 55"
    assert lower_first("Potassium's 3.1") == "potassium's 3.1"


async def test_beside_a_diagnosis_nothing_in_json_is_the_decision() -> None:
    said = {
        "final_decision": {
            "diagnosis": "Sepsis",
            "ruled_out": "pulmonary embolism",
            "family_history": "breast cancer",
        }
    }
    aloud, _ = await told_of(f"supervisor|{json.dumps(said)}")
    assert aloud[-1] == "Finished. Sepsis, the decision by the supervisor."
    assert not any("Decision" in text and "embolism" in text for text in aloud)


async def test_a_forbidden_drug_and_a_conditional_one_are_no_conflict() -> None:
    said = [
        {"drug": "heparin", "status": "do not give"},
        {"drug": "alteplase", "dose": "90 mg", "condition": "if CT shows no bleed"},
    ]
    aloud, _ = await told_of(f"neuro|{json.dumps(said)}")
    assert not any(text.startswith("Critical") for text in aloud)
    assert any("alteplase 90 mg if CT shows no bleed" in text for text in aloud)


async def test_a_number_in_until_has_its_thing() -> None:
    aloud, _ = await told_of("a|Hold apixaban until creatinine is below 150.\n")
    assert any("until creatinine is below 150" in text for text in aloud)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            "| Give | Avoid |\n|---|---|\n| Aspirin 300 mg | Nitrates |\n\n",
            ["aspirin 300 mg.", "avoid nitrates."],
        ),
        ("| Do | Don't |\n|---|---|\n| DC shock 150 J | Verapamil |\n\n", ["avoid verapamil."]),
        ("| Drug | Dose |\n|---|---|\n| Aspirin | 300 mg |\n\n", []),
    ],
)
async def test_columns_of_opposite_sense_are_read_by_their_heads(table: str, told: list[str]) -> None:
    aloud, fields = await told_of(f"a|{table}")
    assert [words for words in told if not any(words in text for text in aloud)] == []
    assert not any("Avoid: " in text or "Don't" in text for text in (*aloud, *map(str, fields.values())))


async def test_a_list_under_a_heading_that_forbids_is_told() -> None:
    aloud, _ = await told_of("a|## Avoid\n- bicarbonate unless pH < 6.9\n")
    assert any("avoid bicarbonate unless pH < 6.9" in text for text in aloud)


@pytest.mark.parametrize(
    "said",
    [
        {"drug": "noradrenaline", "dose": "0.1 µg/kg/min", "reason": "BP 62/30"},
        {"action": "Start haemodialysis", "reason": "K 7.1 mmol/L"},
    ],
)
async def test_a_critical_value_in_a_reason_is_heard_as_one(said: dict[str, Any]) -> None:
    aloud, _ = await told_of(f"doctor|{json.dumps(said)}")
    assert any(text.startswith("Critical") for text in aloud)


@pytest.mark.parametrize(
    "flag",
    [
        '"stat": true',
        '"contraindicated": false',
        '"monitor": true',
        '"interaction": false',
        '"loading_dose": true',
    ],
)
async def test_a_flag_that_says_nothing_of_the_drug_leaves_the_alarm(flag: str) -> None:
    order = '{"plan": [{"drug": "co-amoxiclav", "dose": "1.2 g IV", ' + flag + "}]}"
    assert alarms(await played(("med", "She is allergic to penicillin."), ("pharm", order)))


async def test_a_flag_beside_an_arrest_or_a_condition_takes_nothing_off() -> None:
    arrest = '{"condition":"cardiac arrest","shockable":false,"action":"Start CPR now"}'
    assert alarms(await played(("med", arrest)))
    asthma = '{"conditions": [{"name": "asthma", "severe": true}]}'
    assert alarms(await played(("med", asthma), ("ed", "Give labetalol 20 mg IV.")))


async def test_half_of_a_surrogate_pair_in_a_key_ends_nothing() -> None:
    assert await played(("pharm", '{"drug": "morphine", "\\ud800": false}'))


@pytest.mark.parametrize(
    "name", ["", "an illness whose long name takes more words than any name should ever take"]
)
async def test_a_refused_item_without_a_name_costs_nothing_beside_it(name: str) -> None:
    item = json.dumps({"differential_diagnosis": [{"name": name, "status": "ruled out"}]})
    said = f"Potassium is 7.1 mmol/L.\n{item}\nThe lactate is 9.4 mmol/L.\n"
    told = await played(("doctor", said))
    assert len(alarms(told)) == 2
    assert "also considers" not in texts(told)

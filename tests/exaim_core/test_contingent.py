"""An order for a case that may come is told with its condition, wherever the condition stands."""

from __future__ import annotations

from typing import Final

import pytest

from tests.exaim_core.test_whose_words import alarms, played, texts

IN_ONE: Final = [
    "If he deteriorates, give adrenaline 0.5 mg IM.",
    "In case of a seizure, give lorazepam 4 mg IV.",
    "Once the CT is clean, start aspirin 300 mg.",
    "Unless he is allergic, give ceftriaxone 2 g IV now.",
    "If his potassium is above 6.5, give calcium gluconate 10 mL.",
    "If he bleeds: Give labetalol 20 mg iv.",
    "If possible, give ceftriaxone 2 g IV within the hour.",
]
FIRST, SECOND = "give adrenaline 0.5 mg IM", "give hydrocortisone 200 mg IV"
ABOVE: Final = [
    f"If he deteriorates:\nStep 1: {FIRST}.\nStep 2: {SECOND}.",
    f"If he deteriorates:\n\nStep 1: {FIRST}.\n\nStep 2: {SECOND}.",
    f"If he deteriorates:\n1. {FIRST}.\n2. {SECOND}.",
    f"If he deteriorates:\n- {FIRST}\n- {SECOND}",
    f"**If he deteriorates:**\n- {FIRST}\n- {SECOND}",
    f"### If he deteriorates\n{FIRST}.\n\n{SECOND}.",
    f"Plan:\n- If he deteriorates:\n  - {FIRST}\n  - {SECOND}",
]


@pytest.mark.parametrize("said", IN_ONE)
async def test_an_order_that_opens_with_its_condition_is_told_with_it(said: str) -> None:
    assert said[1:] in texts(await played(("house", said)))


@pytest.mark.parametrize("said", ABOVE)
async def test_each_order_below_a_condition_is_told_behind_it_once(said: str) -> None:
    told = texts(await played(("house", said))).splitlines()
    for order in (FIRST, SECOND):
        behind = f": if he deteriorates: {order}."
        assert [line for line in told if order in line] == [line for line in told if line.endswith(behind)]
        assert any(line.count("deteriorates") == 1 and line.endswith(behind) for line in told)


async def test_one_condition_below_another_keeps_both() -> None:
    said = "If he deteriorates:\n- If SBP is below 90:\n  - give noradrenaline 5 mcg/min\n"
    told = texts(await played(("house", said)))
    assert ": If he deteriorates: if SBP is below 90: give noradrenaline 5 mcg/min." in told or (
        ": if he deteriorates: if SBP is below 90: give noradrenaline 5 mcg/min." in told
    )


@pytest.mark.parametrize(
    "said",
    [
        f"If he deteriorates:\n- {FIRST}\n\nGive ceftriaxone 2 g IV now.",
        f"If he deteriorates:\nStep 1: {FIRST}.\n\nGive ceftriaxone 2 g IV now.",
        f"**If he deteriorates:**\n- {FIRST}\n\n**Now:**\n- Give ceftriaxone 2 g IV now.",
        f"- If he deteriorates:\n  - {FIRST}\n- Give ceftriaxone 2 g IV now.",
    ],
)
async def test_what_stands_behind_such_a_list_is_for_now(said: str) -> None:
    told = texts(await played(("house", said))).splitlines()
    assert any(line.endswith(": give ceftriaxone 2 g IV now.") for line in told), told


async def test_a_ban_and_a_value_below_a_condition_stand() -> None:
    ban = texts(await played(("house", "If she is pregnant:\n- no warfarin\n- give enoxaparin 60 mg SC")))
    assert "o warfarin." in ban
    value = await played(("house", "If K > 6.5:\n- Potassium is 7.1 mmol/L now.\n- Give calcium 10 mL IV."))
    assert any("potassium 7.1 mmol/L" in each for each in alarms(value))


async def test_an_order_below_a_condition_still_meets_an_allergy() -> None:
    paper = {"case_id": "x", "allergies": [{"substance": "penicillin", "reaction": "anaphylaxis"}]}
    for said in (
        "If he deteriorates:\n- give amoxicillin 1 g IV",
        "If he deteriorates, give amoxicillin 1 g.",
    ):
        assert any("amoxicillin" in each for each in alarms(await played(("house", said), paper=paper))), said


async def test_a_condition_that_minds_the_allergy_meets_none() -> None:
    paper = {"case_id": "x", "allergies": [{"substance": "penicillin", "reaction": "anaphylaxis"}]}
    said = "If she is not allergic, give amoxicillin 1 g IV."
    assert not alarms(await played(("house", said), paper=paper))


async def test_an_order_in_a_plan_for_what_may_come_is_told_under_it() -> None:
    for title in ("Escalation plan", "**Contingency plan:**", "### Contingencies"):
        told = texts(
            await played(
                ("house", f"{title}{'' if title[0] in '*#' else ':'}\n- Seizure: lorazepam 4 mg IV\n")
            )
        )
        name = title.strip("*#: ").lower()
        assert f"{name}: seizure: lorazepam 4 mg IV." in told, told


@pytest.mark.parametrize("lead", ["If no pulse", "If K is over 6.5", "If needed", "If not improving"])
async def test_a_condition_that_names_little_stays_with_its_order(lead: str) -> None:
    told = texts(await played(("house", f"{lead}:\n- Give adrenaline 1 mg IV.")))
    assert f"{lead[0].lower()}{lead[1:]}: give adrenaline 1 mg IV." in told


@pytest.mark.parametrize(
    "lead",
    [
        "Do these now, even if the CT is delayed:",
        "What to do after the arrest:",
        "Plan, assuming this is sepsis:",
    ],
)
async def test_a_lead_that_is_no_condition_leaves_its_orders(lead: str) -> None:
    made = await played(("house", f"{lead}\n- Give ceftriaxone 2 g IV.\n- Start noradrenaline 5 mcg/min."))
    assert "house: give ceftriaxone 2 g IV." in texts(made) and not alarms(made)


async def test_orders_for_now_below_a_heading_of_a_case_that_may_come_are_for_now() -> None:
    said = "# If he deteriorates\nGive adrenaline 0.5 mg IM.\n\n**Immediate orders:**\n- Give ceftriaxone 2 g IV now."
    told = texts(await played(("house", said)))
    assert "if he deteriorates: give adrenaline" in told and "house: give ceftriaxone 2 g IV now." in told


@pytest.mark.parametrize("title", ["Watch for", "Call me if", "Red flags", "Targets", "**Triggers**"])
async def test_what_is_watched_for_is_no_value_of_the_patient(title: str) -> None:
    colon = "" if title.startswith("*") else ":"
    told = texts(await played(("house", f"{title}{colon}\n- Drain output above 500 ml")))
    assert f"{title.strip('*').lower()}: drain output above 500 ml." in told


async def test_an_order_below_a_bare_condition_meets_an_allergy() -> None:
    paper = {"case_id": "x", "allergies": [{"substance": "penicillin", "reaction": "anaphylaxis"}]}
    made = await played(("house", "If needed:\n- Give amoxicillin 1 g IV."), paper=paper)
    assert any("amoxicillin" in each for each in alarms(made))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "If it must be a general: ketamine. Rocuronium at reduced dose, 0.3 mg/kg.",
            "if it must be a general: ketamine; rocuronium at reduced dose, 0.3 mg/kg.",
        ),
        ("If he bleeds: stop the heparin. Protamine 50 mg IV.", "if he bleeds: protamine 50 mg IV."),
        (
            "After lorazepam, if he fits again: valproate next, 40 per kilo.",
            "after lorazepam, if he fits again: valproate next, 40 per kilo.",
        ),
    ],
)
async def test_an_order_that_goes_on_with_a_condition_is_told_with_it(said: str, told: str) -> None:
    assert told in texts(await played(("house", said)))


@pytest.mark.parametrize(
    "said",
    [
        "If she fits: magnesium 4 g. Labetalol 20 mg IV.",
        "If not already given: aspirin 300 mg. Heparin 5000 units IV.",
        "If it gets worse: intubate. Rocuronium 1.2 mg/kg.",
        "If potassium allows: digoxin 500 mcg. Metoprolol 5 mg IV.",
        "If she bleeds: stop heparin. Enoxaparin 40 mg.",
        "If her INR is over 5: hold warfarin. Vitamin K 2 mg.",
    ],
)
async def test_both_orders_behind_a_condition_are_told_with_it_once(said: str) -> None:
    told = texts(await played(("house", said))).lower().replace("; ", ". ")
    assert told.count(said.lower()) == 1 and told.count(said.split()[-2].lower()) == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("If no access: IO. Adrenaline 1 mg IV.", "adrenaline 1 mg iv."),
        ("If needed: morphine 5 mg IV. Ondansetron 4 mg IV.", "ondansetron 4 mg iv."),
    ],
)
async def test_an_order_behind_words_that_cannot_be_told_is_told(said: str, told: str) -> None:
    assert told in texts(await played(("house", said))).lower()


@pytest.mark.parametrize("lead", ["If unstable: cardiovert, 150 joules.", "If wheeze: salbutamol 5 mg."])
async def test_an_order_never_stands_alone_under_the_condition_of_two(lead: str) -> None:
    told = texts(await played(("house", f"{lead} Hydrocortisone 200 mg.")))
    assert f"{lead.split(':')[0].lower()}: hydrocortisone" not in told.lower()


async def test_an_order_told_with_the_one_before_it_meets_an_allergy() -> None:
    paper = {"case_id": "x", "allergies": [{"substance": "penicillin", "reaction": "anaphylaxis"}]}
    made = await played(("house", "If he fits: ketamine. Amoxicillin 1 g IV."), paper=paper)
    assert any("amoxicillin" in each for each in alarms(made))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "If it must be a general: ketamine. Give ceftriaxone 2 g IV now.",
            "ketamine. Give ceftriaxone 2 g IV now.",
        ),
        ("If he fits: lorazepam 4 mg IV. No suxamethonium.", "o suxamethonium."),
    ],
)
async def test_what_has_a_verb_or_a_ban_of_its_own_stands_without_the_condition(said: str, told: str) -> None:
    assert told in texts(await played(("house", said)))


@pytest.mark.parametrize(
    "lead", ["Call me if: pulse over 130.", "Call me if pulse over 130.", "Watch for: sats under 90."]
)
async def test_what_goes_on_with_a_list_of_what_may_come_is_no_alarm(lead: str) -> None:
    made = await played(("house", f"{lead} And slurring, choking on her tea, going drowsy."))
    assert not alarms(made) and ": slurring, choking on her tea, going drowsy." in texts(made)


@pytest.mark.parametrize(
    "said",
    [
        "Call me if: pulse over 130. And he is slurring, choking on her tea, going blue.",
        "Call me if: pulse over 130. And slurring now, choking on her tea.",
        "Call me if: pulse over 130. And crash team, please!",
        "If he fits: lorazepam 4 mg IV. Potassium is 7.1 mmol/L.",
    ],
)
async def test_what_is_said_of_now_behind_such_a_list_alarms(said: str) -> None:
    assert alarms(await played(("house", said)))


async def test_a_call_that_goes_on_with_a_condition_is_none() -> None:
    assert not alarms(await played(("house", "If he deteriorates: sit him up. Then crash call.")))
    assert alarms(await played(("house", "If he deteriorates: sit him up. Then crash call now!")))
    assert alarms(await played(("house", "Sit him up. Then crash call.")))


@pytest.mark.parametrize(
    "said",
    [
        "Call me if you can. And worsening stridor, going blue.",
        "Tell me if I'm wrong: he's septic. And going blue.",
        "Page anaesthetics if not done. And desaturating, going blue.",
        "Call me if the bed is ready: he's septic. And worsening stridor, going blue.",
        "If it's a leak: it is a leak. Then crash call, ward six.",
        "If anyone's listening: airway. Then crash call.",
    ],
)
async def test_an_if_that_sets_no_case_of_the_patient_takes_no_alarm(said: str) -> None:
    assert alarms(await played(("house", said)))


@pytest.mark.parametrize(
    "said",
    [
        "Call me if: he is blue. And worsening stridor, choking.",
        "Watch for: sats that are falling. And worsening stridor, going blue.",
        "Call me if she's worse. And worsening stridor, going blue.",
        "If he arrests: CPR. Then crash call.",
    ],
)
async def test_an_if_that_sets_a_case_keeps_what_goes_on_with_it(said: str) -> None:
    assert not alarms(await played(("house", said)))

"""What the layouts of agent frameworks do to orders, bans and decisions: theirs are no words about the patient."""

from __future__ import annotations

from typing import Final

import pytest

from tests.exaim_core.test_whose_words import alarms, items, played, texts

BAN: Final = "Linezolid + sertraline: serotonin syndrome; do not combine."


@pytest.mark.parametrize(
    "said", ["Verdict: CON wins.", "Score: 9/10. Verdict: ACCEPT", "Verdict: REVISE", "Decision: APPROVED"]
)
async def test_a_verdict_on_the_answer_is_no_decision_about_the_patient(said: str) -> None:
    told = texts(await played(("judge", said)))
    assert "Decision" not in told and said.rpartition(": ")[2].strip(".") not in told


async def test_a_verdict_that_names_a_disease_is_told() -> None:
    assert "Decision, from the judge: sepsis." in texts(await played(("judge", "Verdict: sepsis.")))


@pytest.mark.parametrize("above", ["", "## Final Answer:\n", "## Final Answer:\n**Interactions found**\n"])
async def test_a_ban_of_two_drugs_is_told_under_any_heading(above: str) -> None:
    told = items(await played(("researcher", f"{above}- {BAN}")))
    assert f"Caution, the researcher: l{BAN[1:]}" in [item.text for item in told]
    assert not any("leads with linezolid" in item.text for item in told)


async def test_what_a_patient_takes_is_no_order_in_json() -> None:
    state = {"patient": {"medications": [{"drug": "apixaban", "dose": "5 mg bd"}]}}
    assert "recommends" not in texts(await played(("state", state)))
    planned = {"patient": {"plan": [{"drug": "insulin", "dose": "6 units"}]}}
    assert ": insulin 6 units." in texts(await played(("state", planned)))


@pytest.mark.parametrize("status", ["skipped (platelets 82)", "done", "cancelled", "failed"])
@pytest.mark.parametrize("mark", ["Step 4: ", "4. ", "- "])
async def test_a_step_that_is_over_is_no_order(mark: str, status: str) -> None:
    said = f"{mark}Start heparin 5000 units SC. Status: {status}\n"
    told = items(await played(("planner", said)))
    assert all(f"Status: {status}" in item.text for item in told if "heparin" in item.text)
    assert all(item.kind != "action" for item in told)


@pytest.mark.parametrize("status", ["done", "completed", "done 14:05", "cancelled", "failed, retry now"])
async def test_a_step_that_is_over_meets_an_allergy(status: str) -> None:
    allergic = ("nurse", "She is allergic to penicillin: anaphylaxis.")
    step = ("planner", f"1. Give amoxicillin 1 g IV. Status: {status}\n")
    assert any("amoxicillin" in alarm for alarm in alarms(await played(allergic, step)))


async def test_a_ban_that_is_done_stays_a_ban() -> None:
    told = items(await played(("planner", "1. Do not give heparin. Status: done\n")))
    assert [item.text for item in told if item.kind != "closing" and "heparin" in item.text] == [
        "Caution, the planner: do not give heparin. Status: done."
    ]
    assert "caution" in {item.kind for item in told}


async def test_an_alarm_in_a_status_is_told() -> None:
    said = "2. Give atropine 0.5 mg IV. Status: complete heart block, pacing now\n"
    assert any("complete heart block" in alarm for alarm in alarms(await played(("planner", said))))


async def test_an_order_behind_a_status_is_told() -> None:
    said = "1. Give lorazepam 4 mg IV. Status: done. 2nd dose: give lorazepam 4 mg IV now\n"
    told = items(await played(("planner", said)))
    assert any("2nd dose: give lorazepam 4 mg IV now" in item.text for item in told if item.kind == "action")


async def test_a_step_that_is_to_come_is_one() -> None:
    told = items(await played(("planner", "Step 2: Start heparin 5000 units SC. Status: pending\n")))
    assert [item.text for item in told if item.kind == "action"]


@pytest.mark.parametrize("mark", ["FINISH", "FINISHED", "TERMINATE"])
async def test_a_supervisors_last_message_is_the_end_and_its_mark_is_not_told(mark: str) -> None:
    turns = [("lungs", "This is pneumonia."), ("pharm", "Pneumonia, so amoxicillin.")]
    turns += [("supervisor", f"{mark}: community-acquired pneumonia, amoxicillin 1 g.")]
    closing = texts(await played(*turns)).rpartition("Finished. ")[2]
    assert "ommunity-acquired pneumonia, amoxicillin 1 g, says the supervisor" in closing
    assert mark not in closing

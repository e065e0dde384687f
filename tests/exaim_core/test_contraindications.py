"""Orders against what holds for the patient: read in context, told for a second look."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final

import pytest

from exaim_core import EXAIM, CasePaper, Delta
from exaim_core.patient.paper import Allergy, Medication
from tests.exaim_core import talks

PAPER: Final = CasePaper(
    case_id="invented",
    history=("Asthma since the age of 6", "Family: father with myasthenia gravis"),
    medication=(Medication(drug="simvastatin", dose=40, unit="mg"),),
    allergies=(Allergy(substance="penicillin", reaction="anaphylaxis"),),
)


async def alerts(*said: tuple[str, str], paper: CasePaper | None = PAPER) -> list[str]:
    """Return the alarms told after all was said, each by its agent, in order."""
    exaim, told = EXAIM(paper=paper), list[str]()
    for number, (agent, text) in enumerate(said):
        updates = [*await exaim.feed(Delta(agent, text, 2 * number + 1, float(number)))]
        updates += await exaim.turn_end(agent, 2 * number + 2, number + 0.5)
        told += [item.text for update in updates for item in update.items if item.critical_key]
    last = await exaim.finish(len(said) + 5.0)
    return told + [item.text for update in last for item in update.items if item.critical_key]


async def test_an_order_that_meets_the_record_is_told_with_what_the_record_says() -> None:
    told = await alerts(("doctor0", "Give bisoprolol 2.5 mg by mouth now."))
    assert told == ["Critical, check: Doctor Zero asks for bisoprolol; the record says asthma."]


async def test_an_order_that_meets_what_another_agent_states_is_told_with_who_states_it() -> None:
    told = await alerts(
        ("doctor1", "Her potassium is 6.2 mmol/L on a clean sample."),
        ("doctor0", "Start spironolactone 25 mg once daily."),
    )
    assert told == ["Check, spironolactone. Doctor One: her potassium is 6.2 mmol/L on a clean sample."]


async def test_an_order_is_told_when_its_hazard_becomes_known_later_and_only_once() -> None:
    told = await alerts(
        ("doctor0", "Start valproate 40 mg/kg intravenously."),
        ("doctor1", "She is pregnant, 9 weeks."),
        ("doctor0", "Start valproate 40 mg/kg intravenously."),
        paper=None,
    )
    assert told == ["Check, valproate. Doctor One: she is pregnant, 9 weeks."]


async def test_that_an_order_is_a_stop_is_heard_where_two_agents_words_meet() -> None:
    told = await alerts(
        ("doctor1", "Lithium level 2.9 mmol/L, she has taken lithium for years."),
        ("doctor0", "Please stop the lithium, the thiazide and the naproxen today."),
        paper=None,
    )
    assert all("asks for" not in each for each in told)


async def test_an_order_taken_back_meets_nothing() -> None:
    told = await alerts(
        ("doctor0", "Start valproate 40 mg/kg intravenously."),
        ("doctor0", "I withdraw valproate."),
        ("doctor1", "She is pregnant, 9 weeks."),
        paper=None,
    )
    assert told == []


@pytest.mark.parametrize(
    "said",
    [
        "Avoid bisoprolol, she has asthma.",
        "If there were no asthma, I would give bisoprolol.",
        "Beta-blockers are contraindicated in asthma.",
        "Bisoprolol was stopped two years ago.",
        "Do not give amoxicillin.",
        "Should we give bisoprolol?",
        "Give gentamicin 320 mg intravenously.",  # the father's myasthenia
        "Doctor1 wants bisoprolol, and I have not decided.",
        "Give amoxicillin only if the allergy is disproved.",
    ],
)
async def test_what_is_no_standing_order_or_no_condition_of_the_patient_raises_nothing(said: str) -> None:
    assert await alerts(("doctor0", said)) == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Start Augmentin 1.2 g three times daily.", "augmentin with a known allergy to penicillin"),
        ("I recommend cefalexin 500 mg four times daily.", "cefalexin with a known allergy to penicillin"),
        ("Give clarithromycin 500 mg twice daily.", "clarithromycin; the record says simvastatin"),
        ("Adenosine 6 mg as a rapid bolus now.", "adenosine; the record says asthma"),
    ],
)
async def test_classes_brands_and_other_drugs_are_known(said: str, words: str) -> None:
    assert any(words in told for told in await alerts(("doctor0", said)))


async def test_an_immediate_reaction_in_the_note_of_an_allergy_counts() -> None:
    said = ("doctor0", "I recommend cefalexin 500 mg four times daily.")
    for note, told in (("airway closed at once", 1), (None, 0)):
        allergy = Allergy(substance="penicillin", reaction="rash", note=note)
        assert len(await alerts(said, paper=CasePaper(case_id="x", allergies=(allergy,)))) == told


async def test_cephalosporins_without_a_similar_side_chain_are_a_judgement_and_raise_nothing() -> None:
    assert await alerts(("doctor0", "Give ceftriaxone 2 g intravenously.")) == []


@pytest.mark.parametrize(
    "name", ["allergens.json", "contraindications.json", "critical.json", "drug_classes.json"]
)
def test_every_row_names_its_source(name: str) -> None:
    raw: dict[str, Any] = json.loads(resources.files("exaim_core").joinpath("data", name).read_text("utf-8"))
    kinds = ("rows", "values", "cues", "pairs", "remedies")
    rows = [row for kind in kinds for row in raw.get(kind, ())]
    assert rows
    assert all(row["source"] for row in rows)


async def test_an_allergy_said_beside_somebody_else_alarms_in_the_words_that_say_whose_it_is() -> None:
    sheet = "The front sheet says morphine allergy, she laughs at that, it was her sister."
    [told] = await alerts(("doctor0", "Give morphine 5 mg orally."), ("doctor1", sheet), paper=None)
    assert told.startswith("Check, ") and "it was her sister" in told


async def test_an_allergy_said_beside_somebody_else_in_many_words_is_pointed_to() -> None:
    sheet = (
        "The front sheet that came with her says morphine allergy, she laughs at that, it was her sister, who was "
        "in the same ward with a broken wrist."
    )
    [told] = await alerts(("doctor0", "Give morphine 5 mg orally."), ("doctor1", sheet), paper=None)
    assert told == "Check on the page: morphine, from Doctor Zero, and the allergy, from Doctor One."


async def test_an_order_that_meets_a_finding_in_many_words_is_pointed_to_with_its_reason() -> None:
    found = (
        "He has had Parkinson disease for eleven years and walks with a frame and sleeps in a chair beside the window "
        "of the front room near the kitchen."
    )
    order = (
        "Give haloperidol 2.5 mg intramuscularly in the side room with the lights on and the door open and two nurses "
        "beside the bed and the trolley at the door."
    )
    [told] = await alerts(("doctor1", found), ("doctor0", order), paper=None)
    assert told == "Check on the page: haloperidol, from Doctor Zero, and Parkinson disease, from Doctor One."


async def test_an_allergy_on_record_stays_plain_whoever_else_is_spoken_of() -> None:
    [told] = await alerts(
        ("doctor1", "Her sister has a penicillin allergy too."), ("doctor0", "Start amoxicillin 1 g.")
    )
    assert "amoxicillin with a known allergy to penicillin" in told


async def test_a_label_is_told_as_a_label_and_taken_off_it_alarms_no_more() -> None:
    label = "She's labelled penicillin allergic."
    [told] = await alerts(("doctor0", "Start amoxicillin 1 g."), ("doctor1", label), paper=None)
    assert told.endswith("she's labelled penicillin allergic.")
    off = ("doctor1", "That is not an allergy, I will delete it.")
    assert await alerts(("doctor1", label), off, ("doctor0", "Start amoxicillin 1 g."), paper=None) == []


STATED = ("doctor1", "She is allergic to penicillin.")
ORDER = ("doctor0", "Start amoxicillin 1 g.")


@pytest.mark.parametrize(
    "said",
    [
        "She is allergic to penicillin; her nausea on codeine is not an allergy.",
        "She is allergic to penicillin, and her nausea on codeine is not an allergy.",
        "She is penicillin-allergic, so the guideline says clindamycin.",
    ],
)
async def test_an_allergy_stands_beside_what_is_none(said: str) -> None:
    [told] = await alerts(("doctor1", said), ORDER, paper=None)
    assert f"Doctor One: {said[0].lower()}{said[1:].partition(';')[0].rstrip('.')}" in told


@pytest.mark.parametrize(
    "said",
    [
        "Nausea alone is not an allergy.",
        "Her nausea on codeine is not an allergy.",
        "The latex allergy was wrong.",
        "She has an allergy card; the drain was removed.",
    ],
)
async def test_what_names_something_else_takes_no_allergy_off(said: str) -> None:
    [told] = await alerts(STATED, ("doctor2", said), ORDER, paper=None)
    assert told == "Check, Doctor Zero: start amoxicillin 1 g. Doctor One: she is allergic to penicillin."


@pytest.mark.parametrize(
    "said",
    [
        "The penicillin allergy was removed from the record.",
        "It was another patient's allergy.",
        "That allergy label has been removed.",
    ],
)
async def test_what_names_an_allergy_or_points_to_it_takes_it_off(said: str) -> None:
    assert await alerts(STATED, ("doctor2", said), ORDER, paper=None) == []


async def test_that_takes_off_the_allergy_stated_last() -> None:
    both = (STATED, ("doctor1", "And a codeine allergy."), ("doctor2", "That is not an allergy."))
    [told] = await alerts(*both, ORDER, ("doctor0", "Give codeine 30 mg."), paper=None)
    assert told.endswith("Doctor One: she is allergic to penicillin.")


@pytest.mark.parametrize(
    "said",
    [
        "In penicillin-allergic patients clindamycin is the alternative.",
        "In patients with a penicillin allergy clindamycin is the alternative.",
        "For non-penicillin-allergic adults it is amoxicillin.",
        "Textbooks call everybody with thrush penicillin-allergic.",
    ],
)
async def test_an_allergy_of_patients_at_large_is_not_noted(said: str) -> None:
    assert await alerts(("doctor1", said), ORDER, paper=None) == []


async def test_a_sentence_that_eases_one_condition_states_another() -> None:
    told = await alerts(
        ("doctor0", "Give valproate 800 mg IV now.\nHer potassium is 6.9 mmol/L."),
        ("doctor1", "Her potassium is 4.2 mmol/L and she is pregnant."),
        paper=None,
    )
    assert any("valproate" in each and "pregnant" in each for each in told)


@pytest.mark.parametrize(
    "said",
    [
        "| Allergy | penicillin allergy, anaphylaxis in 2019 |\n",
        json.dumps({"medication": "penicillin", "give": False, "comment": "she is allergic to penicillin"}),
    ],
)
async def test_an_allergy_in_a_row_or_a_refused_entry_meets_what_was_ordered_before(said: str) -> None:
    told = await alerts(("doctor0", "Give amoxicillin 1 g IV now."), ("doctor1", said), paper=None)
    assert any("amoxicillin" in each and "penicillin" in each for each in told)


async def test_a_speaker_has_one_name_in_all_rounds() -> None:
    exaim = EXAIM(agent_names={"Dr. Kim": "Anna Kim"})
    said = "Give amoxicillin 1 g IV now. She has an anaphylactic penicillin allergy."
    updates = [*await exaim.feed(Delta("Dr. Kim [round 2]", said, 1, 1.0)), *await exaim.finish(2.0)]
    told = [item.text for update in updates for item in update.items]
    assert any(each.startswith("Check, amoxicillin. Anna Kim:") for each in told)
    assert "Doctor Kim" not in " ".join(told)


@pytest.mark.parametrize(
    "said",
    ["Dialysate K: 2, not 0.", "Yes, K 2 bath.", "Bath K 2 not 1.", "Potassium 2 mmol/L dialysate, please."],
)
async def test_a_value_of_another_fluid_makes_and_ends_no_condition(said: str) -> None:
    order = ("doctor0", "Her potassium is 6.9 mmol/L. Give insulin 10 units IV with glucose 25 g now.")
    told = await alerts(order, ("doctor1", said), paper=None)
    assert not any("insulin" in each for each in told)


@pytest.mark.parametrize(
    ("row", "meets"),
    [
        ("| Father | allergic to penicillin |", False),
        ("| Relative | Allergy |\n|---|---|\n| Brother | penicillin allergy |", False),
        ("| Family history | penicillin allergy (mother) |", False),
        ("| Diagnosis | Likelihood |\n|---|---|\n| Penicillin allergy | unlikely |", False),
        ("## Allergies\n| Penicillin allergy | unlikely |", False),
        ("| Treatment | Note |\n|---|---|\n| Penicillin allergy | excluded |", False),
        ("| Told by father | allergic to penicillin |", True),
        ("| Father | diabetes; the patient is allergic to penicillin |", True),
        ("## Allergies\n| Penicillin | not excluded |\n| Penicillin allergy | rash |", True),
    ],
)
async def test_an_allergy_in_a_row_is_the_patients_and_is_not_excluded(row: str, meets: bool) -> None:
    told = await alerts(("doctor0", "Give amoxicillin 1 g IV now."), ("doctor1", row + "\n"), paper=None)
    assert any("amoxicillin" in each for each in told) is meets


async def ends_with(*said: tuple[str, str]) -> tuple[str, list[str]]:
    """Return the status and the corrections of a discussion without a case paper."""
    exaim, told, status = EXAIM(), list[str](), ""
    for number, (agent, text) in enumerate(said):
        updates = [*await exaim.feed(Delta(agent, text, 2 * number + 1, 5.0 * number))]
        updates += await exaim.turn_end(agent, 2 * number + 2, 5.0 * number + 0.5)
        told += [item.text for update in updates for item in update.items if item.kind == "correction"]
    for update in await exaim.finish(5.0 * len(said)):
        status = update.summary.status_action
    return status, told


CO_AMOXICLAV: Final = (("doctor1", "Give co-amoxiclav 1.2 g."), ("nurse", "She is allergic to penicillin."))
METFORMIN: Final = (("doctor1", "Give metformin 1 g."), ("nurse", "The eGFR is 18."))


@pytest.mark.parametrize(
    ("said", "ended"),
    [
        ((*CO_AMOXICLAV, ("nurse", "She is not allergic to penicillin.")), True),
        ((*CO_AMOXICLAV, ("nurse", "Sorry, that was another patient's allergy.")), True),
        ((*CO_AMOXICLAV, ("nurse", "If she is not allergic to penicillin, go on.")), False),
        ((*CO_AMOXICLAV, ("nurse", "She is not allergic to latex.")), False),
        ((*CO_AMOXICLAV, ("doctor2", "She is not allergic to penicillin.")), False),
        ((*METFORMIN, ("nurse", "The repeat eGFR is 75.")), True),
        ((*METFORMIN, ("doctor2", "The repeat eGFR is 75.")), True),
        ((*METFORMIN, ("nurse", "Her eGFR was 75 in March.")), False),
        ((*METFORMIN, ("nurse", "We want an eGFR of 75 before any metformin.")), False),
        ((*METFORMIN, ("nurse", "His brother's eGFR is 75.")), False),
    ],
)
async def test_an_alarm_on_an_order_ends_with_its_hazard_and_the_end_is_told(
    said: tuple[tuple[str, str], ...], ended: bool
) -> None:
    status, told = await ends_with(*said)
    assert ("with" not in status) == ended, status
    assert bool(told) or not ended


async def test_an_alarm_on_an_order_ends_when_its_value_is_called_wrong() -> None:
    said = (("doctor1", "Lumbar puncture next."), ("doctor1", "Platelets 31."))
    status, told = await ends_with(*said, ("doctor1", "The platelets of 31 were spurious."))
    assert "platelets" not in status
    assert any("spurious" in each for each in told)


async def test_a_hazard_that_comes_back_alarms_again() -> None:
    back = (("nurse", "The repeat eGFR is 75."), ("nurse", "The eGFR is 15 again."))
    assert len(await alerts(*METFORMIN, *back, paper=None)) == 2
    back = (
        ("nurse", "Sorry, that was another patient's allergy."),
        ("nurse", "No wait, she is allergic to penicillin."),
    )
    assert len(await alerts(*CO_AMOXICLAV, *back, paper=None)) == 2


@pytest.mark.parametrize(
    ("said", "meets"),
    [
        ("It's the man next door who's penicillin allergic.", False),
        ("The other Abara has a penicillin allergy, not this one.", False),
        ("A neighbour says she has a penicillin allergy.", True),
        ("A neighbour reports a penicillin allergy.", True),
        ("Bed 7 is penicillin allergic.", True),  # perhaps it is the patient's
        ("Penicillin allergy, not this time but before.", True),
    ],
)
async def test_an_allergy_that_is_plainly_another_patients_meets_no_order(said: str, meets: bool) -> None:
    told = await alerts(("doctor1", "Start amoxicillin 1 g."), ("nurse", said), paper=None)
    assert bool(told) == meets
    assert all(each.startswith("Check, ") for each in told)


@pytest.mark.parametrize(
    ("second", "alarms"),
    [
        ("Start flucloxacillin 2 g intravenously now.", 2),
        ("I agree, give amoxicillin 1 g intravenously now.", 1),
    ],
)
async def test_a_second_drug_that_meets_an_allergy_alarms_and_the_same_one_does_not(
    second: str, alarms: int
) -> None:
    told = await alerts(
        ("doctor1", "She is allergic to penicillin."),
        ("doctor0", "Give amoxicillin 1 g intravenously now."),
        ("doctor2", second),
        paper=None,
    )
    assert len(told) == alarms


@pytest.mark.parametrize(
    ("second", "alarms"),
    [
        ("Start metoprolol 25 mg.", 2),
        ("I agree, start bisoprolol 5 mg.", 1),
        ("I agree, start Cardicor 5 mg.", 1),  # the same drug by its brand
        ("I agree, start the beta blocker now.", 1),
        ("Start metoprolol or atenolol 25 mg.", 2),
    ],
)
async def test_a_second_drug_of_one_class_that_meets_one_condition_alarms_too(
    second: str, alarms: int
) -> None:
    told = await alerts(
        ("doctor1", "She has severe asthma."),
        ("doctor0", "Start bisoprolol 5 mg."),
        ("doctor2", second),
        paper=None,
    )
    assert len(told) == alarms


@pytest.mark.parametrize(
    ("said", "alarms"),
    [
        ("Heparin 80 units/kg should not be delayed.", 1),
        ("Heparin must not be withheld.", 1),
        ("Heparin cannot wait.", 1),
        ("Heparin should not be given.", 0),
        ("Heparin must be withheld.", 0),
    ],
)
async def test_an_order_that_must_not_be_put_off_meets_a_hazard(said: str, alarms: int) -> None:
    told = await alerts(("doctor1", "Her platelets are 31."), ("doctor0", said), paper=None)
    assert len(told) == alarms


@pytest.mark.parametrize(
    ("said", "alarms"),
    [("This is HIT.", 1), ("She has confirmed HIT.", 1), ("She hit her head.", 0), ("HIT is unlikely.", 0)],
)
async def test_heparin_meets_the_thrombocytopenia_that_it_causes_by_its_short_name(
    said: str, alarms: int
) -> None:
    told = await alerts(("doctor1", said), ("doctor0", "Start heparin 5000 units IV now."), paper=None)
    assert len(told) == alarms


async def test_so_do_says_the_same_of_other_drugs_and_asks_for_none() -> None:
    said = "She has myasthenia gravis. Clarithromycin makes it worse."
    assert not await _heard(f"{said} So do macrolides and gentamicin.")
    assert await _heard(f"{said} So do give gentamicin 300 mg IV.")
    assert await _heard(f"{said} So give gentamicin.")


async def _heard(said: str) -> list[str]:
    return [item.text for item in await talks.told(said) if item.text.startswith("Check, ")]

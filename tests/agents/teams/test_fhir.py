"""What a FHIR record says, and whose it is: nothing of it may change on the way to a case."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.dialogue.paper_facts import paper_facts
from agents.dialogue.vocabulary import known_vocabulary
from agents.teams.case_files import case_of
from agents.teams.errors import NothingToReason, TwoPatients
from agents.teams.port import Case
from exaim_core import CasePaper
from tests.agents.teams.test_cases import TODAY, bundle, coded

PATIENT: dict[str, Any] = {
    "resourceType": "Patient",
    "id": "a",
    "gender": "female",
    "birthDate": "1957-03-02",
    "identifier": [{"system": "urn:mrn", "value": "77"}],
}


def read(patient: dict[str, Any], *resources: dict[str, Any], url: str | None = None) -> Case:
    found = bundle(patient, *resources)
    found["entry"][0] |= {"fullUrl": url} if url else {}
    return case_of(json.dumps(found), today=TODAY)


# -- whose it is -----------------------------------------------------------------------------------


def pain(subject: dict[str, Any], *contained: dict[str, Any]) -> dict[str, Any]:
    found = {"resourceType": "Condition", "subject": subject, "code": coded("Chest pain")}
    return found | ({"contained": list(contained)} if contained else {})


def penicillin(reference: str) -> dict[str, Any]:
    return {
        "resourceType": "AllergyIntolerance",
        "patient": {"reference": reference},
        "code": coded("Penicillin"),
    }


def inner(**told: Any) -> dict[str, Any]:
    return {"resourceType": "Patient", "id": "me", **told}


@pytest.mark.parametrize(
    ("subject", "url"),
    [
        ({"reference": "Patient/b"}, None),
        ({"reference": "urn:uuid:b"}, "urn:uuid:a"),
        ({"reference": "Device/a"}, None),
        ({"reference": "https://other.example/fhir/Patient/a"}, "https://one.example/fhir/Patient/a"),
        ({"reference": "Patient?identifier=urn:mrn|78"}, None),
        ({"identifier": {"system": "urn:mrn", "value": "78"}}, None),
        ({"reference": "#nobody"}, None),
    ],
)
def test_another_patients_records_are_refused(subject: dict[str, Any], url: str | None) -> None:
    with pytest.raises(TwoPatients) as refused:
        read(PATIENT, pain(subject), url=url)
    assert (refused.value.count, refused.value.field) == (2, "entry[1].resource")


def test_records_that_are_all_anothers_are_refused() -> None:
    with pytest.raises(TwoPatients):
        read(PATIENT, pain({"reference": "Patient/b"}), penicillin("Patient/b"))


@pytest.mark.parametrize(
    ("subject", "url"),
    [
        ({"reference": "Patient/a"}, None),
        ({"reference": "Patient/a/_history/1"}, None),
        ({"reference": "https://one.example/fhir/Patient/a"}, None),
        ({"reference": "https://one.example/fhir/Patient/a/_history/3"}, "http://one.example/fhir/Patient/a"),
        ({"reference": "urn:uuid:77aa"}, "urn:uuid:77aa"),
        ({"reference": "Patient/a"}, "urn:uuid:77aa"),
        ({"reference": "Patient?identifier=urn:mrn|77"}, None),
        ({"identifier": {"system": "urn:mrn", "value": "77"}}, None),
        ({"identifier": {"system": "urn:other", "value": "12"}}, None),
        ({"display": "the patient"}, None),
        ({}, None),
    ],
)
def test_a_patients_own_records_are_taken_as_they_refer_to_it(
    subject: dict[str, Any], url: str | None
) -> None:
    assert "Penicillin" in read(PATIENT, pain(subject), penicillin("Patient/a"), url=url).text


@pytest.mark.parametrize(
    "told", [{}, {"gender": "female"}, {"birthDate": "1957-03-02"}, {"birthDate": "1957"}]
)
def test_a_contained_patient_may_be_the_same(told: dict[str, Any]) -> None:
    assert "Chest pain" in read(PATIENT, pain({"reference": "#me"}, inner(**told))).text


@pytest.mark.parametrize(
    "told",
    [{"gender": "male"}, {"birthDate": "1999-01-01"}, {"identifier": [{"system": "urn:mrn", "value": "78"}]}],
)
def test_a_contained_patient_who_is_told_otherwise_is_another(told: dict[str, Any]) -> None:
    with pytest.raises(TwoPatients):
        read(PATIENT, pain({"reference": "#me"}, inner(**told)))


def test_a_patient_without_a_name_has_the_records_of_one() -> None:
    nameless = {"resourceType": "Patient"}
    one, other = pain({"reference": "Patient/b"}), penicillin("Patient/c")
    assert "Chest pain" in read(nameless, one, penicillin("Patient/b/_history/2")).text
    with pytest.raises(TwoPatients):
        read(nameless, one, other)


# -- what it says ----------------------------------------------------------------------------------


def paper(*resources: dict[str, Any], **patient: Any) -> CasePaper:
    condition = {"resourceType": "Condition", "subject": {}, "code": coded("Chest pain")}
    return CasePaper.model_validate(read(PATIENT | patient, condition, *resources).paper)


def seen(name: str, **told: Any) -> dict[str, Any]:
    return {"resourceType": "Observation", "status": "final", "subject": {}, "code": coded(name)} | told


@pytest.mark.parametrize(
    ("told", "value"),
    [
        ({"valueBoolean": True}, "yes"),
        ({"valueBoolean": False}, "no"),
        ({"valueInteger": 3}, 3.0),
        ({"valueInteger": 0}, 0.0),
        (
            {"valueRange": {"low": {"value": 2}, "high": {"value": 4, "unit": "per field"}}},
            "2 to 4 per field",
        ),
        ({"valueRatio": {"numerator": {"value": 1}, "denominator": {"value": 128}}}, "1 to 128"),
        ({"valueDateTime": "2026-01-07"}, "2026-01-07"),
        ({"valueQuantity": {"value": 2345678, "comparator": ">"}}, "> 2345678"),
    ],
)
def test_a_value_of_any_type_is_read(told: dict[str, Any], value: float | str) -> None:
    found = paper(seen("test", **told))
    assert [each.value for each in found.observations] == [value]
    assert found.notes == ()


DAY, TIME = "2019-03-04", "2026-03-01T08:00:00Z"


@pytest.mark.parametrize(
    ("when", "at"),
    [
        ({"effectiveDateTime": DAY}, DAY),
        ({"effectiveInstant": TIME}, TIME),
        ({"effectivePeriod": {"start": "2026-02-28", "end": TIME}}, TIME),
        ({"issued": TIME}, None),
        ({}, None),
    ],
)
def test_an_observation_keeps_when_it_was_taken(when: dict[str, Any], at: str | None) -> None:
    assert [each.taken_at for each in paper(seen("weight", valueInteger=60, **when)).observations] == [at]


def test_a_result_with_no_other_time_is_of_when_it_was_issued() -> None:
    lab = seen("K", valueInteger=4, issued=TIME, category=[{"coding": [{"code": "laboratory"}]}])
    assert [each.reported_at for each in paper(lab).labs] == [TIME]


def test_of_a_year_alone_an_observation_is_noted() -> None:
    found = paper(seen("weight", valueInteger=60, effectiveDateTime="2019"))
    assert [each.taken_at for each in found.observations] == [None]
    assert found.notes == ("On record: weight: of 2019.",)


def test_of_several_the_newest_is_last_as_in_a_paper_and_told_first_with_its_day() -> None:
    newer = seen("weight", valueQuantity={"value": 60, "unit": "kg"}, effectiveDateTime=TIME)
    older = seen("weight", valueQuantity={"value": 80, "unit": "kg"}, effectiveDateTime=DAY)
    found = paper(newer, older)
    assert [each.value for each in found.observations] == [80, 60]
    facts = [fact.rests_on[0] for fact in paper_facts(found, known_vocabulary())]
    assert [fact for fact in facts if fact.startswith("weight")] == [
        "weight 60 kg at 08:00 on 1 March 2026",
        "weight 80 kg on 4 March 2019",
    ]


# -- of whom it is ---------------------------------------------------------------------------------


@pytest.mark.parametrize("focus", [{}, {"display": "Potassium"}, {"display": "left arm wound"}])
def test_a_focus_that_names_no_being_leaves_a_value_the_patients(focus: dict[str, Any]) -> None:
    told = seen(
        "heart rate", valueInteger=38, focus=[focus], category=[{"coding": [{"code": "vital-signs"}]}]
    )
    assert [each.value for each in paper(told).observations] == [38]


@pytest.mark.parametrize(
    ("focus", "contained"),
    [
        ({"reference": "RelatedPerson/fetus"}, ()),
        ({"reference": "Patient/b"}, ()),
        ({"reference": "#fetus"}, ({"resourceType": "RelatedPerson", "id": "fetus", "patient": {}},)),
        ({"reference": "urn:uuid:9", "display": "the fetus"}, ()),
        ({"reference": "urn:uuid:9", "type": "Person"}, ()),
        ({"reference": "#b", "type": "Patient"}, ()),  # nothing of that name is contained
        ({"display": "the fetus"}, ()),
    ],
)
@pytest.mark.parametrize("category", ["laboratory", "vital-signs"])
def test_what_is_about_somebody_else_is_none_of_the_patients(
    focus: dict[str, Any], contained: tuple[dict[str, Any], ...], category: str
) -> None:
    told = seen(
        "heart rate",
        valueInteger=60,
        focus=[focus],
        contained=[*contained],
        category=[{"coding": [{"code": category}]}],
    )
    condition = {"resourceType": "Condition", "subject": {}, "code": coded("Labour")}
    case = read(PATIENT, condition, told)
    found = CasePaper.model_validate(case.paper)
    assert (found.observations, found.labs) == ((), ())
    assert found.notes == ("On record: 1 result of somebody else left out.",)
    assert case.left_out == (
        "entry[2].resource: an Observation about somebody else than the patient (its focus)",
    )


@pytest.mark.parametrize(
    "focus",
    [
        {"reference": "urn:uuid:9"},
        {"reference": "#nobody"},
        {"identifier": {"system": "urn:other", "value": "77"}},
    ],
)
@pytest.mark.parametrize("category", ["laboratory", "vital-signs"])
def test_a_value_whose_focus_is_not_in_the_record_is_told_as_nobodys(
    focus: dict[str, Any], category: str
) -> None:
    told = seen("heart rate", valueInteger=38, focus=[focus], category=[{"coding": [{"code": category}]}])
    condition = {"resourceType": "Condition", "subject": {}, "code": coded("Labour")}
    case = read(PATIENT, condition, told)
    found = CasePaper.model_validate(case.paper)
    assert (found.observations, found.labs) == ((), ())
    assert found.notes == ("On record: heart rate: 38, of whom or of what is not known.",)
    assert "heart rate: 38, of whom or of what is not known" in case.text
    assert case.left_out == (
        "entry[2].resource: an Observation whose focus the record does not hold: told to the agents as nobody's",
    )


def test_a_record_that_has_nothing_but_a_value_that_may_be_nobodys_is_refused() -> None:
    told = seen("heart rate", valueInteger=38, focus=[{"reference": "urn:uuid:9"}])
    with pytest.raises(NothingToReason):
        read(PATIENT, told)


def test_a_value_that_may_be_nobodys_keeps_that_it_is_not_the_last_word() -> None:
    told = seen("heart rate", valueInteger=38, focus=[{"reference": "urn:uuid:9"}], status="preliminary")
    assert paper(told).notes == (
        "On record: heart rate: 38 (status preliminary), of whom or of what is not known.",
    )


def test_of_a_result_without_a_value_whose_focus_is_not_in_the_record_nothing_is_told() -> None:
    told = seen("heart rate", focus=[{"reference": "urn:uuid:9"}])
    case = read(PATIENT, {"resourceType": "Condition", "subject": {}, "code": coded("Labour")}, told)
    assert CasePaper.model_validate(case.paper).notes == ()
    assert case.left_out == ("entry[2].resource: an Observation without a value that can be read",)


@pytest.mark.parametrize(
    "focus",
    [
        {"reference": "Patient/a"},
        {"reference": "Condition/c"},
        {"reference": "https://one.example/fhir/BodyStructure/b/_history/2"},
        {"reference": "urn:uuid:1", "type": "Device"},
        {"identifier": {"system": "urn:mrn", "value": "77"}},
    ],
)
def test_what_is_about_the_patient_or_a_thing_of_theirs_is_the_patients(focus: dict[str, Any]) -> None:
    found = paper(seen("wound size", valueInteger=3, subject={"reference": "Patient/a"}, focus=[focus]))
    assert [each.name for each in found.observations] == ["wound size"]


def drug(*dosages: dict[str, Any], **told: Any) -> dict[str, Any]:
    return {
        "resourceType": "MedicationRequest",
        "status": "active",
        "intent": "order",
        "subject": {},
        "medicationCodeableConcept": coded("insulin"),
        "dosageInstruction": [*dosages],
    } | told


def amount(value: float, unit: str = "units") -> dict[str, Any]:
    return {"doseAndRate": [{"doseQuantity": {"value": value, "unit": unit}}]}


def test_every_dose_of_a_drug_is_taken() -> None:
    morning = amount(10) | {"timing": {"repeat": {"when": ["MORN"]}}}
    night = amount(24) | {"text": "at night"}
    assert [(each.drug, each.dose, each.frequency) for each in paper(drug(morning, night)).medication] == [
        ("insulin", 10, "in the morning"),
        ("insulin", 24, "at night"),
    ]


RANGE = {"low": {"value": 5, "unit": "mg"}, "high": {"value": 10, "unit": "mg"}}


@pytest.mark.parametrize(
    ("dosage", "frequency", "note"),
    [
        ({"doseAndRate": [{"doseRange": RANGE}]}, None, "dose 5 to 10 mg"),
        ({"doseAndRate": [{"rateQuantity": {"value": 5, "unit": "mL/h"}}]}, None, "rate 5 mL/h"),
        ({"asNeededBoolean": True}, "as needed", None),
        ({"asNeededBoolean": False}, None, None),
        ({"text": "nightly", "asNeededCodeableConcept": coded("pain")}, "nightly as needed for pain", None),
        ({"timing": {"repeat": {"dayOfWeek": ["mon"]}}}, "on mon", None),
        (
            {"timing": {"repeat": {"frequency": 1, "period": 4, "periodMax": 6, "periodUnit": "h"}}},
            "1 in 4 to 6 h",
            None,
        ),
        ({"sequence": 1, "patientInstruction": "with food"}, None, "with food"),
        ({"patientInstruction": "a" * 5_000}, None, f"{'a' * 500} […]"),
        (
            {
                "maxDosePerPeriod": {
                    "numerator": {"value": 4, "unit": "g"},
                    "denominator": {"value": 1, "unit": "d"},
                }
            },
            None,
            "at most 4 g in 1 d",
        ),
    ],
)
def test_how_a_drug_is_given_is_kept(dosage: dict[str, Any], frequency: str | None, note: str | None) -> None:
    assert [(each.frequency, each.note) for each in paper(drug(dosage)).medication] == [(frequency, note)]


def test_steps_are_named_where_there_are_several() -> None:
    found = paper(drug({"sequence": 1}, {"sequence": 2}))
    assert [each.note for each in found.medication] == ["step 1", "step 2"]


def test_what_is_proposed_is_not_taken_and_what_is_planned_is_called_so() -> None:
    found = paper(drug(intent="proposal"), drug(intent="plan"), drug(intent="proposal", doNotPerform=True))
    assert [each.note for each in found.medication] == ["planned"]
    assert found.notes == (
        "On record: insulin is proposed, not ordered.",
        "On record: insulin must not be given.",
    )


def test_a_preliminary_observation_is_called_so() -> None:
    assert paper(seen("GCS", status="preliminary", valueInteger=3)).notes == (
        "On record: GCS: status preliminary.",
    )


def limits(low: float, high: float, **told: Any) -> dict[str, Any]:
    return {"low": {"value": low}, "high": {"value": high}} | told


NEWBORN = {"age": {"high": {"value": 28, "unit": "days", "code": "d"}}}
ADULT = {"age": {"low": {"value": 18, "code": "a"}}}
CRITICAL = {"type": {"coding": [{"code": "critical"}], "text": "critical"}}


@pytest.mark.parametrize(
    ("ranges", "bounds", "comment"),
    [
        ((limits(10, 250, **NEWBORN), limits(3, 17, **ADULT)), (3, 17), None),
        ((limits(10, 250, **NEWBORN),), None, "reference range 10 to 250 (age up to 28 days)"),
        ((limits(2, 7, **CRITICAL), limits(3.5, 5)), (3.5, 5), None),
        (
            (limits(12, 16, appliesTo=[coded("women")]), limits(13, 17, appliesTo=[coded("men")])),
            None,
            "reference range 12 to 16 (women); reference range 13 to 17 (men)",
        ),
    ],
)
def test_a_reference_range_is_the_patients(
    ranges: tuple[dict[str, Any], ...], bounds: tuple[float, float] | None, comment: str | None
) -> None:
    lab = seen(
        "bilirubin",
        valueInteger=20,
        category=[{"coding": [{"code": "laboratory"}]}],
        referenceRange=[*ranges],
    )
    assert [(each.ref_range, each.comment) for each in paper(lab).labs] == [(bounds, comment)]


def uncoded(text: str) -> dict[str, Any]:
    return {"resourceType": "AllergyIntolerance", "patient": {}, "code": {"text": text}}


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("No known allergies", ("No known allergies on record.",)),
        ("NKA", ("No known allergies on record.",)),
        ("No Known Drug Allergies.", ("On record: no known drug allergy.",)),
        ("NKDA", ("On record: no known drug allergy.",)),
    ],
)
def test_none_known_in_words_is_no_allergy(text: str, notes: tuple[str, ...]) -> None:
    found = paper(uncoded(text))
    assert (found.allergies, found.notes) == ((), notes)


@pytest.mark.parametrize("text", ["No known allergies except penicillin", "Penicillin", "No known tolerance"])
def test_any_other_words_stay_an_allergy(text: str) -> None:
    assert [each.substance for each in paper(uncoded(text)).allergies] == [text]


def test_what_is_written_of_an_allergy_is_its_note_and_is_told() -> None:
    told = uncoded("Penicillin") | {
        "criticality": "high",
        "clinicalStatus": {"coding": [{"code": "inactive"}]},
        "reaction": [
            {"manifestation": [{"text": "rash"}], "severity": "severe", "description": "airway closed"}
        ],
        "note": [{"text": "seen in 2011"}],
    }
    found = paper(told)
    note = "inactive, criticality high, severe reaction, airway closed, seen in 2011"
    assert [(each.reaction, each.note) for each in found.allergies] == [("rash", note)]
    assert f"- Penicillin, rash, {note}" in read(PATIENT, told, pain({})).text
    facts = [fact.rests_on[0] for fact in paper_facts(found, known_vocabulary())]
    assert f"allergy: Penicillin, rash; {note}" in facts


def test_a_long_note_of_an_allergy_is_cut_where_it_is_seen_and_the_allergy_stays() -> None:
    found = paper(uncoded("Penicillin") | {"note": [{"text": "a" * 5_000}]})
    assert [(each.substance, each.note) for each in found.allergies] == [("Penicillin", f"{'a' * 500} […]")]


def test_a_code_beside_the_words_stays_an_allergy() -> None:
    told = uncoded("No known allergies") | {"code": coded("No known allergies", "91936005")}
    assert len(paper(told).allergies) == 1


@pytest.mark.parametrize(
    ("born", "age"),
    [
        ("2026-02-20", (9, "days")),
        ("2026-01-28", (1, "months")),
        ("2024-03-02", (23, "months")),
        ("2024-03-01", (2, "years")),
        ("2026-03-01", (0, "days")),
        ("2026-02", (None, None)),
        ("1957", (69, "years")),
    ],
)
def test_an_infants_age_is_in_days_or_months(born: str, age: tuple[float | None, str | None]) -> None:
    found = paper(birthDate=born)
    assert (found.age, found.age_unit) == age

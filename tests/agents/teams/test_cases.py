"""Cases from text, JSON and FHIR: what is taken over, and what is refused with the place that is wrong."""

from __future__ import annotations

import copy
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agents.dialogue.paper_facts import paper_facts
from agents.dialogue.vocabulary import known_vocabulary
from agents.teams.case_files import case_of, read_case
from agents.teams.clinical_case import ClinicalCase
from agents.teams.errors import CaseEmpty, CaseRefused, CaseTooLong, NotFhir, NothingToReason, TwoPatients
from exaim_core import CasePaper

TODAY = date(2026, 3, 1)


def coded(text: str, code: str = "1") -> dict[str, Any]:
    return {"text": text, "coding": [{"system": "http://snomed.info/sct", "code": code}]}


def status(code: str) -> dict[str, Any]:
    return {"coding": [{"code": code}]}


LAB = {"coding": [{"code": "laboratory"}]}
PATIENT: dict[str, Any] = {
    "resourceType": "Patient",
    "id": "p1",
    "gender": "female",
    "birthDate": "1957-03-02",
    "name": [{"family": "Secret"}],
}
RESOURCES: list[dict[str, Any]] = [
    PATIENT,
    {"resourceType": "Condition", "subject": {"reference": "Patient/p1"}, "code": coded("Hypertension")},
    {
        "resourceType": "Condition",
        "subject": {"reference": "Patient/p1"},
        "code": coded("Pneumonia"),
        "clinicalStatus": status("resolved"),
    },
    {
        "resourceType": "Condition",
        "subject": {"reference": "Patient/p1"},
        "code": coded("Diabetes"),
        "verificationStatus": status("refuted"),
    },
    {
        "resourceType": "AllergyIntolerance",
        "patient": {"reference": "Patient/p1"},
        "code": coded("Penicillin"),
        "reaction": [{"manifestation": [{"text": "Anaphylaxis"}]}],
        "onsetDateTime": "2015",
    },
    {
        "resourceType": "MedicationRequest",
        "status": "active",
        "intent": "order",
        "subject": {"reference": "Patient/p1"},
        "medicationCodeableConcept": coded("indapamide"),
        "dosageInstruction": [
            {"text": "once daily", "doseAndRate": [{"doseQuantity": {"value": 2.5, "unit": "mg"}}]}
        ],
    },
    {
        "resourceType": "MedicationRequest",
        "status": "active",
        "intent": "order",
        "doNotPerform": True,
        "subject": {"reference": "Patient/p1"},
        "medicationReference": {"reference": "Medication/m1"},
    },
    {"resourceType": "Medication", "id": "m1", "code": coded("phenytoin")},
    {
        "resourceType": "MedicationRequest",
        "status": "entered-in-error",
        "intent": "order",
        "subject": {"reference": "Patient/p1"},
        "medicationCodeableConcept": coded("warfarin"),
    },
    {
        "resourceType": "Observation",
        "status": "preliminary",
        "category": [LAB],
        "code": coded("sodium"),
        "subject": {"reference": "Patient/p1"},
        "effectiveDateTime": "2026-03-01T08:55:00Z",
        "valueQuantity": {"value": 112, "unit": "mmol/L"},
        "referenceRange": [{"low": {"value": 135}, "high": {"value": 145}}],
    },
    {
        "resourceType": "Observation",
        "status": "final",
        "category": [LAB],
        "code": coded("troponin"),
        "subject": {"reference": "Patient/p1"},
        "valueQuantity": {"value": 5, "unit": "ng/L", "comparator": "<"},
    },
    {
        "resourceType": "Observation",
        "status": "final",
        "code": coded("blood pressure"),
        "subject": {"reference": "Patient/p1"},
        "component": [
            {"code": coded("systolic blood pressure"), "valueQuantity": {"value": 108, "unit": "mmHg"}},
            {"code": coded("diastolic blood pressure"), "valueQuantity": {"value": 60, "unit": "mmHg"}},
        ],
    },
    {"resourceType": "Encounter", "anything": "is passed over"},
]


def bundle(*resources: dict[str, Any]) -> dict[str, Any]:
    return {
        "resourceType": "Bundle",
        "type": "collection",
        "entry": [{"resource": each} for each in resources],
    }


def test_a_bundle_is_read_into_a_paper_without_names_and_without_what_is_void() -> None:
    case = case_of(json.dumps(bundle(*RESOURCES)), today=TODAY)
    paper = CasePaper.model_validate(case.paper)
    assert (paper.case_id, paper.age, paper.sex) == ("p1", 68.0, "female")  # seventy would be next day's
    assert paper.history == ("Hypertension", "Pneumonia (resolved)")
    assert [(each.substance, each.reaction, each.year) for each in paper.allergies] == [
        ("Penicillin", "Anaphylaxis", 2015)
    ]
    assert [(each.drug, each.dose, each.unit, each.frequency) for each in paper.medication] == [
        ("indapamide", 2.5, "mg", "once daily")
    ]
    assert paper.notes == ("On record: phenytoin must not be given.",)
    assert [
        (each.analyte, each.value, each.ref_range, each.reported_at, each.comment) for each in paper.labs
    ] == [
        ("troponin", "< 5", None, None, None),
        ("sodium", 112.0, (135.0, 145.0), "2026-03-01T08:55:00Z", "status preliminary"),
    ]
    assert [(each.name, each.value) for each in paper.observations] == [
        ("systolic blood pressure", 108.0),
        ("diastolic blood pressure", 60.0),
    ]
    for gone in ("Secret", "warfarin", "Diabetes"):
        assert gone not in case.text
    for there in (
        "sodium: 112 mmol/L, reference 135.0 to 145.0",
        "Penicillin, Anaphylaxis",
        "phenytoin must not",
    ):
        assert there in case.text


def test_no_known_allergy_is_said_and_is_no_allergy() -> None:
    none = {
        "resourceType": "AllergyIntolerance",
        "patient": {},
        "code": coded("No known allergy", "716186003"),
    }
    paper = CasePaper.model_validate(case_of(json.dumps(bundle(*RESOURCES[:2], none)), today=TODAY).paper)
    assert (paper.allergies, paper.notes) == ((), ("No known allergies on record.",))


@pytest.mark.parametrize(
    ("told", "at", "comment"),
    [
        ("2026-03-01T23:50:00+01:00", "2026-03-01T23:50:00+01:00", None),
        ("2026-03-01", "2026-03-01", None),
        ("2024", None, "of 2024"),
    ],
)
def test_a_result_keeps_the_date_of_the_record(told: str, at: str | None, comment: str | None) -> None:
    result = RESOURCES[9] | {"status": "final", "effectiveDateTime": told}
    paper = CasePaper.model_validate(case_of(json.dumps(bundle(PATIENT, result)), today=TODAY).paper)
    assert [(lab.reported_at, lab.comment) for lab in paper.labs] == [(at, comment)]


def allergy(text: str, code: str = "1", *categories: str) -> dict[str, Any]:
    found: dict[str, Any] = {"resourceType": "AllergyIntolerance", "patient": {}, "code": coded(text, code)}
    return found | ({"category": list(categories)} if categories else {})


NO_DRUG = allergy("No known drug allergy", "409137002")
NO_LATEX = allergy("No known Hevea brasiliensis latex allergy", "1003774007")
NONE = allergy("No known allergy", "716186003")


@pytest.mark.parametrize(
    ("told", "substances", "notes"),
    [
        ((NO_DRUG,), (), ("On record: no known drug allergy.",)),
        ((NO_LATEX,), (), ("On record: no known latex allergy.",)),
        ((allergy("No known food allergy", "429625007"),), (), ("On record: no known food allergy.",)),
        ((NO_DRUG, allergy("Peanut", "1", "food")), ("Peanut",), ("On record: no known drug allergy.",)),
        ((NO_DRUG, allergy("Peanut")), ("Peanut",), ()),  # of which kind it is, the record does not say
        ((NO_DRUG, allergy("Penicillin", "1", "medication")), ("Penicillin",), ()),
        ((NONE, allergy("Peanut", "1", "food")), ("Peanut",), ()),
        ((NONE, NO_DRUG), (), ("On record: no known drug allergy.", "No known allergies on record.")),
    ],
)
def test_none_known_of_one_kind_is_not_none_at_all(
    told: tuple[dict[str, Any], ...], substances: tuple[str, ...], notes: tuple[str, ...]
) -> None:
    case = case_of(json.dumps(bundle(*RESOURCES[:2], *told)), today=TODAY)
    paper = CasePaper.model_validate(case.paper)
    assert (tuple(each.substance for each in paper.allergies), paper.notes) == (substances, notes)


def valueless(name: str) -> dict[str, Any]:
    return {"resourceType": "Observation", "status": "final", "code": coded(name), "subject": {}}


def test_what_is_not_taken_over_of_a_record_is_listed_and_a_missing_value_is_told() -> None:
    case = case_of(json.dumps(bundle(*RESOURCES[:2], valueless("lactate"), RESOURCES[-1])), today=TODAY)
    assert case.left_out == (
        "entry[2].resource: an Observation without a value that can be read",
        "1 Encounter",
    )
    assert "- On record: lactate, without a value." in case.text


@pytest.mark.parametrize(
    "found",
    [
        bundle(PATIENT, valueless("lactate")),
        bundle(PATIENT, NO_DRUG),
        bundle(PATIENT, RESOURCES[4], RESOURCES[6], RESOURCES[7]),
        {"age": 76, "sex": "female", "no_known_allergies": True},
        {"case_id": "x", "age": 76, "title": "An old man", "medication": [{"drug": "ramipril"}]},
    ],
)
def test_a_patient_with_nothing_the_matter_is_no_case(found: dict[str, Any]) -> None:
    with pytest.raises(NothingToReason, match="no complaint, no finding and no condition"):
        case_of(json.dumps(found), today=TODAY)


@pytest.mark.parametrize(
    "note",
    [
        "No known allergies on record. Chest pain since this morning.",
        "On record: chest pain since this morning.",
    ],
)
def test_a_note_that_goes_on_after_a_records_words_is_something_the_matter(note: str) -> None:
    assert note in case_of(json.dumps({"case_id": "x", "notes": [note]}), today=TODAY).text


def test_the_refusal_lists_what_was_left_out() -> None:
    with pytest.raises(NothingToReason, match=r"Not taken over: entry\[1\]\.resource: an Observation"):
        case_of(json.dumps(bundle(PATIENT, valueless("lactate"))), today=TODAY)


@pytest.mark.parametrize(
    ("lacking", "field"),
    [
        ({"resourceType": "Observation", "code": coded("x")}, "entry[1].resource<Observation>.status"),
        (
            valueless("x") | {"component": [{"valueString": "y"}]},
            "entry[1].resource<Observation>.component.0.code",
        ),
    ],
)
def test_a_missing_field_of_fhir_is_named(lacking: dict[str, Any], field: str) -> None:
    with pytest.raises(NotFhir, match="is missing") as refused:
        case_of(json.dumps(bundle(PATIENT, lacking)), today=TODAY)
    assert refused.value.field == field


def broken(at: int, **changed: Any) -> dict[str, Any]:
    resources = copy.deepcopy(RESOURCES)
    resources[at] |= changed
    return bundle(*resources)


@pytest.mark.parametrize(
    ("found", "error", "field"),
    [
        ({"resourceType": "Patient", "id": "x"}, NotFhir, "resourceType"),
        ({"resourceType": "Bundle", "type": "collection"}, NotFhir, "entry"),
        ({"resourceType": "Bundle", "entry": [{"fullUrl": "x"}]}, NotFhir, "entry[0].resource"),
        (bundle(RESOURCES[1]), NotFhir, "entry[].resource"),
        (bundle(PATIENT, PATIENT | {"id": "p2"}), TwoPatients, "entry[1].resource"),
        (broken(9, subject={"reference": "Patient/p2"}), TwoPatients, "entry[9].resource"),
        (broken(4, code=7), NotFhir, "entry[4].resource<AllergyIntolerance>.code"),
        (
            broken(9, valueQuantity={"value": "high"}),
            NotFhir,
            "entry[9].resource<Observation>.valueQuantity.value",
        ),
        (broken(0, birthDate="soon"), NotFhir, "entry[0].resource<Patient>.birthDate"),
    ],
)
def test_what_is_no_fhir_is_refused_with_its_place(
    found: dict[str, Any], error: type[CaseRefused], field: str
) -> None:
    with pytest.raises(error) as refused:
        case_of(json.dumps(found), today=TODAY)
    assert refused.value.field == field
    assert "high" not in str(refused.value), "no value of the case is in the message"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", CaseEmpty),
        (" \n\t", CaseEmpty),
        ("{}", CaseEmpty),
        ('{"case_id": "x"}', CaseEmpty),
        ("x" * 100_000, CaseTooLong),
        ('{"age": ', CaseRefused),
        ("{" * 5_000, CaseRefused),
        ('{"age": 200, "chief_complaint": "x"}', CaseRefused),
        ('{"allergys": []}', CaseRefused),
        ('[{"age": 58}]', CaseRefused),
        ('{"case_id": "x", "labs": [{"value": 1}]}', CaseRefused),
    ],
)
def test_a_case_that_can_not_be_taken_is_refused(text: str, error: type[CaseRefused]) -> None:
    with pytest.raises(error):
        case_of(text, today=TODAY)


def test_a_text_stands_as_it_is_under_its_first_line() -> None:
    case = case_of("# A cough\nSince Monday. [1] {x}", name="cough", today=TODAY)
    assert (case.case_id, case.title, case.text) == ("cough", "A cough", "# A cough\nSince Monday. [1] {x}")
    assert case.paper is None


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CaseRefused, match="UTF-8"):
        read_case(path, today=TODAY)


def test_a_file_that_is_not_there_and_a_folder_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(CaseRefused, match=r"nowhere\.txt is not there"):
        read_case(tmp_path / "nowhere.txt", today=TODAY)
    with pytest.raises(CaseRefused, match="is a folder"):
        read_case(tmp_path, today=TODAY)


def test_a_text_that_only_begins_with_a_bracket_is_a_text() -> None:
    assert case_of("[Ward 7] A man of 58 with chest pain.", today=TODAY).text.startswith("[Ward 7]")


def test_the_shipped_papers_are_cases(tmp_path: Path) -> None:
    for path in (Path(__file__).parents[3] / "cases").glob("*.paper.json"):
        case = read_case(path, today=TODAY)
        assert case.title
        assert "Allergies:" in case.text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"case_id": "x", "presenting_complaint": "A cough", "allergy": ["penicillin"]}', "write allergies"),
        ('{"chief_complaint": "A cough", "alergies": []}', "write allergies"),
        ('{"chief_complaint": "A cough", "allergies": ["penicillin"]}', '{"substance": …}'),
    ],
)
def test_a_misspelt_field_is_refused_and_the_nearest_is_named(text: str, told: str) -> None:
    with pytest.raises(CaseRefused) as refused:
        case_of(text, today=TODAY)
    assert told in str(refused.value)
    assert "penicillin" not in str(refused.value)


def test_a_draft_is_a_case_with_the_words_it_was_made_of() -> None:
    draft = {"case_id": "x", "presenting_complaint": "A cough", "sources": {"presenting_complaint": "cough"}}
    assert case_of(json.dumps(draft), today=TODAY).text == "A cough"


def test_when_something_was_seen_is_told() -> None:
    seen = {"name": "heart rate", "value": 92, "unit": "per minute", "taken_at": "07:15"}
    case = case_of(json.dumps({"case_id": "x", "observations": [seen]}), today=TODAY)
    assert "- heart rate: 92 per minute, at 07:15" in case.text


def test_what_a_case_does_not_say_is_not_said() -> None:
    assert ClinicalCase(chief_complaint="A cough").to_text() == "A cough"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (2_400_000, "2400000"),
        (2_345_678.0, "2345678"),
        (0.0000012, "0.0000012"),
        (7.40, "7.4"),
        (0.0, "0"),
        (-0.5, "-0.5"),
    ],
)
def test_a_number_keeps_its_digits(value: float, told: str) -> None:
    found = {
        "case_id": "x",
        "medication": [{"drug": "benzathine penicillin", "dose": value, "unit": "units"}],
        "labs": [{"analyte": "copies", "value": value}],
    }
    case = case_of(json.dumps(found), today=TODAY)
    assert f"- benzathine penicillin {told} units" in case.text
    assert f"- copies: {told}" in case.text
    facts = paper_facts(CasePaper.model_validate(case.paper), known_vocabulary())
    assert [fact.rests_on[0] for fact in facts] == [f"copies {told}", f"benzathine penicillin {told} units"]


@pytest.mark.parametrize(
    ("history", "first"),
    [
        ("x " * 1_990 + "end.\nNa 128 mmol/L, K 4.", "end."),
        ("x " * 1_990 + "end. Na 128 mmol/L, K 4.", "end."),
        ("x " * 1_995 + "Na 128 mmol/L", "x"),
        ("x" * 5_000, "x"),
    ],
)
def test_a_long_history_is_parted_at_the_end_of_a_line_a_sentence_or_a_word(history: str, first: str) -> None:
    notes = ClinicalCase(history_of_present_illness=history).to_paper()["notes"]
    assert notes[0].endswith(first)
    assert "".join("".join(notes).split()) == "".join(history.split())
    assert all(len(note) <= 4_000 for note in notes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"case_id": "x", "notes": ["A cough"], "age": true}', "age is true or false"),
        ('{"chief_complaint": "A cough", "age": true}', "age is true or false"),
        ('{"case_id": "x", "labs": [{"analyte": "K", "value": true}]}', "value is true or false"),
        ('{"case_id": "x", "notes": ["A cough"], "age": -5}', "age is below 0"),
        ('{"case_id": "x", "notes": ["A cough"], "weight_kg": -3}', "weight_kg is below 0"),
        (
            '{"chief_complaint": "A cough", "allergies": [{"substance": "penicillin"}], "allergies": []}',
            "allergies is there twice",
        ),
        (
            '{"case_id": "x", "summary": "Ill", "labs": [{"analyte": "K", "value": 4, "of Jane": 1, "of Jane": 2}]}',
            "a field is there twice",
        ),
    ],
)
def test_a_number_that_can_not_be_and_a_field_that_is_there_twice_are_refused(text: str, told: str) -> None:
    with pytest.raises(CaseRefused, match=told) as refused:
        case_of(text, today=TODAY)
    assert "Jane" not in str(refused.value)
    assert case_of(text.replace("-5", "5").replace("-3", "3"), today=TODAY, taken=True).text

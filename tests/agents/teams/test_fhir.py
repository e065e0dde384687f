"""What a FHIR record says, and whose it is: nothing of it may change on the way to a case."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.teams.case_files import case_of
from agents.teams.errors import TwoPatients
from agents.teams.port import Case
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


@pytest.mark.parametrize("told", [{}, {"gender": "female"}, {"birthDate": "1957-03-02"}])
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

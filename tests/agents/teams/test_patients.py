"""A second patient in a free text: asked about where two are introduced, and not for a relative."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.teams.case_files import case_of
from agents.teams.errors import SeemsTwo
from agents.teams.patients import second_patient
from agents.teams.script_files import read_script, script_names

TODAY = date(2026, 11, 25)
TEXTS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "patients.yaml").read_text(encoding="utf-8")
)
TUNE = [each for each in TEXTS if each["half"] == "tune"]


@pytest.mark.parametrize("row", TUNE, ids=lambda row: str(row["id"]))
def test_two_patients_are_told_from_one_with_relatives(row: dict[str, Any]) -> None:
    found = second_patient(row["text"])
    assert (found is not None) == (row["patients"] == 2)
    if found is not None:
        assert all(row["text"][each.start : each.end] == each.words for each in found)
        assert found[0].end <= found[1].start


def test_the_sealed_half_is_not_read_worse_than_when_it_was_opened() -> None:
    """12 of 16 texts of two were asked about, and 5 of 16 of one (docs/decisions/072)."""
    sealed = [each for each in TEXTS if each["half"] == "sealed"]
    asked = {each["id"]: each["patients"] for each in sealed if second_patient(each["text"]) is not None}
    assert list(asked.values()).count(2) >= 12
    assert list(asked.values()).count(1) <= 5


def test_no_kind_of_person_is_in_both_halves() -> None:
    halves = [{each["who"] for each in TEXTS if each["half"] == half} for half in ("tune", "sealed")]
    assert not halves[0] & halves[1]


@pytest.mark.parametrize(
    "text",
    [
        "Date of birth: 3/5/1991. Pain.\nDate of birth 17/11/1948. Cough.",
        "MRN 448120 troponin 14.\nMRN: 450977 haemoglobin 58.",
        "Patient A: a man with pain.\nPatient B: a woman with a cough.",
    ],
)
def test_two_records_are_two_patients(text: str) -> None:
    assert second_patient(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "MRN 448120. Pain.\nMRN: 448120. Cough.",
        "Temp 98.6 F (37 C). A 30-year-old man.",
        "A 30-year-old man who was in hospital when he was 9-years-old.",
        "A 30-year-old man turned 31 years old, man of 31.",
        "",
    ],
)
def test_one_record_is_one_patient(text: str) -> None:
    assert second_patient(text) is None


def test_the_scripted_cases_are_of_one_patient() -> None:
    for name in script_names("cdss"):
        assert second_patient(read_script(name).as_case().text) is None


def test_a_case_of_two_is_refused_with_both_places_and_taken_if_it_is_said_to_be_one() -> None:
    text = "A man of 71 with a broken hip.\n\nA woman of 58 with a hot leg."
    with pytest.raises(SeemsTwo, match=r"line 1 .* line 3") as refused:
        case_of(text, today=TODAY)
    assert [text[start:end] for start, end in refused.value.places] == ["man of 71", "woman of 58"]
    assert "hip" not in str(refused.value)  # no word of the case is in a message
    assert case_of(text, today=TODAY, one_patient=True).text == text


@pytest.mark.parametrize(
    "part", ["71M ", "his mother has CRP 61 ", "she K 5.1 ", "mother ", "1 ", "twenty-", "Mr A ", "\n "]
)
def test_a_long_text_of_one_thing_is_read_in_no_time(part: str) -> None:
    text = (part * 40_000)[:40_000]
    began_s = time.process_time()
    second_patient(text)
    assert time.process_time() - began_s < 5.0

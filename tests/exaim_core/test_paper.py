"""The case paper: what it does not know is refused where it comes in, and its fields are written down."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from exaim_core import CasePaper
from exaim_core.patient.paper import (
    Allergy,
    Imaging,
    Lab,
    Medication,
    Observation,
    Part,
    said,
    when_words,
)

DOCUMENT = Path(__file__).parents[2] / "docs" / "case-paper.md"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({"allergy": ["penicillin"]}, "allergy is no field here; write allergies"),
        ({"medications": []}, "medications is no field here; write medication"),
        ({"Xyzzy 123": 1}, "the field after case_id is unknown here; there are case_id, title,"),
        (
            {"labs": [{"analyte": "lactate", "value": 4.1, "Xyzzy 123": "02:00"}]},
            "labs.0: the field after value is unknown here; there are analyte,",
        ),
        ({"labs": [{"Xyzzy 123": "02:00"}]}, "labs.0: its first field is unknown here; there are analyte,"),
        ({"allergies": ["penicillin"]}, 'allergies.0: an entry is written as {"substance": …}'),
        (
            {"allergies": [{"substanc": "penicillin"}]},
            "allergies.0: substanc is no field here; write substance",
        ),
        ({"age": True}, "age is true or false, where a number is wanted"),
        ({"age": -5}, "age is below 0"),
        ({"weight_kg": "-5"}, "weight_kg is below 0"),
        (
            {"medication": [{"drug": "digoxin", "dose": True}]},
            "medication.0: dose is true or false, where a number is wanted",
        ),
        (
            {"labs": [{"analyte": "K", "value": 4, "ref_range": [False, 5]}]},
            "labs.0: ref_range is true or false, where a number is wanted",
        ),
        ({"labs": ["potassium 6.8"]}, 'labs.0: an entry is written as {"analyte": …, "value": …}'),
    ],
)
def test_what_a_paper_does_not_know_is_refused_in_one_line(found: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError) as refused:
        CasePaper.model_validate({"case_id": "x", **found})
    assert said(refused.value).startswith(told)
    assert "penicillin" not in str(refused.value)
    assert "Xyzzy" not in said(refused.value), "what is near to no field may be anything"


def test_a_paper_of_the_store_is_read_though_another_version_wrote_it() -> None:
    paper = CasePaper.of_store(
        '{"case_id": "x", "age": 74, "ward": 7, "allergies": [{"substance": "a", "by": 1}]}'
    )
    assert (paper.age, paper.allergies) == (74, (Allergy(substance="a"),))
    assert CasePaper.of_store({"case_id": "x", "ward": 7}) == CasePaper(case_id="x")
    assert CasePaper.of_store({"case_id": "x", "age": -5}).age == -5, "a session goes on with what it has"


def test_a_draft_may_bring_the_words_that_it_was_made_of() -> None:
    paper = CasePaper.model_validate({"case_id": "x", "sources": {"age": "a woman of 74"}})
    assert "sources" not in paper.model_dump()


@pytest.mark.parametrize("part", [CasePaper, Medication, Allergy, Observation, Lab, Imaging])
def test_each_field_is_in_the_document(part: type[Part]) -> None:
    named = set(re.findall(r"`(\w+)`", DOCUMENT.read_text("utf-8")))
    assert not set(part.model_fields) - named


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("2026-11-20T01:55:00", "at 01:55 on 20 November"),
        ("2026-11-20 23:05", "at 23:05 on 20 November"),
        ("2026-11-02T01:55:00Z", "at 01:55 on 2 November"),
        ("01:55", "at 01:55"),
        ("yesterday", "at yesterday"),
        ("2026-11-20", "on 20 November"),
        ("2026-11-20x", "at 2026-11-20x"),
        ("2026-13-40T01:55:00", "at 2026-13-40T01:55:00"),
    ],
)
def test_a_time_with_its_date_is_said_as_people_do(at: str, told: str) -> None:
    assert when_words(at) == told

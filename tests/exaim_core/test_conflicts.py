"""Numbers against the case paper, and numbers put right."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, CasePaper, SpokenItem, SpokenKind
from tests.exaim_core.test_exaim import play

PAPER = CasePaper.model_validate(
    {
        "case_id": "made-up",
        "labs": [
            {"analyte": "sodium", "value": 134, "unit": "mmol/L"},
            {"analyte": "C-reactive protein", "value": 86, "unit": "mg/L"},
            {"analyte": "haemoglobin", "value": 91, "unit": "g/L"},
            {"analyte": "bilirubin", "value": 17, "unit": "micromol/L"},
            {"analyte": "bilirubin", "value": 60, "unit": "micromol/L"},
        ],
        "observations": [
            {"name": "systolic blood pressure, left arm", "value": 72, "unit": "mmHg"},
            {"name": "respiratory rate", "value": 24, "unit": "per minute"},
        ],
    }
)


async def heard(*turns: tuple[str, str], paper: CasePaper | None = PAPER) -> list[SpokenItem]:
    updates, _, _ = await play(turns, engine=EXAIM(paper=paper))
    return [item for update in updates for item in update.items][:-1]


@pytest.mark.parametrize(
    ("sentence", "said", "on_record"),
    [
        ("The C-reactive protein of 860 mg/L points to infection.", "C-reactive protein 860 mg/L", "86 mg/L"),
        ("Her sodium is 143 mmol/L.", "sodium 143 mmol/L", "134 mmol/L"),
        ("The haemoglobin is 9.1 g/L.", "haemoglobin 9.1 g/L", "91 g/L"),
        ("Bilirubin is 170 micromol/L.", "bilirubin 170 micromol/L", "17 micromol/L"),
        ("His respiratory rate is 36 per minute.", "respiratory rate 36 per minute", "24 per minute"),
        ("Haemoglobin is 148 g/L.", "haemoglobin 148 g/L", "91 g/L"),
    ],
)
async def test_a_number_that_the_case_paper_contradicts_is_told_as_a_conflict_and_not_as_a_finding(
    sentence: str, said: str, on_record: str
) -> None:
    [item] = await heard(("doctor1", f"{sentence}\n"))

    assert item.text == f"Check: Doctor One says {said}; the case file says {on_record}."
    assert (item.kind, item.urgency, item.protects) == (SpokenKind.CAUTION, "important", True)


@pytest.mark.parametrize(
    "sentence",
    [
        "Her sodium is 134 mmol/L.",
        "The sodium is now 121 mmol/L.",
        "Sodium has fallen to 122 mmol/L.",
        "The urine sodium is 13 mmol/L.",
        "The target is a sodium of 143 mmol/L.",
        "A sodium above 143 mmol/L would be an argument against it.",
        "Last year her sodium was 143 mmol/L.",
        "Give 860 mg of ibuprofen.",
        "Bilirubin is 60 micromol/L.",
        "Haemoglobin in the second sample is 52 g/L.",
        "Repeat haemoglobin is 61 g/L.",
        "The systolic pressure is 72 mmHg.",
        "C-reactive protein is 85 mg/L.",
    ],
)
async def test_a_newer_other_or_rounded_value_is_no_conflict(sentence: str) -> None:
    assert not any(item.text.startswith("Check") for item in await heard(("doctor1", f"{sentence}\n")))


async def test_a_disputed_number_is_told_once_is_on_the_page_as_open_and_grounds_nothing() -> None:
    lead = (
        "### Most Likely Diagnosis:\n**Cholangitis** - given a C-reactive protein of 860 mg/L and rigors.\n"
    )
    updates, _, _ = await play(
        (("doctor1", lead), ("doctor2", "The C-reactive protein is 860 mg/L.\n")), engine=EXAIM(paper=PAPER)
    )
    texts = [item.text for update in updates for item in update.items]

    assert [text for text in texts if "860" in text] == [
        "Check: Doctor One says C-reactive protein 860 mg/L; the case file says 86 mg/L."
    ]
    page = updates[-1].summary
    assert page.uncertainty_confidence.startswith("Check: Doctor One says C-reactive protein 860 mg/L")
    assert "860" not in page.key_findings + page.differential_rationale


@pytest.mark.parametrize("paper", [PAPER, None])
@pytest.mark.parametrize(
    "sentence",
    ["The C-reactive protein is 86 mg/L, not 860 mg/L.", "I misread it: C-reactive protein was not 860 but 86 mg/L."],
)  # fmt: skip
async def test_a_number_that_was_spoken_and_is_put_right_is_told_as_a_correction(
    sentence: str, paper: CasePaper | None
) -> None:
    items = await heard(
        ("doctor1", "The C-reactive protein is 860 mg/L.\n"), ("doctor1", f"{sentence}\n"), paper=paper
    )

    assert items[-1].kind is SpokenKind.CORRECTION and items[-1].protects
    assert items[-1].text.startswith("Correction, Doctor One: ")
    assert "86 mg/L" in items[-1].text and "860" in items[-1].text


async def test_a_number_that_was_not_spoken_is_put_right_as_a_finding_and_an_unknown_one_not_at_all() -> None:
    text = (
        "I had read a bilirubin of 71 at first. In fact the bilirubin is 17 micromol/L, not 71 micromol/L.\n"
    )
    assert not any(item.kind is SpokenKind.CORRECTION for item in await heard(("doctor1", text), paper=None))
    silent = "### Differential Diagnoses:\n1. **Haemolysis** - with a bilirubin of 71 micromol/L.\n"
    right = "The bilirubin is 17 micromol/L, not 71 micromol/L.\n"
    [*_, item] = await heard(("doctor1", silent), ("doctor1", right), paper=None)
    assert (item.kind, item.text) == (
        SpokenKind.FINDING,
        "Doctor One: the bilirubin is 17 micromol/L, not 71 micromol/L.",
    )


async def test_a_newer_critical_value_is_told_as_critical_and_a_slip_as_one_to_be_checked() -> None:
    [newer] = await heard(("doctor1", "Haemoglobin in the second sample is 52 g/L.\n"))
    assert newer.text == "Critical, from Doctor One: haemoglobin 52 g/L."
    [slip] = await heard(("doctor1", "The haemoglobin is 19 g/L.\n"))
    [swapped] = await heard(("doctor1", "His respiratory rate is 42 per minute.\n"))
    assert swapped.text == (
        "Critical, but check: the agents say respiratory rate 42 per minute; the case file says 24 per minute."
    )
    assert slip.text == "Critical, but check: the agents say haemoglobin 19 g/L; the case file says 91 g/L."


async def test_a_colleagues_correction_is_a_finding_and_the_authors_own_a_correction() -> None:
    items = await heard(
        ("doctor0", "The C-reactive protein is 860 mg/L.\n"),
        ("doctor1", "My note on this: C-reactive protein is 86 mg/L, not 860 mg/L.\n"),
        ("doctor0", "You are right, a slip of mine: the C-reactive protein is 86 mg/L, not 860 mg/L.\n"),
        ("doctor0", "The C-reactive protein is 86 mg/L, not 860 mg/L.\n"),
    )
    assert [(item.kind, item.text) for item in items[1:]] == [
        (SpokenKind.FINDING, "Doctor One: C-reactive protein is 86 mg/L, not 860 mg/L."),
        (SpokenKind.CORRECTION, "Correction, Doctor Zero: the C-reactive protein is 86 mg/L, not 860 mg/L."),
    ]


async def test_a_number_without_what_was_measured_is_not_told() -> None:
    assert await heard(("doctor0", "The laboratory reported 86 mg/L at 09:15.\n")) == []

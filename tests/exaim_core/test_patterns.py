"""No pattern takes many times longer for a text that is a little longer: these once took minutes to years."""

from __future__ import annotations

import pytest

from exaim_core.claims.critical import critical_findings
from exaim_core.patient.conflicts import corrections_in
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence


@pytest.mark.parametrize(
    "number",
    ["6.8999999999999999112", f"6.{'9' * 30}", "9" * 19, "9" * 32],
    ids=["19", "31", "19 whole", "32 whole"],
)
def test_a_number_of_many_digits_after_an_analyte_is_read_as_any(number: str) -> None:
    sentence = f"The potassium is {number} mmol/L, up from 5.1 mmol/L."
    found = [critical.value for critical in critical_findings(sentence)]
    assert found == ([f"{number} mmol/L"] if number.startswith("6.") else [])


def test_a_time_between_an_analyte_and_its_value_is_passed_over() -> None:
    sentence = "The potassium measured at 12:30 and measured again at 12:35 is 6.9 mmol/L."
    assert [found.value for found in critical_findings(sentence)] == ["6.9 mmol/L"]


def test_digits_beside_a_drug_are_no_slip_of_its_dose() -> None:
    assert critical_findings(f"The potassium is fine, heparin {'9' * 200_000}.") == ()


def test_blanks_after_a_number_are_no_correction() -> None:
    sentence = Sentence(
        f"The potassium is 6.9 mmol/L{' ' * 100_000}, and so on: 5.1 mmol/L.",
        *(Section.OTHER, "", None, True, False, (), 1),
        Source("doctor0", 0, 0, 0.0),
    )
    assert corrections_in((sentence,)) == []

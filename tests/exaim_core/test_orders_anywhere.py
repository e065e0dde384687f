"""An order is held against allergies and contraindications under whatever heading a team writes it."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exaim_core import CasePaper
from exaim_core.patient.paper import Allergy
from tests.exaim_core.test_contraindications import alerts

HEADINGS: Final = (
    "Recommended Tests",
    "Recommended Tests and Treatment",
    "Further Investigations",
    "Tests",
    "Treatment",
    "Treatment Plan",
    "Treatment Recommendations",
    "Recommendations",
    "Immediate Actions",
    "Next Steps",
    "Management",
    "Medications",
    "Most Likely Diagnosis",
    "Differential Diagnosis",
    "Precautions",
    "Summary",
    "Answer",
)
ALLERGIES: Final = {
    "penicillin": ("penicillin", "amoxicillin", "flucloxacillin", "Augmentin"),
    "aspirin": ("aspirin", "ibuprofen", "naproxen"),
    "trimethoprim": ("trimethoprim",),
    "clarithromycin": ("clarithromycin", "erythromycin"),
    "vancomycin": ("vancomycin",),
    "heparin": ("heparin",),
}
ORDERS: Final = (
    "- The patient should take {drug}.",
    "- Give {drug} now.",
    "- Start {drug} 500 mg twice daily.",
    "- {Drug} should be given at once.",
    "- {Drug} 500 mg intravenously",
    "The patient should be given {drug}.",
    "1. Prescribe {drug} 250 mg orally.",
    "* **Antibiotic**: start {drug} 500 mg every 8 hours",
)
NO_ORDERS: Final = (
    "- Check the {drug} level.",
    "- {Drug} level before the next dose",
    "- Do not give {drug}.",
    "- Avoid {drug}.",
    "- Allergy to {drug}",
    "- Allergy: {drug} (rash)",
    "- {Drug} allergy on record",
    "- {Drug} was stopped yesterday.",
    "- Skin testing for {drug}",
)


def paper(substance: str) -> CasePaper:
    return CasePaper(case_id="invented", allergies=(Allergy(substance=substance, reaction="anaphylaxis"),))


def told(heading: str, words: str, drug: str, substance: str) -> list[str]:
    text = f"### {heading}\n{words.format(drug=drug, Drug=drug[0].upper() + drug[1:])}\n"
    return asyncio.run(alerts(("doctor0", text), paper=paper(substance)))


PAIRS: Final = [(substance, drug) for substance, drugs in ALLERGIES.items() for drug in drugs]


@settings(max_examples=60, deadline=None)
@given(heading=st.sampled_from(HEADINGS), words=st.sampled_from(ORDERS), pair=st.sampled_from(PAIRS))
def test_an_order_meets_an_allergy_wherever_it_stands(
    heading: str, words: str, pair: tuple[str, str]
) -> None:
    substance, drug = pair
    found = told(heading, words, drug, substance)
    assert any(drug.lower() in each.lower() for each in found), (heading, words, drug, found)


@settings(max_examples=60, deadline=None)
@given(heading=st.sampled_from(HEADINGS), words=st.sampled_from(NO_ORDERS), pair=st.sampled_from(PAIRS))
def test_what_asks_for_no_drug_raises_nothing_wherever_it_stands(
    heading: str, words: str, pair: tuple[str, str]
) -> None:
    substance, drug = pair
    assert told(heading, words, drug, substance) == []


@pytest.mark.parametrize("heading", ["Recommended Tests", "Most Likely Diagnosis", "Precautions"])
async def test_an_order_among_tests_meets_a_contraindication_too(heading: str) -> None:
    asthma = CasePaper(case_id="invented", history=("Asthma since the age of 6",))
    assert await alerts(("doctor0", f"### {heading}\n- Start bisoprolol 2.5 mg daily.\n"), paper=asthma)


@pytest.mark.parametrize("heading", ["Withdrawn Treatments", "Areas of Disagreement"])
async def test_what_was_withdrawn_or_is_reported_of_others_raises_nothing(heading: str) -> None:
    said = ("moderator", f"### {heading}\n- Give amoxicillin 1 g now.\n")
    assert await alerts(said, paper=paper("penicillin")) == []


@pytest.mark.parametrize(
    ("heading", "asks"),
    [
        ("Prescribed medications", False),
        ("Recommended against", False),
        ("Declined medications", False),
        ("Prescriptions", True),
        ("Recommended medications", True),
    ],
)
async def test_a_bare_name_is_an_order_where_the_heading_asks_for_it(heading: str, asks: bool) -> None:
    said = ("doctor0", f"### {heading}\n- Amoxicillin\n")
    assert bool(await alerts(said, paper=paper("penicillin"))) is asks

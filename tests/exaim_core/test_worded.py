"""Sentences in a model's own words, against one agent's: other words may stand, other facts may not."""

from __future__ import annotations

import pytest

from exaim_core.grounding import Grounds, refusal

SAID = {
    "renal": "Creatinine was 96 µmol/L in March and is 412 µmol/L now; she has passed no urine since noon.",
    "drug": "I would start ceftriaxone 2 g every 12 hours, unless she is allergic to cephalosporins.",
    "sides": "The right foot is cold and pulseless, the left is warm.",
    "doubt": "This could be an early abscess, so repeat the scan tomorrow.",
    "past": "He had a stroke in 2012 and walks with a stick.",
}


def said(key: str, text: str) -> str | None:
    """Return why `text` may not be said on what doctor0 said."""
    return refusal(text, Grounds((SAID[key],), ("doctor0",), speakers=("doctor0",)))


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("renal", "Creatinine has risen from 96 to 412 micromoles per litre."),
        ("renal", "Doctor Zero: no urine since noon, creatinine 412 µmol/L now."),
        (
            "drug",
            "Doctor Zero proposes ceftriaxone 2 g every twelve hours, unless allergic to cephalosporins.",
        ),
        ("sides", "The right foot is cold, without a pulse."),
        ("doubt", "Doctor Zero: possibly an early abscess; another scan tomorrow."),
        ("past", "A stroke in 2012; he walks with a stick."),
    ],
)
def test_other_words_for_the_same_thing_may_stand(key: str, text: str) -> None:
    assert said(key, text) is None


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("renal", "Creatinine is 96 µmol/L now."),
        ("renal", "Creatinine is 421 µmol/L now."),
        ("renal", "She has passed urine since noon."),
        ("drug", "Doctor Zero proposes ceftriaxone 2 g every 12 hours."),
        (
            "drug",
            "Doctor Zero proposes ceftriaxone 2 mg every 12 hours, unless she is allergic to cephalosporins.",
        ),
        ("sides", "The left foot is cold and pulseless."),
        ("doubt", "An early abscess is confirmed."),
        ("doubt", "There is an early abscess, so repeat the scan tomorrow."),
        ("past", "He has a stroke now."),
    ],
)
def test_another_fact_may_not(key: str, text: str) -> None:
    assert said(key, text) is not None


GENERAL: list[tuple[str, str, str]] = [
    (
        "I don't think we should anticoagulate her tonight; the bleed is too fresh.",
        "Doctor Zero would not anticoagulate tonight.",
        "Doctor Zero would anticoagulate tonight.",
    ),
    (
        "The abdomen was soft at six and it is rigid now, with no bowel sounds.",
        "The abdomen has become rigid, without bowel sounds.",
        "The abdomen is soft.",
    ),
    (
        "The rash started four days after the amoxicillin. It isn't itchy.",
        "A non-itchy rash four days after amoxicillin.",
        "The rash is itchy.",
    ),
    (
        "Leg weakness came on three days ago. The fever began yesterday.",
        "Fever since yesterday; weakness of the legs for three days.",
        "The fever began three days ago.",
    ),
    (
        "Piperacillin-tazobactam, each 4.5 g dose over 4 hours, every 8 hours.",
        "Piperacillin-tazobactam 4.5 g over 4 hours.",
        "Piperacillin-tazobactam 8 g over 4 hours.",
    ),
    (
        "The swelling is round the right tonsil and pushes the uvula to the left.",
        "The uvula is pushed to the left.",
        "The uvula is pushed to the right.",
    ),
    (
        "He smoked until 2016. His father had bowel cancer at 44, and his sister is with him today.",
        "His father had bowel cancer.",
        "Bowel cancer at 44.",
    ),
    (
        "No more than 4 g of paracetamol in 24 hours.",
        "At most 4 grams of paracetamol in 24 hours.",
        "At least 4 grams of paracetamol in 24 hours.",
    ),
    (
        "A posterior stroke is unlikely, to my mind.",
        "A posterior stroke is unlikely.",
        "A posterior stroke is ruled out.",
    ),
    (
        "Were there crepitus I would be taking him to theatre.",
        "If there were crepitus, Doctor Zero would take him to theatre.",
        "There is crepitus, so Doctor Zero would take him to theatre.",
    ),
    (
        "Late decelerations since noon.",
        "Decelerations since noon, late ones.",
        "Early decelerations since noon.",
    ),
    (
        "I see no need for an antibiotic; fluids and paracetamol.",
        "No antibiotic needed.",
        "Antibiotic, fluids and paracetamol.",
    ),
    (
        "Give pabrinex before any glucose.",
        "Pabrinex before glucose.",
        "Glucose before pabrinex.",
    ),
    (
        "The antibody assay for HIT has come back negative.",
        "The antibody test for heparin-induced thrombocytopenia was negative.",
        "The antibody test for heparin-induced thrombocytopenia was positive.",
    ),
]


@pytest.mark.parametrize(("source", "true", "wrong"), GENERAL, ids=[true for _, true, _ in GENERAL])
def test_the_same_in_other_words_stands_and_its_opposite_does_not(source: str, true: str, wrong: str) -> None:
    grounds = Grounds((source,), ("doctor0",), speakers=("doctor0",))
    assert refusal(true, grounds) is None
    assert refusal(wrong, grounds) is not None


def test_who_joins_without_a_name_is_counted_with_the_speaker_before() -> None:
    said = ("Leading diagnosis: pericarditis.", "Same view.", "I lead with myocarditis.")
    agents = ("doctor0", "doctor1", "doctor2")
    grounds = Grounds(said, agents, speakers=agents)
    assert refusal("Two of three lead with pericarditis.", grounds) is None
    assert refusal("All three lead with pericarditis.", grounds) is not None


def test_what_the_speaker_takes_back_by_name_stands_no_more() -> None:
    said = ("I would give ceftriaxone 2 g now.", "Then I take the ceftriaxone back. Meropenem 1 g.")
    grounds = Grounds(said, ("doctor1", "doctor1"), speakers=("doctor1", "doctor1"))
    assert refusal("Doctor One would give meropenem.", grounds) is None
    assert refusal("Doctor One would give ceftriaxone.", grounds) is not None

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

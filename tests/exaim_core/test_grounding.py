# ruff: noqa: E501 - sentences stay whole
from __future__ import annotations

import pytest

from exaim_core.board.changes import Vote
from exaim_core.grounding.grounding import Grounds, refusal

POTASSIUM = "The repeat potassium is 6.9 mmol/L and the sodium is 132 mmol/L. Creatinine has risen from 98 to 318 micromol/L."
DOSE = "Calcium gluconate 10%, 30 mL intravenously over 10 minutes: repeat it if the ECG has not improved."
SIDE = "The left-sided dilatation is mild, and the right kidney is not dilated."
NEGATIVE = "There are no signs of sepsis: temperature 36.7 °C, lactate 1.9 mmol/L."
TESTS = "Genetic testing for FGFR3 mutations: to confirm the diagnosis."
ALLERGY = "Her penicillin allergy with anaphylaxis - co-amoxiclav is not an option."
LIMIT = "Metformin 1 g twice daily: stop it. It is contraindicated below an eGFR of 30."
DIALYSIS = "Haemodialysis only if potassium stays above 6.5 mmol/L despite this treatment."
VOTE = Vote("lupus", ("doctor1", "doctor2"), ("doctor0", "doctor1", "doctor2"))
ALL = Vote("lupus", ("doctor0", "doctor1", "doctor2"), ("doctor0", "doctor1", "doctor2"))


def why(text: str, *sources: str, agents: tuple[str, ...] = (), vote: Vote | None = None) -> str | None:
    return refusal(text, Grounds(sources, agents, ("lupus",) if vote else (), vote))


@pytest.mark.parametrize(
    ("text", "source", "agents"),
    [
        ("Critical, from Doctor Two: potassium 6.9 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: sodium is 132 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: creatinine has risen from 98 to 318 micromol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two recommends calcium gluconate 10%, 30 mL intravenously over 10 minutes.", DOSE, ("doctor2",)),
        ("Doctor One: the left-sided dilatation is mild.", SIDE, ("doctor1",)),
        ("Doctor One: the right kidney is not dilated.", SIDE, ("doctor1",)),
        ("Doctor Two: there are no signs of sepsis.", NEGATIVE, ("doctor2",)),
        ("Doctor Zero asks for genetic testing for FGFR3 mutations.", TESTS, ("doctor0",)),
        ("Caution, Doctor One: penicillin allergy with anaphylaxis; co-amoxiclav is not an option.", ALLERGY, ("doctor1",)),
        ("Caution, Doctor Two: metformin 1 g twice daily, stop it.", LIMIT, ("doctor2",)),
        ("Doctor Zero: haemodialysis only if potassium stays above 6.5 mmol/L despite this treatment.", DIALYSIS, ("doctor0",)),
    ],
)  # fmt: skip
def test_what_the_source_says_may_be_said(text: str, source: str, agents: tuple[str, ...]) -> None:
    assert why(text, source, agents=agents) is None


@pytest.mark.parametrize(
    ("text", "source", "agents"),
    [
        ("Doctor Two: potassium is 9.6 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: potassium is 6.9 mg/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: potassium is 69 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: potassium is 132 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: sodium is 6.9 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: creatinine is 6.9 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: calcium is 6.9 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: creatinine has risen to 318 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two: potassium is not 6.9 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor One: potassium is 6.9 mmol/L.", POTASSIUM, ("doctor2",)),
        ("Doctor Two recommends calcium gluconate 10%, 300 mL intravenously over 10 minutes.", DOSE, ("doctor2",)),
        ("Doctor Two recommends calcium gluconate 10%, 30 mg intravenously over 10 minutes.", DOSE, ("doctor2",)),
        ("Doctor Two recommends calcium chloride 10%, 30 mL intravenously over 10 minutes.", DOSE, ("doctor2",)),
        ("Doctor Two recommends calcium gluconate 10%, 30 mL orally over 10 minutes.", DOSE, ("doctor2",)),
        ("Doctor Two: calcium gluconate 10%, 30 mL has been given.", DOSE, ("doctor2",)),
        ("Doctor One: the right-sided dilatation is mild.", SIDE, ("doctor1",)),
        ("Doctor One: the left kidney is not dilated.", SIDE, ("doctor1",)),
        ("Doctor One: bilateral dilatation is mild.", SIDE, ("doctor1",)),
        ("Doctor Two: signs of sepsis.", NEGATIVE, ("doctor2",)),
        ("Doctor Two: lactate 19 mmol/L.", NEGATIVE, ("doctor2",)),
        ("Doctor Two: lactate 36.7 °C.", NEGATIVE, ("doctor2",)),
        ("Doctor Zero asks for genetic testing for FGFR2 deletions.", TESTS, ("doctor0",)),
        ("Doctor Zero asks for renal biopsy.", TESTS, ("doctor0",)),
        ("Caution, Doctor One: cephalosporin allergy with anaphylaxis.", ALLERGY, ("doctor1",)),
        ("Caution, Doctor Two: metformin 2 g twice daily, stop it.", LIMIT, ("doctor2",)),
        ("Caution, Doctor Two: metformin is contraindicated below an eGFR of 60.", LIMIT, ("doctor2",)),
        ("Doctor Zero: haemodialysis only if potassium stays above 5.5 mmol/L.", DIALYSIS, ("doctor0",)),
        ("Doctor Zero recommends lumbar puncture.", "Consider lumbar puncture later.", ("doctor0",)),
    ],
)  # fmt: skip
def test_a_corrupted_sentence_is_refused(text: str, source: str, agents: tuple[str, ...]) -> None:
    assert why(text, source, agents=agents) is not None


@pytest.mark.parametrize(
    ("text", "vote", "fine"),
    [
        ("Doctor Two sides with Doctor One on lupus. Two to one.", VOTE, True),
        ("Doctor Two sides with Doctor One on lupus. Three to one.", VOTE, False),
        ("Doctor Two has changed to lupus. All three agree.", VOTE, False),
        ("Doctor Two has changed to lupus. All three agree.", ALL, True),
        ("All four lead with lupus.", ALL, False),
        ("Doctor Two has changed to lupus. Both agree.", ALL, False),
        ("Doctor Seven sides with Doctor One on lupus. Two to one.", VOTE, False),
    ],
)
def test_counts_are_those_of_the_vote(text: str, vote: Vote, fine: bool) -> None:
    assert (why(text, "Lupus: most likely.", agents=("doctor1", "doctor2"), vote=vote) is None) is fine


def test_a_reason_names_no_clinical_text() -> None:
    reason = why("Doctor Two: potassium is 9.6 mmol/L.", POTASSIUM, agents=("doctor2",))
    assert reason is not None
    assert "potassium" not in reason and "9.6" not in reason

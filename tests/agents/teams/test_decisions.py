"""What a turn states, by its form; nothing is made up where there is none."""

from __future__ import annotations

import json
import time

import pytest

from agents.stream import DecisionKind
from agents.teams.decisions import decisions_in, is_final

TURN = """Some words first.
### Most Likely Diagnosis
**Digoxin toxicity** - the level is 4.8 ng/mL.
A second thought that is no diagnosis.
### Recommended Tests
- Potassium every two hours.
**Immediate Actions:**
- Give digoxin-specific antibody fragments.
2. Stop **clarithromycin**.
### Contraindications
* No calcium.
- Nothing by mouth.
- None.
### Final Decision
**Digoxin toxicity** - all agree.
"""


def told(text: str, *, chairs: bool = False) -> list[tuple[DecisionKind, str]]:
    found = decisions_in(text, chairs=chairs)
    assert all(each.rests_on in text for each in found), "it rests on words as they stand there"
    return [(each.kind, each.text) for each in found]


def test_each_heading_of_the_form_states_what_stands_under_it() -> None:
    assert told(TURN, chairs=True) == [
        (DecisionKind.LEADING, "Digoxin toxicity"),
        (DecisionKind.ORDER, "Give digoxin-specific antibody fragments."),
        (DecisionKind.ORDER, "Stop clarithromycin."),
        (DecisionKind.PROHIBITION, "No calcium."),
        (DecisionKind.PROHIBITION, "Nothing by mouth."),
        (DecisionKind.FINAL, "Digoxin toxicity"),
    ]


def test_a_final_decision_is_the_chairs_alone() -> None:
    assert DecisionKind.FINAL not in [kind for kind, _ in told(TURN)]
    assert is_final(TURN)
    assert not is_final("### Open Questions\n- Final decision?\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I think that it is digoxin. Final decision: stop it.",
        "### Most Likely Diagnosis\nNone.\n### Immediate Actions\n- None for now.\n### Contraindications\n\n",
        "### Immediate Actions\n- " + "x" * 1_001,
        "{broken json",
        "### Diagnóstico más probable\n**Neumonía**\n",
    ],
)
def test_without_the_form_nothing_is_stated(text: str) -> None:
    assert told(text, chairs=True) == []


def test_the_same_form_as_json_states_the_same_and_nothing_that_does_not_stand_there() -> None:
    answer = {
        "most_likely_diagnosis": "Digoxin toxicity",
        "immediate_actions": ["Stop digoxin.", 'Say "no".', 7],
        "contraindications": {"not": "a list"},
        "other": "Give insulin.",
    }
    assert told(json.dumps(answer)) == [
        (DecisionKind.LEADING, "Digoxin toxicity"),
        (DecisionKind.ORDER, "Stop digoxin."),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "None identified.",
        "None required",
        "None known at this time.",
        "No contraindications",
        "No known contraindications identified.",
        "**No immediate action is needed.**",
        "No further actions required at present",
        "N/A",
    ],
)
@pytest.mark.parametrize("heading", ["Immediate Actions", "Contraindications", "Most Likely Diagnosis"])
def test_a_none_states_nothing(heading: str, line: str) -> None:
    assert told(f"### {heading}\n- {line}\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "No calcium.",
        "Nothing by mouth.",
        "None of the NSAIDs.",
        "None identified, but avoid metformin.",
        "No contraindications except penicillin.",
        "No immediate action on the potassium until it is repeated.",
        "No known penicillins.",
    ],
)
def test_a_no_that_goes_on_states_something(line: str) -> None:
    assert told(f"### Contraindications\n- {line}\n") == [(DecisionKind.PROHIBITION, line)]


def test_a_final_decision_may_be_that_nothing_is_to_be_done() -> None:
    line = "No further action is required."
    assert told(f"## Final Decision\n{line}\n", chairs=True) == [(DecisionKind.FINAL, line)]


@pytest.mark.parametrize(
    "heading", ["#### Contraindications ##", "  ## Contraindications:", "**Contraindications** :"]
)
def test_a_heading_is_read_with_its_marks(heading: str) -> None:
    assert told(f"{heading}\n- No calcium.\n") == [(DecisionKind.PROHIBITION, "No calcium.")]


def test_a_heading_with_many_blanks_is_read_at_once() -> None:
    began_s = time.thread_time()  # of this thread alone: what else the machine does decides nothing
    told("# a" + " " * 20_000 + "b\n**a" + " " * 20_000 + "b\n" + " " * 20_000 + "x")
    assert time.thread_time() - began_s < 1.0

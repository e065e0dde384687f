from __future__ import annotations

from typing import Any

import pytest

from agents.teams.scripted import read_script, script_names
from exaim_core import CasePaper
from realtime.speech.which_case import SCRIPTED, WhichCase, patient_of


@pytest.mark.parametrize(
    ("told", "patient"),
    [
        ({"age": 74, "age_unit": "years", "sex": "female"}, "woman, 74"),
        ({"age": 18, "sex": "Male"}, "man, 18"),
        ({"age": 17, "sex": "male"}, "boy, 17 years"),
        ({"age": 1, "sex": "female"}, "girl, 1 year"),
        ({"age": 3.5, "age_unit": "months", "sex": "female"}, "girl, 3.5 months"),
        ({"age": 28, "age_unit": "week"}, "patient, 28 weeks"),
        ({"age": 40}, "patient, 40"),
        ({"sex": "female"}, "woman"),
        ({"sex": "not recorded"}, ""),
        ({}, ""),
    ],
)
def test_a_patient_is_told_by_age_and_sex_as_far_as_they_are_known(
    told: dict[str, Any], patient: str
) -> None:
    assert patient_of(CasePaper(case_id="c", **told)) == patient


def test_without_a_paper_nothing_is_known_of_the_patient() -> None:
    assert patient_of(None) == ""


@pytest.mark.parametrize(
    ("live", "simulated", "patient", "text"),
    [
        (False, True, "woman, 74", "Recorded, simulated case: woman, 74. Weak legs."),
        (True, False, "", "Live case. Weak legs."),
        (False, False, "boy, 3 years", "Recorded case: boy, 3 years. Weak legs."),
        (True, True, "man, 58", "Live, simulated case: man, 58. Weak legs."),
    ],
)
def test_a_case_is_told_by_its_kind_its_patient_and_its_title(
    live: bool, simulated: bool, patient: str, text: str
) -> None:
    case = WhichCase(title="Weak legs.", patient=patient, live=live, simulated=simulated)
    assert case.sentences == text


def test_words_that_were_written_by_hand_are_told_as_such_whatever_becomes_of_the_title() -> None:
    for name in script_names():
        case = WhichCase(title=read_script(name).as_case().title, live=True)
        assert case.scripted and SCRIPTED not in case.bare_title, name
    assert not WhichCase(title="Weak legs", live=True).scripted

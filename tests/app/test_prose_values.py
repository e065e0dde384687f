"""The engine on the gold discussions in free prose: what is the patient's is told, what is not is not."""

from __future__ import annotations

import pytest

from lab.evaluation.acute import prose
from lab.evaluation.gold import ProseCase, prose_cases

CASES = prose_cases("tests.gold")
LEAST = 0.9  # of the points of each discussion, in one update's fields or in what it gives the voice


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.case_id)
def test_a_discussion_in_prose_is_told_and_nothing_of_others_with_it(case: ProseCase) -> None:
    found = prose(case)
    assert sum(point.told for point in found.points) >= LEAST * len(found.points)
    assert found.broken == ()

"""A case takes as long as the critical path of its calls, whatever their graph is."""

from __future__ import annotations

import pytest

from lab.teams.paths import MOST, walk


@pytest.mark.parametrize("seed", range(101, 106))
@pytest.mark.parametrize("team", ["cdss", "doctors"])
def test_a_case_takes_no_longer_than_its_critical_path(team: str, seed: int) -> None:
    walked = walk(team, seed)
    assert walked.ratio <= MOST
    assert walked.apart_s <= 0.001

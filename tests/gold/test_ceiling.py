"""What a perfect voice could tell: the bound is found exactly, and `bare` costs least."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest

from lab.evaluation.ceiling import (
    HALF_MINUTE,
    HALF_OF_ALL,
    NONE,
    PAUSE_S,
    Job,
    bare,
    lasts_s,
    most,
    most_in_order,
    quoted,
    rows,
)
from lab.evaluation.habits import KeyPoint, files
from lab.evaluation.logistic import ranked
from lab.evaluation.worth import learned, left_out, rows_of, told

SODIUM = KeyPoint("Sodium 121 at midnight.", 1.0, (("121",), ("sodium", "midnight")), "critical")


def tried(jobs: list[Job]) -> int:
    """Return the most jobs in time by trying every order, which is slow."""
    best = 0
    for order in permutations(jobs):
        free_s, begun = 0.0, 0
        for job in order:
            start_s = max(free_s, job.from_s)
            if start_s <= job.until_s:
                free_s, begun = start_s + job.lasts_s + PAUSE_S, begun + 1
        best = max(best, begun)
    return best


def test_the_best_order_is_found() -> None:
    dice = random.Random(14)
    for _ in range(40):
        begins = [dice.uniform(0, 12) for _ in range(6)]
        jobs = [Job(at_s, at_s + 8, dice.uniform(1, 7)) for at_s in begins]
        assert most_in_order(jobs) <= most(jobs) == tried(jobs)


def test_what_can_wait_lets_pass_what_can_not() -> None:
    can_wait, can_not = Job(0.0, 8.0, 5.0), Job(0.0, 1.0, 2.0)
    assert most([can_wait, can_not]) == 2
    assert most([can_wait, Job(0.0, 1.0, 9.0)]) == 1


def test_quiet_costs_points() -> None:
    jobs = [Job(0.0, 60.0, 20.0), Job(0.0, 60.0, 20.0)]
    assert [most(jobs, quiet) for quiet in (NONE, HALF_MINUTE, HALF_OF_ALL)] == [2, 1, 2]
    assert most([Job(0.0, 8.0, 5.0)] * 2, HALF_OF_ALL) == 1


def test_more_than_twenty_are_refused_and_none_is_none() -> None:
    assert most([]) == most_in_order([]) == 0
    with pytest.raises(ValueError, match="most_in_order"):
        most([Job(0.0, 8.0, 1.0)] * 21)


def test_wordings_tell_the_point_and_the_bare_one_is_the_shortest() -> None:
    turn = "Third time with belly pain. Sodium 121 at midnight, was 130."
    assert quoted(SODIUM, turn) == "Doctor One: Sodium 121"
    assert bare(SODIUM) == "sodium 121"
    assert SODIUM.met_by(bare(SODIUM))
    both = KeyPoint("Stop the long drug.", 1.0, (("stop", "no longdrug"), ("longdrug",)), None)
    assert bare(both) == "no longdrug"  # shorter than "longdrug stop"
    assert lasts_s(bare(SODIUM)) < lasts_s(quoted(SODIUM, turn))


def test_who_may_say_less_can_tell_more() -> None:
    found = {(row.measure, row.wording, row.quiet): row.hits for row in rows(files("tune")[:3])}
    for (measure, wording, quiet), hits in found.items():
        assert found[measure, "bare", quiet] >= hits
        assert found[measure, wording, NONE.name] >= hits
        if " within 8 s" in measure:
            ever = measure.replace(", within 8 s", ", ever").replace(" within 8 s", " ever")
            assert found[ever, wording, quiet] >= hits


def test_a_model_learns_from_the_other_groups_only() -> None:
    x = np.eye(2, dtype=np.float32)[[0, 0, 1, 1] * 10]
    presses = np.array([True, True, False, False] * 10)
    weights, _ = learned(x, presses.astype(np.float32))
    assert weights[0] > 0 > weights[1]
    score = left_out(x, presses, [at % 2 for at in range(40)])
    assert ranked(score, presses) == 1.0
    assert told(score, presses, 0.9) == (20, 20)
    turned = np.where(np.arange(40) < 20, presses, ~presses)  # the other group says the contrary
    assert ranked(left_out(x, turned, [at < 20 for at in range(40)]), turned) < 0.5


def test_equal_scores_rank_nothing() -> None:
    assert ranked(np.zeros(4, np.float32), np.array([True, False, True, False])) == 0.5
    assert told(np.zeros(2, np.float32), np.array([False, False]), 0.5) == (0, 0)
    assert told(np.zeros(3, np.float32), np.array([True, False, False]), 0.5) == (0, 0)  # all or none
    assert told(np.array([2, 1, 1], np.float32), np.array([True, True, False]), 0.6) == (2, 3)


def test_sentences_that_state_a_pressing_point_are_found() -> None:
    found = rows_of("tune", files("tune")[0])
    assert 5 <= sum(row.presses for row in found) < len(found)
    assert all(row.form for row in found)

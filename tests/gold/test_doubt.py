"""The measurement of decision 093: what is learned, and what is counted as lost."""

from __future__ import annotations

import numpy as np
import pytest

from exaim_core.schema import SpokenKind
from lab.evaluation.doubt import PENALTY, Row, drop_line, points_lost, worst_families
from lab.evaluation.doubt_features import FEATURES, Told, features
from lab.evaluation.logistic import fitted, likely

TOLD = Told(SpokenKind.ACTION, "yes, give the six now", "Yes, give the six now.", "", "How many vials?")


def row(split: str, family: str, *points: int, untrue: bool = False) -> Row:
    return Row(split, "a", family, "", None, untrue, float(untrue), frozenset(points))


def test_each_feature_is_a_small_number() -> None:
    found = dict(zip(FEATURES, features(TOLD), strict=True))
    assert all(0 <= value <= 1.5 for value in found.values())
    assert found["answers a question"] == 1 and found["first in its turn"] == 1
    assert found["an action"] == 1 and found["names a drug"] == 0


def test_what_is_learned_is_the_same_each_time_and_has_the_right_sign() -> None:
    x = np.array([[0.0, 1.0], [0.2, 0.0], [0.8, 1.0], [1.0, 0.0]])
    y = np.array([0.0, 0.0, 1.0, 1.0])
    bias, weights = fitted(x, y, PENALTY)
    again, same = fitted(x, y, PENALTY)
    assert likely(x, y, PENALTY, x) == pytest.approx(1 / (1 + np.exp(-(x @ weights + bias))))
    assert bias == again and (weights == same).all()
    assert weights[0] > 0.05 > abs(weights[1])


def test_a_point_is_lost_where_all_that_tell_it_are_dropped() -> None:
    first, second, third = row("one", "f", 1, 2), row("one", "f", 2), row("two", "f", 3)
    every = [first, second, third]
    assert points_lost(every, [first]) == (1, 3)
    assert points_lost(every, [first, second]) == (2, 3)
    assert "drops    1" in drop_line("x", [*every, row("two", "f", untrue=True)], [first])


def test_a_family_is_silenced_by_the_other_sets_alone() -> None:
    every = [row("one", "f", untrue=True), row("two", "f"), row("two", "alarm, name and value", untrue=True)]
    assert worst_families(every, 0.5) == [every[1]]

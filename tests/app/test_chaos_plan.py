"""A seed decides which faults there are, when, and for whom."""

from __future__ import annotations

from collections import Counter

import pytest

from lab.chaos.plan import DECK, Fault, in_rounds, make_plan


def test_the_same_seed_gives_the_same_plan_and_another_one_another() -> None:
    assert make_plan(7, 60) == make_plan(7, 60)
    assert make_plan(7, 60) != make_plan(8, 60)


def test_sixty_faults_have_each_kind_as_often_as_three_decks() -> None:
    counted = Counter(each.fault for each in make_plan(1, 60))
    assert counted == {fault: 3 * count for fault, count in Counter(DECK).items()}
    assert set(counted) == set(Fault)


def test_a_shorter_plan_is_the_beginning_of_a_longer_one() -> None:
    assert make_plan(3, 20) == make_plan(3, 60)[:20]


@pytest.mark.parametrize(("faults", "sessions", "sizes"), [(60, 12, [10] * 6), (7, 4, [4, 3]), (5, 1, [5])])
def test_the_plan_is_parted_evenly_over_pairs_of_sessions(
    faults: int, sessions: int, sizes: list[int]
) -> None:
    rounds = in_rounds(make_plan(1, faults), sessions)
    assert [len(part) for part in rounds] == sizes
    assert [each.number for part in rounds for each in part] == list(range(1, faults + 1))

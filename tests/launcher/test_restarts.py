from __future__ import annotations

import pytest

from app.restarts import Death, RestartLimits, wait_s

LIMITS = RestartLimits(most=4, within_s=60.0, first_wait_s=0.5, longest_wait_s=1.5, settled_s=3.0)


@pytest.mark.parametrize(
    ("deaths_at_s", "now_s", "wait"),
    [
        ((100.0,), 100.0, 0.0),
        ((99.0, 100.0), 100.0, 0.5),
        ((98.0, 99.0, 100.0), 100.0, 1.0),
        ((97.0, 98.0, 99.0, 100.0), 100.0, 1.5),
        ((96.0, 97.0, 98.0, 99.0, 100.0), 100.0, None),
        ((40.0, 97.0, 98.0, 99.0, 100.0), 100.0, 1.5),
        ((10.0, 20.0, 30.0, 100.0), 100.0, 0.0),
    ],
)
def test_a_death_is_answered_at_once_then_ever_later_and_too_many_not_at_all(
    deaths_at_s: tuple[float, ...], now_s: float, wait: float | None
) -> None:
    assert wait_s([Death(at_s) for at_s in deaths_at_s], now_s, LIMITS) == wait


@pytest.mark.parametrize(
    ("lives_s", "wait"),
    [
        ((4.0,) * 12, 0.0),  # each had settled: killed every five seconds, it is there again at once
        ((0.1, 0.1, 4.0), 0.0),
        ((4.0, 2.9), 0.5),
        ((4.0, 0.1, 0.1), 1.0),
        ((4.0, 0.1, 0.1, 0.1, 0.1), None),
    ],
)
def test_what_had_settled_is_started_again_at_once_however_often(
    lives_s: tuple[float, ...], wait: float | None
) -> None:
    deaths = [Death(100.0 + 5.0 * number, ran_s) for number, ran_s in enumerate(lives_s)]
    assert wait_s(deaths, deaths[-1].at_s, LIMITS) == wait


HUNG_S = 12.0  # until that is seen


@pytest.mark.parametrize(("times", "wait"), [(1, 0.0), (2, 0.5), (3, 1.0), (4, 1.5), (5, None), (50, None)])
def test_what_hangs_again_and_again_comes_ever_later_and_then_not_at_all(
    times: int, wait: float | None
) -> None:
    every_s = HUNG_S + 10.0  # ready after 8 s, the wait between
    deaths = [Death(100.0 + every_s * number, 0.0, HUNG_S) for number in range(times)]
    assert wait_s(deaths, deaths[-1].at_s, LIMITS) == wait


def test_what_hangs_once_in_a_while_comes_back_at_once() -> None:
    deaths = [Death(100.0 + (HUNG_S + 60.0) * number, 0.0, HUNG_S) for number in range(9)]
    assert wait_s(deaths, deaths[-1].at_s, LIMITS) == 0.0


def test_what_hung_after_it_had_settled_and_died_is_the_second_of_its_row() -> None:
    assert wait_s([Death(100.0, 30.0), Death(130.0, 0.0, HUNG_S)], 130.0, LIMITS) == 0.5

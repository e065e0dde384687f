from __future__ import annotations

import pytest

from app.restarts import RestartLimits, wait_s

LIMITS = RestartLimits(most=4, within_s=60.0, first_wait_s=0.5, longest_wait_s=1.5)


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
    assert wait_s(deaths_at_s, now_s, LIMITS) == wait

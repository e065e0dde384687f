"""What becomes of each packet, by seed, number and time alone."""

from __future__ import annotations

from itertools import pairwise

import pytest

from lab.chaos.impairment import CLEAR, DARK, RESEND_S, ROUGH, Conditions, datagram, segment

PACKETS = 4_000
EVERY_S = 0.02


def arrivals(conditions: Conditions, seed: int = 1) -> list[float | None]:
    """One packet each 20 ms: when it arrives, counted from when it was sent."""
    found: list[float | None] = []
    last_s = float("-inf")
    for number in range(PACKETS):
        at_s = datagram(conditions, seed, number, number * EVERY_S, last_s)
        last_s = last_s if at_s is None else at_s
        found.append(None if at_s is None else at_s - number * EVERY_S)
    return found


@pytest.mark.parametrize("loss", [0.01, 0.05, 0.1])
def test_as_many_are_lost_as_was_asked_for(loss: float) -> None:
    lost = arrivals(Conditions(loss=loss)).count(None)
    assert lost == pytest.approx(loss * PACKETS, rel=0.25)


def test_the_same_seed_does_the_same_and_another_something_else() -> None:
    assert arrivals(ROUGH) == arrivals(ROUGH)
    assert arrivals(ROUGH) != arrivals(ROUGH, seed=2)


@pytest.mark.parametrize("jitter_s", [0.05, 0.1])
def test_no_packet_is_late_by_more_than_delay_and_jitter(jitter_s: float) -> None:
    took_s = [each for each in arrivals(Conditions(delay_s=0.15, jitter_s=jitter_s)) if each is not None]
    assert min(took_s) >= 0.15
    assert max(took_s) <= 0.15 + jitter_s + 0.001
    assert max(took_s) - min(took_s) > 0.6 * jitter_s


def test_none_overtakes_unless_it_may() -> None:
    def order(conditions: Conditions) -> list[float]:
        took_s = enumerate(arrivals(conditions))
        return [number * EVERY_S + each for number, each in took_s if each is not None]

    assert all(a < b for a, b in pairwise(order(Conditions(delay_s=0.15, jitter_s=0.1))))
    assert any(a > b for a, b in pairwise(order(Conditions(delay_s=0.15, jitter_s=0.1, reorder=True))))


def test_clear_weather_delays_nothing_and_darkness_lets_nothing_through() -> None:
    assert datagram(CLEAR, 1, 0, 5.0) == 5.0
    assert set(arrivals(DARK)) == {None}


def test_a_stream_loses_nothing_but_time_and_keeps_its_order() -> None:
    conditions, last_s, late = Conditions(loss=0.1, delay_s=0.15), float("-inf"), 0
    for number in range(PACKETS):
        at_s = segment(conditions, 1, number, number * EVERY_S, last_s)
        assert at_s is not None
        assert at_s > last_s
        late += at_s - number * EVERY_S >= RESEND_S + 2 * 0.15
        last_s = at_s
    assert late > 0.09 * PACKETS


def test_a_stream_waits_in_darkness() -> None:
    assert segment(DARK, 1, 0, 5.0) is None


def test_conditions_that_make_no_sense_are_refused() -> None:
    for loss, delay_s, jitter_s in ((1.5, 0.0, 0.0), (-0.1, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)):
        with pytest.raises(ValueError, match="from 0 to 1"):
            Conditions(loss=loss, delay_s=delay_s, jitter_s=jitter_s)

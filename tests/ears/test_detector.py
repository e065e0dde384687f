"""The detector's decisions, and that no sequence of probabilities breaks the order of events."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from realtime.ears import EARS_RATE_HZ, WINDOW, EarsConfig
from realtime.ears.detector import (
    Began,
    Change,
    DetectorState,
    EndedTurn,
    Paused,
    TurnPhase,
    WentOn,
    flush,
    hear,
)
from realtime.ears.testing import Hear
from tests.ears.scenes import scene
from tts_queue.virtual_time import runner

CONFIG = EarsConfig()
WINDOW_S = WINDOW / EARS_RATE_HZ
MAY_FOLLOW = {
    "VoiceBegan": {"VoicePaused", "TurnEnded"},
    "VoicePaused": {"EagerTurn", "TurnResumed", "TurnEnded"},
    "EagerTurn": {"EagerTurn", "TurnResumed", "TurnEnded"},  # again with what the turn before adds
    "TurnResumed": {"VoicePaused", "TurnEnded"},
    "TurnEnded": set[str](),
}
runs = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.32, 0.4, 1.0]), st.integers(1, 30)), min_size=1, max_size=30
)


def changes(probabilities: list[float]) -> list[tuple[int, Change]]:
    """Return each change with the number of windows that were over when it was told."""
    now, out = DetectorState(), list[tuple[int, Change]]()
    for number, probability in enumerate(probabilities):
        now, change = hear(now, probability, number * WINDOW_S, CONFIG)
        if change is not None:
            out.append((number + 1, change))
    return out


def test_one_window_over_the_threshold_begins_a_turn_and_one_below_does_not() -> None:
    assert changes([0.1, 0.34, 0.34]) == []
    assert changes([0.1, 0.36]) == [(2, Began(WINDOW_S))]


def test_a_voice_stays_on_less_than_it_takes_to_begin() -> None:
    found = changes([0.9] * 4 + [0.31] * 20)
    assert [type(change) for _, change in found] == [Began]


def test_a_pause_is_told_after_four_silent_windows_and_the_end_after_nineteen() -> None:
    found = changes([0.9] * 10 + [0.0] * 20)
    assert found[1:] == [(14, Paused(9 * WINDOW_S + WINDOW_S)), (29, EndedTurn("silence", noise=False))]


def test_in_a_longer_turn_a_pause_is_told_after_eight() -> None:
    assert changes([0.9] * 40 + [0.0] * 10)[1][0] == 48


def test_a_window_of_voice_in_the_pause_brings_the_turn_back() -> None:
    found = changes([0.9] * 10 + [0.0] * 6 + [0.4] + [0.0] * 3)
    assert [type(change) for _, change in found] == [Began, Paused, WentOn]
    assert found[2] == (17, WentOn(16 * WINDOW_S))


def test_three_voiced_windows_are_a_noise_and_four_may_be_a_word() -> None:
    assert changes([0.9] * 3 + [0.0] * 5)[1:] == [(7, EndedTurn("silence", noise=True))]
    assert changes([0.9] * 4 + [0.0] * 5)[1:] == [(8, Paused(3 * WINDOW_S + WINDOW_S))]


def test_a_flush_ends_what_is_under_way_and_nothing_else() -> None:
    assert flush(DetectorState(), "track_ended", CONFIG) == (DetectorState(), None)
    now, _ = hear(DetectorState(), 0.9, 0.0, CONFIG)
    after, ended = flush(now, "track_ended", CONFIG)
    assert after.phase is TurnPhase.QUIET
    assert ended == EndedTurn("track_ended", noise=True)


@given(runs)
def test_changes_come_in_the_order_of_the_table(found: list[tuple[float, int]]) -> None:
    kinds = [type(change) for _, change in changes([p for p, count in found for _ in range(count)])]
    follow: dict[type, set[type]] = {
        Began: {Paused, EndedTurn},
        Paused: {WentOn, EndedTurn},
        WentOn: {Paused, EndedTurn},
        EndedTurn: {Began},
    }
    assert not kinds or kinds[0] is Began
    assert all(after in follow[before] for before, after in pairwise(kinds))


@settings(max_examples=60, deadline=None)
@example(  # a turn that follows close is heard alone, and as one with the turn before
    [(0.4, 4), (0.0, 19), (0.4, 4), (0.0, 4)], [Hear("x", takes_s=0.05)] * 100
)
@given(
    runs,
    st.lists(
        st.builds(Hear, st.just("x"), takes_s=st.sampled_from([0.05, 0.3, 1.0]), hangs=st.booleans()),
        min_size=100,
        max_size=100,
    ),
)
def test_no_sound_and_no_recogniser_breaks_the_order_of_events(
    found: list[tuple[float, int]], script: list[Hear]
) -> None:
    async def fed() -> list[tuple[str, int]]:
        made = scene(*script)
        running = asyncio.create_task(made.ears.run())
        for probability, count in found:
            made.ears.feed(np.full(count * WINDOW, round(probability * 10_000), np.int16))
            await asyncio.sleep(count * WINDOW_S)
        made.ears.track_ended()
        await asyncio.sleep(10.0)
        running.cancel()
        await asyncio.wait({running})
        assert running.cancelled()
        return [(type(event).__name__, event.turn) for event in made.events if hasattr(event, "turn")]

    with runner() as virtual:
        events = virtual.run(fed())
    turns = sorted({turn for _, turn in events})
    assert turns == list(range(1, len(turns) + 1))
    assert [turn for kind, turn in events if kind == "VoiceBegan"] == turns
    assert [turn for kind, turn in events if kind == "TurnEnded"] == turns
    for turn in turns:
        mine = [kind for kind, its in events if its == turn]
        assert all(after in MAY_FOLLOW[before] for before, after in pairwise(mine))

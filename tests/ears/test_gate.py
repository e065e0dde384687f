"""A detector that is asked only while something may have begun."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from realtime.ears import WINDOW
from realtime.ears.gate import CALM_S, CAUGHT_UP, CAUGHT_UP_SILENT, GatedVad
from realtime.ears.model import WINDOW_S

Sound = NDArray[np.int16]
CALM = round(CALM_S / WINDOW_S) + 1


class Loud:
    """A detector that hears a voice in what is loud, and keeps what it was given."""

    def __init__(self) -> None:
        self.windows: list[Sound] = []
        self.resets = 0

    def probability(self, window: Sound) -> float:
        self.windows.append(window)
        return 0.9 if int(window.max()) > 1000 else 0.01

    def reset(self) -> None:
        self.resets += 1


def at(level: int, seed: int = 0) -> Sound:
    return np.asarray(np.random.default_rng(seed).normal(size=WINDOW) * level, np.int16)


def after(vad: GatedVad, window: Sound, count: int) -> float:
    probability = 1.0
    for _ in range(count):
        probability = vad.probability(window)
    return probability


def test_in_an_even_sound_it_is_asked_for_a_while_and_then_no_more() -> None:
    for level in (0, 20, 200):
        loud = Loud()
        vad = GatedVad(loud)
        assert after(vad, at(level), 10 * CALM) == (0.01 if level > 1000 else 0.0)
        assert len(loud.windows) == CALM
        assert (vad.heard, vad.passed_over) == (CALM, 9 * CALM)


def test_what_rises_is_heard_at_once_with_what_was_just_before_it() -> None:
    loud = Loud()
    vad = GatedVad(loud)
    after(vad, at(20), 3 * CALM)
    assert vad.probability(at(2000)) == 0.9
    assert len(loud.windows) == CALM + CAUGHT_UP + 1
    assert vad.probability(at(20)) == 0.01, "and for a while what follows"


def test_of_digital_silence_less_is_heard_before_what_rises() -> None:
    loud = Loud()
    vad = GatedVad(loud)
    after(vad, at(0), 3 * CALM)
    assert vad.probability(at(2000)) == 0.9
    assert len(loud.windows) == CALM + CAUGHT_UP_SILENT + 1


def test_a_sound_that_became_louder_for_good_is_passed_over_once_it_is_old() -> None:
    loud = Loud()
    vad = GatedVad(loud)
    after(vad, at(20), 3 * CALM)
    assert after(vad, at(200), 20 * CALM) == 0.0


def test_a_voice_is_heard_to_its_end_and_in_each_of_its_pauses() -> None:
    loud = Loud()
    vad = GatedVad(loud)
    after(vad, at(20), 3 * CALM)
    vad.probability(at(2000))
    assert after(vad, at(20), CALM - 2) == 0.01
    assert after(vad, at(20), 10) == 0.0


def test_a_new_track_begins_anew() -> None:
    loud = Loud()
    vad = GatedVad(loud)
    after(vad, at(20), 3 * CALM)
    vad.reset()
    assert loud.resets == 1
    assert vad.probability(at(20)) == 0.01

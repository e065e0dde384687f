"""Whether our voice is in the microphone: a headset's is passed on as it is, a loudspeaker's never."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from realtime.ears.echo_canceller import FRAME, EchoCanceller
from realtime.ears.leak import CLEAR_S, LOUD_S, NOTHING, REACH_S, Leak
from realtime.ears.model import EARS_RATE_HZ
from tests.ears.test_echo_canceller import Paired, Sound

BLOCK_S = 0.02
NOISE = 30.0**2  # -61 dBFS
LOUD = 100 * NOISE


def hear(leak: Leak, power: float, lasts_s: float, *, ours: bool = True) -> bool:
    """Let a level last; return whether the microphone may leak then."""
    for _ in range(round(lasts_s / BLOCK_S)):
        leak.hear(ours=ours, power=power, length_s=BLOCK_S)
    return leak.leaks


def shown(power: float = NOISE) -> Leak:
    """A microphone that was shown to have nothing of ours in it."""
    leak = Leak()
    assert hear(leak, power, CLEAR_S - BLOCK_S)
    assert not hear(leak, power, 2 * BLOCK_S)
    return leak


@pytest.mark.parametrize("power", [0.0, NOTHING / 2, NOISE, LOUD])
def test_a_level_that_stays_while_we_speak_has_no_speech_in_it(power: float) -> None:
    shown(power)


def test_a_level_that_moves_is_never_taken_for_none() -> None:
    leak = Leak()
    for _ in range(100):
        assert hear(leak, NOISE, 0.3)
        assert hear(leak, 5 * NOISE, 0.1)


def test_a_level_that_moves_below_what_is_heard_is_none() -> None:
    leak = Leak()
    for _ in range(20):
        hear(leak, NOTHING, 0.1)
        hear(leak, 0.0, 0.1)
    assert not leak.leaks


def test_while_we_are_silent_nothing_is_learnt() -> None:
    leak = Leak()
    assert hear(leak, NOISE, 60.0, ours=False)
    leak = shown()
    hear(leak, NOISE, REACH_S, ours=False)
    assert not hear(leak, LOUD, 60.0, ours=False), "a clinician who talks while we are silent"


def test_a_word_to_us_is_no_leak_and_sound_that_goes_on_with_ours_is() -> None:
    leak = shown()
    for _ in range(5):
        assert not hear(leak, LOUD, 0.4), "mm-hm"
        assert not hear(leak, NOISE, 4.0)
    assert hear(leak, LOUD, LOUD_S)
    for _ in range(10):
        assert hear(leak, NOISE, 0.3)
        assert hear(leak, LOUD, 0.3)
    assert not hear(leak, NOISE, 2 * CLEAR_S), "and the headset is on again"


def turns(theirs: Sound, lasts_s: float) -> Iterator[tuple[Sound, Sound]]:
    """Our voice, and what the microphone gives meanwhile, by 20 ms."""
    ours = np.resize(np.array([2000, -2000], np.int16), 2 * FRAME)
    for _ in range(round(lasts_s / BLOCK_S)):
        yield ours, theirs


def test_what_was_shown_to_have_no_echo_is_passed_on_sample_for_sample() -> None:
    processing = Paired()
    canceller = EchoCanceller(processing, EARS_RATE_HZ)
    silence, loud = np.zeros(2 * FRAME, np.int16), np.full(2 * FRAME, 3000, np.int16)

    def through(theirs: Sound, lasts_s: float) -> Sound:
        heard = silence
        for ours, microphone in turns(theirs, lasts_s):
            canceller.said(ours)
            heard = canceller.clean(microphone)
        return heard

    through(silence, CLEAR_S + 0.1)
    calls = processing.calls
    assert through(loud, LOUD_S / 2).tolist() == loud.tolist()
    assert processing.calls == calls
    assert through(loud, LOUD_S).tolist() != loud.tolist(), "an echo that comes later is taken out"

"""Sound that rises is told at once, and not again and again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from realtime.ears import EARS_RATE_HZ
from realtime.ears.rise import REST_S, AlertEars, Rises

Sound = NDArray[np.int16]
PIECE = EARS_RATE_HZ // 50


def noise(dbfs: float, seconds: float, seed: int = 0) -> Sound:
    count = round(seconds * EARS_RATE_HZ)
    return np.asarray(np.random.default_rng(seed).normal(size=count) * 10 ** (dbfs / 20) * 32768, np.int16)


def rises(*sounds: Sound, piece: int = PIECE) -> list[float]:
    """Return when rises are told, in seconds from the start."""
    watching, pcm = Rises(), np.concatenate(sounds)
    return [
        (at + piece) / EARS_RATE_HZ
        for at in range(0, len(pcm) - piece + 1, piece)
        if watching.hear(pcm[at : at + piece])
    ]


def test_what_rises_is_told_with_the_piece_in_which_it_does() -> None:
    assert rises(noise(-62, 1.0), noise(-30, 0.3)) == [1.02]
    assert rises(noise(-62, 1.0), noise(-30, 0.3), piece=2 * PIECE) == [1.04]


def test_an_even_sound_however_loud_and_a_faint_one_rise_never() -> None:
    assert rises(noise(-20, 3.0)) == []
    assert rises(noise(-90, 1.0), noise(-56, 1.0)) == []
    assert rises(noise(-40, 1.0), noise(-33, 1.0)) == []


def test_after_one_rise_another_waits_for_a_while() -> None:
    beat = (noise(-62, 0.34), noise(-25, 0.06))
    found = rises(noise(-62, 0.5), *beat * 20)
    assert len(found) == 10
    assert min(np.diff(found)) >= REST_S - 1e-6


def test_digital_silence_before_it_is_no_matter() -> None:
    assert rises(np.zeros(EARS_RATE_HZ, np.int16), noise(-30, 0.2)) == [1.02]


class Fed:
    """Ears that keep what they are given."""

    silent_s = 0.0

    def __init__(self) -> None:
        self.pcm: list[Sound] = []
        self.ended = 0

    def feed(self, pcm: Sound) -> None:
        self.pcm.append(pcm)

    def track_ended(self) -> None:
        self.ended += 1

    async def run(self) -> None:
        return


def test_the_ears_get_all_of_it_and_a_new_track_begins_anew() -> None:
    fed, told = Fed(), list[int]()
    alert = AlertEars(fed, lambda: told.append(len(fed.pcm)))
    for piece in (noise(-62, 0.02), noise(-30, 0.02), noise(-30, 0.02), np.zeros(0, np.int16)):
        alert.feed(piece)
    assert told == [1], "before the ears hear it"
    assert [piece.size for piece in fed.pcm] == [PIECE, PIECE, PIECE, 0]
    alert.track_ended()
    alert.feed(noise(-20, 0.02))
    assert (told, fed.ended) == ([1], 1)

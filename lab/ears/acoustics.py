"""A room's echoes and our own voice in it, by synthetic impulse responses: seeded, so that all is the same again."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from lab.ears.voices import RATE_HZ, Sound, at_level, loudest, to_int16

REVERBERATION_S: Final = 0.5  # until it has died away by 60 dB: a ward's or an office's
DIRECT_DB: Final = 3.0  # by which what comes straight from the mouth is stronger than all echoes
_FIRST_S: Final = 0.003  # no wall is nearer

Response = NDArray[np.float64]


def response(seed: int, dies_s: float = REVERBERATION_S, direct_db: float = DIRECT_DB) -> Response:
    """Return a room's impulse response: the direct sound, then noise that dies away (Polack's model)."""
    rng = np.random.default_rng(seed)
    count = round(dies_s * RATE_HZ)
    tail = rng.normal(size=count) * 10 ** (-3 * np.arange(count) / count)
    tail[: round(_FIRST_S * RATE_HZ)] = 0.0
    whole = tail * 10 ** (-direct_db / 20) / np.sqrt((tail**2).sum())
    whole[0] = 1.0
    return np.asarray(whole / np.sqrt((whole**2).sum()))


def in_room(sound: Sound, room: Response) -> Sound:
    """Return the sound as a microphone in that room hears it, as loud as before and with its last echoes."""
    heard = to_int16(_convolved(sound, room))
    return at_level(heard, 20 * np.log10(loudest(sound) / 32768))


def leaked(ours: Sound, room: Response, *, delay_s: float, dbfs: float) -> NDArray[np.float64]:
    """Return what a microphone hears of a voice that comes out of a loudspeaker so much later."""
    heard = _convolved(ours, room)
    heard = np.concatenate([np.zeros(round(delay_s * RATE_HZ)), heard])[: len(ours)]
    return np.asarray(heard * 10 ** (dbfs / 20) * 32768 / loudest(to_int16(heard)))


def _convolved(sound: Sound, room: Response) -> NDArray[np.float64]:
    count = len(sound) + len(room) - 1
    return np.asarray(np.fft.irfft(np.fft.rfft(sound, count) * np.fft.rfft(room, count), count))

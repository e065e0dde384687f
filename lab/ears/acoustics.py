"""A room's echoes and our own voice in it, by synthetic impulse responses: seeded, so that all is the same again."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from lab.ears.voices import RATE_HZ, Sound, Speakers, at_level, loudest, to_int16
from realtime.ears.echo_canceller import FRAME, EchoCanceller
from realtime.ears.webrtc import WebRtcProcessing

REVERBERATION_S: Final = 0.5  # until it has died away by 60 dB: a ward's or an office's
DIRECT_DB: Final = 3.0  # by which what comes straight from the mouth is stronger than all echoes
_FIRST_S: Final = 0.003  # no wall is nearer

SAID: Final = (
    "The potassium is six point eight, and the ECG shows peaked T waves.",
    "Give calcium gluconate now, and repeat the sample within the hour.",
    "The nephrologist thinks the kidney injury is from the contrast given two days ago.",
    "The cardiologist disagrees, because the troponin has been flat since admission.",
    "There is no evidence of pulmonary embolism on the scan.",
    "The creatinine has risen from ninety to two hundred and forty in three days.",
    "They agree that metformin should be stopped and fluids given slowly.",
    "An ultrasound of the kidneys is the next step, to look for obstruction.",
)
OURS_DBFS: Final = -22.0
OURS: Final = {"engine": "piper", "speaker": 1.0, "speed": 1.0}

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


def our_voice(speakers: Speakers) -> Sound:
    """Return half a minute of our own speech, at the level of the clinician's."""
    pause = np.zeros(round(0.35 * RATE_HZ), np.int16)
    said = [part for text in SAID for part in (speakers.say(text, OURS), pause)]
    return at_level(np.concatenate(said), OURS_DBFS)


def cancelled(microphone: Sound, ours: Sound) -> Sound:
    """Return the microphone's sound after the echo canceller, which was told of ours as it was sent."""
    canceller, parts = EchoCanceller(WebRtcProcessing(RATE_HZ), RATE_HZ), list[Sound]()
    for at in range(0, len(microphone), FRAME):
        canceller.said(ours[at : at + FRAME])
        parts.append(canceller.clean(microphone[at : at + FRAME]))
    return np.concatenate(parts)


def _convolved(sound: Sound, room: Response) -> NDArray[np.float64]:
    count = len(sound) + len(room) - 1
    return np.asarray(np.fft.irfft(np.fft.rfft(sound, count) * np.fft.rfft(room, count), count))

"""Words of the clinician: our one synthetic voice, made into several people's by pitch and pace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import soxr
from numpy.typing import NDArray

from tts_queue.engines.socket_voice import SocketVoice
from tts_queue.model import SAMPLE_RATE_HZ, Pcm, Prosody

Wave: TypeAlias = NDArray[np.float32]

_WINDOW: Final = 2 * round(0.012 * SAMPLE_RATE_HZ)  # two periods of a low voice
_SEARCH: Final = round(0.008 * SAMPLE_RATE_HZ)  # one period: far enough to meet the wave in phase
SEMITONES_RANGE: Final = (-6.0, 8.0)  # beyond, no person sounds so
RATE_RANGE: Final = (0.6, 1.7)


@dataclass(frozen=True, slots=True)
class Speaker:
    """How a clinician differs from the voice: pitch and vocal tract by semitones, pace by a factor."""

    semitones: float = 0.0
    rate: float = 1.0


SPEAKERS: Final = (Speaker(), Speaker(3.0, 1.1), Speaker(-2.5, 0.95), Speaker(5.0, 1.0))
"""The voice itself, a lighter and quicker one, a deeper and slower one, a high one."""


async def phrases(
    socket_path: Path, texts: Iterable[str], who: Speaker = SPEAKERS[1], *, deadline_s: float = 15.0
) -> dict[str, Pcm]:
    """Return each text as `who` says it: 48 kHz mono, one after the other, by the engines on a socket.

    `deadline_s` is that of each text. Raises: VoiceUnavailable.
    """
    said: dict[str, Pcm] = {}
    async with SocketVoice(socket_path, deadline_s) as voice:
        for text in dict.fromkeys(texts):
            clip = await voice.synthesise(text, Prosody())
            said[text] = speaker(clip.pcm, who.semitones, who.rate)
    return said


def speaker(pcm: Pcm, semitones: float = 0.0, rate: float = 1.0) -> Pcm:
    """Return speech of 48 kHz mono as of another person: higher by `semitones`, quicker by `rate`.

    Resampling moves pitch and formants together, as a shorter vocal tract would; a stretch before it
    keeps the pace apart from the pitch. Raises: ValueError: outside of what a person can be.
    """
    (low, high), (slow, quick) = SEMITONES_RANGE, RATE_RANGE
    if not (low <= semitones <= high and slow <= rate <= quick):
        raise ValueError("no person speaks so: semitones or rate out of range")
    ratio = 2 ** (semitones / 12)
    wave = _stretched(pcm.astype(np.float32) / 32768.0, ratio / rate)
    if ratio != 1.0:
        wave = soxr.resample(wave, SAMPLE_RATE_HZ * ratio, SAMPLE_RATE_HZ)
    return np.asarray(np.clip(np.round(wave * 32767.0), -32768, 32767), dtype=np.int16)


def _stretched(wave: Wave, factor: float) -> Wave:
    """Return `wave` `factor` times as long at the same pitch.

    Windows are laid down at an even pace; each is taken from near its place in the original, where it
    fits best on what follows the one before.
    """
    hop = _WINDOW // 2
    if factor == 1.0 or len(wave) <= 2 * _WINDOW:
        return wave
    padded = np.pad(wave, (_SEARCH, _SEARCH + 2 * _WINDOW))
    window = np.hanning(_WINDOW + 1)[:-1].astype(np.float32)
    length = round(len(wave) * factor)
    out = np.zeros(length + 2 * _WINDOW, np.float32)
    taken = _SEARCH
    for at in range(0, length, hop):
        near = _SEARCH + min(round(at / factor), len(wave))
        if at:
            follows = padded[taken + hop : taken + hop + _WINDOW]
            taken = near - _SEARCH + _best_fit(follows, padded[near - _SEARCH : near + _SEARCH + _WINDOW])
        out[at : at + _WINDOW] += window * padded[taken : taken + _WINDOW]
    out[:hop] /= np.maximum(window[:hop], 0.05)
    return out[:length]


def _best_fit(follows: Wave, field: Wave) -> int:
    """Return where in `field` the wave is most like `follows`."""
    return int(np.argmax(np.correlate(field, follows, mode="valid")))

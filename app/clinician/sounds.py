"""Synthesise the sounds of people in a ward other than speech: hums, coughs, claps.

Everything is 48 kHz mono int16, and the same call gives the same samples. Voiced sounds are sums of
harmonics under a contour of pitch, weighted by the resonances of a vocal tract; breath and bursts are
shaped noise. Formant frequencies and bandwidths are those of textbook vowels and nasals (male /a/: 730,
1090, 2440 Hz; a nasal murmur: 250 Hz, with a zero where the closed mouth takes the sound away). A
listener takes them for a person's; they are no recording of anyone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tts_queue.model import SAMPLE_RATE_HZ, Pcm

Wave: TypeAlias = NDArray[np.float64]
Knots: TypeAlias = Sequence[tuple[float, float]]
"""Points of a contour: a part of the whole length (0 to 1), and the value there."""

VOICE_DBFS: Final = -23.0  # RMS of a hum or vowel at its loud part: conversational speech near a microphone
BURST_PEAK_DBFS: Final = -5.0  # a cough, a clap: the loudest that a headset gives without clipping
_TOP_HZ: Final = 5_000.0  # no harmonic above: voiced sounds have little there
_JITTER: Final = 0.006  # of the pitch, slow and random: without it a hum is an organ's
_SHIMMER: Final = 0.06  # of the loudness


@dataclass(frozen=True, slots=True)
class Tract:
    """Resonances of a vocal tract, and zeros: frequency and bandwidth, both in Hz."""

    poles: tuple[tuple[float, float], ...]
    zeros: tuple[tuple[float, float], ...] = ()

    def gain(self, hz: Wave) -> Wave:
        """Return how much of a frequency passes; 1 far below the first resonance."""
        product = np.ones_like(hz)
        for centre, width in self.poles:
            product *= _resonance(hz, centre, width)
        for centre, width in self.zeros:
            product /= _resonance(hz, centre, width)
        return product


NASAL: Final = Tract(((250, 70), (1050, 160), (2200, 220)), zeros=((780, 140),))
SCHWA: Final = Tract(((600, 90), (1180, 110), (2450, 170), (3300, 220)))
OPEN: Final = Tract(((730, 100), (1090, 110), (2440, 170), (3400, 250)))


@dataclass(frozen=True, slots=True)
class Hum:
    """One way to hum in two syllables: pitch at its start, how far it goes, how long it lasts."""

    pitch_hz: float
    rise_semitones: float  # of the second syllable; below 0 it falls
    seconds: float
    break_at: float = 0.45  # of the length: where the breath between the syllables lies


HUMS: Final = (
    Hum(118, 4, 0.50),
    Hum(104, -2, 0.42, 0.48),
    Hum(205, 5, 0.55),
    Hum(186, -3, 0.62, 0.42),
    Hum(138, 2, 0.70),
    Hum(228, 3, 0.46, 0.50),
)
"""Three lower and three higher voices, quick and slow, rising (agreed) and falling (noted)."""


def mm_hm(variant: int = 0) -> Pcm:
    """Return a hum with the mouth closed, 0.4–0.7 s; `variant` chooses one of `HUMS`."""
    return _two_syllables(HUMS[variant % len(HUMS)], NASAL, breath_db=-16, seed=100 + variant)


def uh_huh(variant: int = 0) -> Pcm:
    """Return a hum with the mouth open, 0.4–0.7 s; `variant` chooses one of `HUMS`."""
    return _two_syllables(HUMS[variant % len(HUMS)], SCHWA, breath_db=-10, seed=200 + variant)


def ahh(seconds: float = 0.8, *, pitch_hz: float = 122.0, seed: int = 0) -> Pcm:
    """Return a held open vowel whose pitch sinks a little, as when somebody thinks aloud."""
    pitch = ((0.0, 0.97), (0.15, 1.0), (1.0, 0.88))
    edge, fade = 0.05 / seconds, 0.14 / seconds
    loud = ((0.0, 0.0), (edge, 1.0), (1.0 - fade, 0.75), (1.0, 0.0))
    wave = _voiced(OPEN, seconds, pitch_hz, pitch, loud, np.random.default_rng(300 + seed))
    return _at_rms(wave, VOICE_DBFS)


def cough(seconds: float = 0.25, *, seed: int = 0) -> Pcm:
    """Return one cough: a burst of air over all frequencies, then, if there is time, its voiced tail."""
    rng = np.random.default_rng(400 + seed)
    length = _samples(seconds)
    at_s = np.arange(length) / SAMPLE_RATE_HZ
    burst = _noise(length, rng, lambda hz: Tract(((900, 900), (2600, 1400))).gain(hz) + 0.25)
    burst *= np.minimum(at_s / 0.004, 1.0) * np.exp(-at_s / 0.035)
    tail = _noise(length, rng, lambda hz: Tract(((1400, 900), (3200, 1500))).gain(hz) + 0.1)
    tail *= np.clip((at_s - 0.03) / 0.03, 0.0, 1.0) * np.exp(-at_s / (0.4 * seconds))
    growl = _voiced(SCHWA, seconds, 150.0, ((0, 1.1), (1, 0.7)), ((0, 0), (0.4, 1), (1, 0)), rng)
    wave = burst / _rms(burst) + 0.35 * tail / _rms(tail) + 0.25 * growl / _rms(growl)
    return _at_peak(_faded(wave, 0.02), BURST_PEAK_DBFS)


def throat(seconds: float = 0.45, *, seed: int = 0) -> Pcm:
    """Return a throat being cleared: rough breath in two pushes, with the cords rattling under it."""
    rng = np.random.default_rng(500 + seed)
    length = _samples(seconds)
    at = np.linspace(0.0, 1.0, length)
    pushes = np.interp(at, (0, 0.08, 0.35, 0.45, 0.55, 0.85, 1), (0, 1, 0.5, 0.1, 0.9, 0.5, 0))
    rattle = 0.55 + 0.45 * np.sign(np.sin(2 * np.pi * 34.0 * seconds * at))
    breath = _noise(length, rng, Tract(((450, 300), (1500, 700))).gain) * pushes * rattle
    cords = _voiced(SCHWA, seconds, 92.0, ((0, 1), (1, 0.85)), ((0, 0), (0.1, 1), (0.9, 1), (1, 0)), rng)
    wave = breath / _rms(breath) + 0.6 * cords * pushes / _rms(cords)
    return _at_rms(_faded(wave, 0.02), VOICE_DBFS)


def laugh(*, pitch_hz: float = 190.0, seed: int = 0) -> Pcm:
    """Return a short laugh of five syllables that sink and weaken, about 0.9 s."""
    rng = np.random.default_rng(600 + seed)
    pieces: list[Wave] = []
    for number in range(5):
        breath = _noise(_samples(0.07), rng, OPEN.gain)
        breath *= np.hanning(len(breath)) / _rms(breath)
        loud = ((0.0, 0.0), (0.2, 1.0), (0.7, 0.8), (1.0, 0.0))
        vowel = _voiced(OPEN, 0.11, pitch_hz * 0.94**number, ((0, 1.06), (1, 0.95)), loud, rng)
        pieces += [0.3 * 0.85**number * breath, 0.85**number * vowel / _rms(vowel)]
    return _at_rms(np.concatenate(pieces), VOICE_DBFS)


def clap(*, seed: int = 0) -> Pcm:
    """Return two hands clapped once in a small room: a click, then 0.15 s of its echoes."""
    rng = np.random.default_rng(700 + seed)
    at_s = np.arange(_samples(0.15)) / SAMPLE_RATE_HZ
    click = _noise(len(at_s), rng, lambda hz: Tract(((1200, 800),)).gain(hz) + 0.2)
    wave = click * np.minimum(at_s / 0.0005, 1.0) * (np.exp(-at_s / 0.004) + 0.08 * np.exp(-at_s / 0.04))
    return _at_peak(_faded(wave, 0.02), BURST_PEAK_DBFS)


def at_level(pcm: Pcm, dbfs: float) -> Pcm:
    """Return a sound whose loud part has this RMS; what would clip stays below full scale."""
    return _at_rms(pcm / 32768.0, dbfs) if pcm.any() else pcm


def loud_rms(pcm: Pcm) -> float:
    """Return the RMS over the frames of 10 ms that are within 25 dB of the loudest: 0 to 32768."""
    frame = SAMPLE_RATE_HZ // 100
    if len(pcm) == 0:
        return 0.0
    padded = np.pad(pcm.astype(np.float64), (0, -len(pcm) % frame)).reshape(-1, frame)
    power = (padded**2).mean(axis=1)
    return float(np.sqrt(power[power >= power.max() * 10 ** (-25 / 10)].mean()))


def _two_syllables(hum: Hum, tract: Tract, breath_db: float, seed: int) -> Pcm:
    rng = np.random.default_rng(seed)
    middle, gap = hum.break_at, 0.035 / hum.seconds
    top = 2 ** (hum.rise_semitones / 12)
    pitch = (
        (0.0, 0.98),
        (0.12, 1.0),
        (middle, 0.93),
        (middle + gap, 0.95),
        (0.85, 0.95 * top),
        (1.0, 0.9 * top),
    )
    rise, fade = 0.045 / hum.seconds, 0.09 / hum.seconds
    loud = (
        (0.0, 0.0), (rise, 0.85), (middle - 2 * gap, 0.7), (middle - gap, 0.06), (middle + gap, 0.06),
        (middle + 2.5 * gap, 1.0), (1.0 - fade, 0.7), (1.0, 0.0),
    )  # fmt: skip
    wave = _voiced(tract, hum.seconds, hum.pitch_hz, pitch, loud, rng)
    breath = _noise(len(wave), rng, lambda hz: tract.gain(hz) / (1.0 + hz / 1500.0))
    where = np.exp(-(((np.linspace(0.0, 1.0, len(wave)) - middle) / gap) ** 2))
    wave += breath / _rms(breath) * where * _rms(wave) * 10 ** (breath_db / 20)
    return _at_rms(wave, VOICE_DBFS)


def _voiced(
    tract: Tract, seconds: float, pitch_hz: float, pitch: Knots, loud: Knots, rng: np.random.Generator
) -> Wave:
    """Return harmonics under a contour of pitch (times `pitch_hz`) and of loudness."""
    length = _samples(seconds)
    at = np.linspace(0.0, 1.0, length)
    hz = pitch_hz * _contour(pitch, at) * (1.0 + _JITTER * _wander(length, rng))
    phase = 2 * np.pi * np.cumsum(hz) / SAMPLE_RATE_HZ
    wave = np.zeros(length)
    for number in range(1, int(_TOP_HZ / hz.max()) + 1):
        source = 1.0 / number  # −12 dB an octave at the cords, +6 dB at the lips
        wave += source * tract.gain(number * hz) * np.sin(number * phase)
    return wave * _contour(loud, at) * (1.0 + _SHIMMER * _wander(length, rng))


def _resonance(hz: Wave, centre: float, width: float) -> Wave:
    return np.asarray(centre**2 / np.sqrt((centre**2 - hz**2) ** 2 + (width * hz) ** 2))


def _contour(knots: Knots, at: Wave) -> Wave:
    where, values = zip(*knots, strict=True)
    return np.asarray(np.interp(at, where, values), dtype=np.float64)


def _wander(length: int, rng: np.random.Generator) -> Wave:
    """Return a slow random walk about zero: a new value every 15 ms, straight lines between."""
    points = max(2, length * 66 // SAMPLE_RATE_HZ)
    walk = np.interp(np.linspace(0, points - 1, length), np.arange(points), rng.standard_normal(points))
    return np.asarray(walk, dtype=np.float64)


def _noise(length: int, rng: np.random.Generator, gain: Callable[[Wave], Wave]) -> Wave:
    hz = np.asarray(np.fft.rfftfreq(length, 1 / SAMPLE_RATE_HZ), dtype=np.float64)
    shaped = np.fft.irfft(np.fft.rfft(rng.standard_normal(length)) * gain(hz), length)
    return np.asarray(shaped, dtype=np.float64)


def _samples(seconds: float) -> int:
    return round(seconds * SAMPLE_RATE_HZ)


def _rms(wave: Wave) -> float:
    return max(float(np.sqrt(np.mean(wave**2))), 1e-12)


def _faded(wave: Wave, seconds: float) -> Wave:
    length = min(len(wave), _samples(seconds))
    wave[len(wave) - length :] *= np.linspace(1.0, 0.0, length)
    return wave


def _at_rms(wave: Wave, dbfs: float) -> Pcm:
    """Scale so that the loud part has this RMS."""
    unit = wave / max(float(np.abs(wave).max()), 1e-12)
    rms = loud_rms(_to_pcm(unit * 0.99)) / 32768.0
    return _to_pcm(unit * (10 ** (dbfs / 20) / rms))


def _at_peak(wave: Wave, dbfs: float) -> Pcm:
    return _to_pcm(wave / float(np.abs(wave).max()) * 10 ** (dbfs / 20))


def _to_pcm(wave: Wave) -> Pcm:
    return np.asarray(np.clip(np.round(wave * 32767.0), -32768, 32767), dtype=np.int16)

"""Sounds to measure the ears with: words by three speakers at six speeds, rooms' noises, and what is no word.

All are 16 kHz mono int16. Made from seeds, so every run hears the same.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import soxr
from numpy.typing import NDArray

from app.clinician import sounds
from tts_queue import SAMPLE_RATE_HZ, Prosody
from tts_queue.engines.piper import PiperVoice

RATE_HZ: Final = 16_000
SPEEDS: Final = (0.7, 0.85, 1.0, 1.1, 1.25, 1.4)
SPEAKERS: Final = (1.0, 0.86, 1.18)  # pitch and formants of the one voice, by resampling
SOUND_FLOOR: Final = 10 ** (-50 / 20) * 32768

Sound = NDArray[np.int16]


@cache
def _voice() -> PiperVoice:
    return PiperVoice(steady=True)


@cache
def spoken(text: str, speed: float = 1.0, speaker: float = 1.0) -> Sound:
    """Return `text` as a speaker says it, its near silence cut: first and last 10 ms frame over -50 dBFS."""
    clip = _voice().say(text, Prosody(rate=speed / speaker))
    return tight(to_int16(soxr.resample(clip.pcm.astype(np.float32), SAMPLE_RATE_HZ * speaker, RATE_HZ)))


def to_int16(sound: NDArray[np.floating]) -> Sound:
    return np.asarray(np.clip(np.rint(sound), -32768, 32767), np.int16)


def tight(pcm: Sound) -> Sound:
    """Cut what is before the first and after the last 10 ms frame over -50 dBFS."""
    frames = pcm[: len(pcm) // 160 * 160].reshape(-1, 160).astype(np.float64)
    loud = np.flatnonzero(np.sqrt((frames**2).mean(axis=1)) > SOUND_FLOOR)
    return pcm[loud[0] * 160 : (loud[-1] + 1) * 160]


def level(pcm: Sound, dbfs: float) -> Sound:
    """Return the sound with its loudest 100 ms at `dbfs` RMS."""
    return to_int16(pcm * (10 ** (dbfs / 20) * 32768 / loudest(pcm)))


def loudest(pcm: Sound) -> float:
    """Return the RMS of the loudest 100 ms."""
    squares = np.convolve(pcm.astype(np.float64) ** 2, np.ones(1600) / 1600, mode="same")
    return float(np.sqrt(squares.max())) + 1e-9


def noise(kind: str, seconds: float, dbfs: float, seed: int = 0) -> Sound:
    """Return `white`, `pink` (of a room's ventilation) or `hum` (50 Hz and its harmonics, and hiss)."""
    rng, count = np.random.default_rng(seed), round(seconds * RATE_HZ)
    sound = rng.normal(size=count)
    if kind == "pink":
        spectrum = np.fft.rfft(sound)
        spectrum /= np.sqrt(np.maximum(np.arange(len(spectrum)), len(spectrum) / 400))
        sound = np.fft.irfft(spectrum, count)
    elif kind == "hum":
        at = np.arange(count) / RATE_HZ
        sound = 0.1 * sound + sum(np.sin(2 * np.pi * 50 * n * at + n) / n for n in range(1, 12))
    return to_int16(sound / sound.std() * 10 ** (dbfs / 20) * 32768)


def mixed(pcm: Sound, background: Sound) -> Sound:
    """Lay a sound over the beginning of a background that is as long or longer."""
    out = background.astype(np.int32)
    out[: len(pcm)] += pcm
    return to_int16(out.astype(np.float64))


def at_snr(
    pcm: Sound, snr_db: float, *, kind: str = "pink", lead_s: float = 0.0, tail_s: float = 0.0
) -> Sound:
    """Return the sound in noise so much fainter than its loudest 100 ms, with noise before and after."""
    dbfs = 20 * np.log10(loudest(pcm) / 32768) - snr_db
    lead, tail = round(lead_s * RATE_HZ), round(tail_s * RATE_HZ)
    count = lead + len(pcm) + tail
    placed = np.concatenate([np.zeros(lead, np.int16), pcm])
    return mixed(placed, noise(kind, count / RATE_HZ, float(dbfs), seed=len(pcm)))


def click(rng: np.random.Generator, dbfs: float = -15.0) -> Sound:
    """A key of a keyboard: a burst of 3 to 12 ms, and a fainter one as it comes up."""
    out = np.zeros(round(rng.uniform(0.06, 0.14) * RATE_HZ))
    for at, gain in ((0, 1.0), (len(out) // 2, 0.4)):
        length = round(rng.uniform(0.003, 0.012) * RATE_HZ)
        burst = rng.normal(size=length * 4) * np.exp(-np.arange(length * 4) / length)
        out[at : at + length * 4] += gain * burst[: len(out) - at]
    return to_int16(out / np.abs(out).max() * 10 ** (dbfs / 20) * 32768 * 1.4)


def typing(seconds: float, seed: int = 0) -> Sound:
    """Someone types, five keys a second, over a faint room."""
    rng = np.random.default_rng(seed)
    out, at_s = noise("pink", seconds, -62, seed).astype(np.float64), 0.2
    while at_s < seconds - 0.3:
        key = click(rng, float(rng.uniform(-30, -12)))
        start = round(at_s * RATE_HZ)
        out[start : start + len(key)] += key
        at_s += rng.exponential(0.2) + 0.04
    return to_int16(out)


def breath(seed: int, lasts_s: float = 0.6) -> Sound:
    """Breath at the microphone."""
    rng, count = np.random.default_rng(seed), round(lasts_s * RATE_HZ)
    spectrum, hz = np.fft.rfft(rng.normal(size=count)), np.fft.rfftfreq(count, 1 / RATE_HZ)
    sound = np.fft.irfft(spectrum / (1 + (hz / rng.uniform(500, 1500)) ** 2), count) * np.hanning(count)
    return level(to_int16(sound / np.abs(sound).max() * 10000), -30)


def thump(seed: int) -> Sound:
    """A hand on the table."""
    rng, count = np.random.default_rng(seed), round(0.25 * RATE_HZ)
    at = np.arange(count) / RATE_HZ
    sound = np.sin(2 * np.pi * rng.uniform(60, 160) * at) * np.exp(-at * rng.uniform(15, 40))
    return level(to_int16(sound * 20000 + rng.normal(size=count) * 300 * np.exp(-at * 60)), -15)


def noises() -> list[tuple[str, Sound]]:
    """Return 40 sounds of people and things that are no word."""
    made = [("cough", at_16k(sounds.cough(0.1 + 0.05 * n, seed=n))) for n in range(8)]
    made += [("throat", at_16k(sounds.throat(0.3 + 0.1 * n, seed=n))) for n in range(4)]
    made += [("laugh", at_16k(sounds.laugh(pitch_hz=150.0 + 40 * n, seed=n))) for n in range(4)]
    made += [("clap", at_16k(sounds.clap(seed=n))) for n in range(4)]
    made += [("ahh", at_16k(sounds.ahh(0.4 + 0.15 * n, pitch_hz=100.0 + 20 * n, seed=n))) for n in range(6)]
    made += [("breath", breath(n, 0.4 + 0.1 * n)) for n in range(4)]
    made += [("thump", thump(n)) for n in range(4)]
    made += [("keys", typing(0.5 + 0.2 * n, n)) for n in range(4)]
    return [*made, ("hiss", noise("pink", 0.6, -25, 1)), ("hiss", noise("white", 0.5, -25, 2))]


def hums() -> list[tuple[str, Sound]]:
    """Return twelve hums of agreement by as many people: closed lips, open lips."""
    closed = [("mm-hm", tight(at_16k(sounds.mm_hm(n)))) for n in range(len(sounds.HUMS))]
    return closed + [("uh-huh", tight(at_16k(sounds.uh_huh(n)))) for n in range(len(sounds.HUMS))]


def at_16k(pcm: Sound) -> Sound:
    """Return sound of 48 kHz at the recogniser's rate."""
    return to_int16(soxr.resample(pcm.astype(np.float32), SAMPLE_RATE_HZ, RATE_HZ))

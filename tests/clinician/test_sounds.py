"""The sounds of a clinician are the same at each call, as loud and as long as they say, and of their kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from app.clinician import sounds
from tts_queue.model import SAMPLE_RATE_HZ, Pcm

EVERY: dict[str, Callable[[], Pcm]] = {
    **{f"mm_hm {n}": lambda n=n: sounds.mm_hm(n) for n in range(len(sounds.HUMS))},  # type: ignore[misc]
    **{f"uh_huh {n}": lambda n=n: sounds.uh_huh(n) for n in range(len(sounds.HUMS))},  # type: ignore[misc]
    "ahh": sounds.ahh,
    "cough": sounds.cough,
    "short cough": lambda: sounds.cough(0.1),
    "throat": sounds.throat,
    "laugh": sounds.laugh,
    "clap": sounds.clap,
}
HUMS = [name for name in EVERY if name.startswith(("mm_hm", "uh_huh"))]


def dbfs(pcm: Pcm) -> float:
    return float(20 * np.log10(sounds.loud_rms(pcm) / 32768))


def seconds(pcm: Pcm) -> float:
    return len(pcm) / SAMPLE_RATE_HZ


def share(pcm: Pcm, low_hz: float, high_hz: float) -> float:
    """The part of a sound's energy between two frequencies."""
    power = np.abs(np.fft.rfft(pcm.astype(float))) ** 2
    hz = np.fft.rfftfreq(len(pcm), 1 / SAMPLE_RATE_HZ)
    return float(power[(hz >= low_hz) & (hz < high_hz)].sum() / power.sum())


def pitch_hz(pcm: Pcm) -> float:
    """The pitch of a voiced stretch, by autocorrelation."""
    wave = pcm.astype(float) - pcm.mean()
    likeness = np.correlate(wave, wave, "full")[len(wave) - 1 :]
    shortest, longest = SAMPLE_RATE_HZ // 400, SAMPLE_RATE_HZ // 70
    return SAMPLE_RATE_HZ / (shortest + int(likeness[shortest:longest].argmax()))


@pytest.mark.parametrize("name", EVERY)
def test_the_same_call_gives_the_same_samples(name: str) -> None:
    first, again = EVERY[name](), EVERY[name]()
    assert first.dtype == np.int16 and first.ndim == 1
    assert np.array_equal(first, again)


@pytest.mark.parametrize("name", EVERY)
def test_nothing_clips(name: str) -> None:
    assert np.abs(EVERY[name]().astype(int)).max() < 32000


@pytest.mark.parametrize("name", [name for name in EVERY if name not in {"machines", "room"}])
def test_a_sound_of_a_person_begins_and_ends_in_silence(name: str) -> None:
    pcm = np.abs(EVERY[name]().astype(int))
    assert pcm[0] < 500 and pcm[-5:].max() < 500


@pytest.mark.parametrize("name", HUMS)
def test_a_hum_lasts_from_0_4_to_0_7_s_at_the_level_of_speech(name: str) -> None:
    pcm = EVERY[name]()
    assert 0.4 <= seconds(pcm) <= 0.7
    assert dbfs(pcm) == pytest.approx(sounds.VOICE_DBFS, abs=1.0)


@pytest.mark.parametrize("name", HUMS)
def test_a_hum_has_its_energy_below_1_khz(name: str) -> None:
    assert share(EVERY[name](), 0, 1000) > (0.99 if name.startswith("mm_hm") else 0.85)


@pytest.mark.parametrize("name", HUMS)
def test_a_hum_has_two_syllables(name: str) -> None:
    pcm = EVERY[name]().astype(float)
    frame = SAMPLE_RATE_HZ // 50
    loud = np.sqrt((pcm[: len(pcm) // frame * frame].reshape(-1, frame) ** 2).mean(axis=1)) > 0.35 * (
        sounds.loud_rms(EVERY[name]())
    )
    assert int((np.diff(loud.astype(int)) == 1).sum()) + int(loud[0]) == 2


def test_hums_differ_in_pitch_as_voices_do_and_some_rise_where_others_fall() -> None:
    firsts = [pitch_hz(sounds.mm_hm(n)[3000:9000]) for n in range(len(sounds.HUMS))]
    assert firsts == pytest.approx([hum.pitch_hz for hum in sounds.HUMS], rel=0.08)
    for number, hum in enumerate(sounds.HUMS):
        pcm = sounds.mm_hm(number)
        last = pitch_hz(pcm[round(0.75 * len(pcm)) : round(0.95 * len(pcm))])
        assert (last > firsts[number]) == (hum.rise_semitones > 1), number


@pytest.mark.parametrize("length_s", [0.1, 0.25, 0.35])
def test_a_cough_is_a_short_burst_over_all_frequencies(length_s: float) -> None:
    pcm = sounds.cough(length_s)
    assert seconds(pcm) == pytest.approx(length_s, abs=0.001)
    assert np.abs(pcm[: SAMPLE_RATE_HZ // 20].astype(int)).max() == np.abs(pcm.astype(int)).max()
    assert min(share(pcm, 0, 1000), share(pcm, 1000, 4000), share(pcm, 4000, 24000)) > 0.15


def test_coughs_of_other_seeds_are_other_coughs() -> None:
    assert not np.array_equal(sounds.cough(seed=1), sounds.cough(seed=2))


def test_ahh_lasts_as_long_as_asked_at_its_pitch() -> None:
    pcm = sounds.ahh(0.8, pitch_hz=160)
    assert seconds(pcm) == pytest.approx(0.8, abs=0.001)
    assert pitch_hz(pcm[8000:16000]) == pytest.approx(155, rel=0.05)


def test_silence_stays_what_it_is() -> None:
    silence = np.zeros(480, np.int16)
    assert sounds.loud_rms(silence) == 0.0 == sounds.loud_rms(silence[:0])
    assert not sounds.at_level(silence, -20.0).any()

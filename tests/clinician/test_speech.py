"""One voice becomes others: pitch and pace move apart. What is asked of the engines comes back by text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.clinician import sounds
from app.clinician.speech import SPEAKERS, Speaker, phrases, speaker
from tests.clinician.test_sounds import pitch_hz, share
from tests.tts_queue import engine_process
from tts_queue.model import SAMPLE_RATE_HZ

VOWEL = sounds.ahh(1.0, pitch_hz=120)


def middle_pitch_hz(semitones: float, rate: float) -> float:
    made = speaker(VOWEL, semitones, rate)
    return pitch_hz(made[len(made) // 3 : 2 * len(made) // 3])


@pytest.mark.parametrize(("semitones", "rate"), [(0, 1.2), (4, 1.0), (-3, 1.0), (3, 1.1), (-2.5, 0.8)])
def test_pitch_follows_the_semitones_and_length_follows_the_rate(semitones: float, rate: float) -> None:
    made = speaker(VOWEL, semitones, rate)
    assert len(made) == pytest.approx(len(VOWEL) / rate, rel=0.01)
    raised = middle_pitch_hz(semitones, rate) / middle_pitch_hz(0, 1)
    assert raised == pytest.approx(2 ** (semitones / 12), rel=0.04)


def test_the_level_stays_when_the_speaker_changes() -> None:
    for who in SPEAKERS:
        level = sounds.loud_rms(speaker(VOWEL, who.semitones, who.rate)) / sounds.loud_rms(VOWEL)
        assert 20 * abs(np.log10(level)) < 1.5


def test_the_same_speaker_says_the_same_samples_and_who_changes_nothing_gives_the_sound_back() -> None:
    assert np.array_equal(speaker(VOWEL, 3, 1.1), speaker(VOWEL, 3, 1.1))
    assert np.array_equal(speaker(VOWEL), VOWEL)


def test_a_sound_of_a_few_samples_passes() -> None:
    assert len(speaker(VOWEL[:100], 3, 1.1)) < 200
    assert len(speaker(VOWEL[:0], 3, 1.1)) == 0


@pytest.mark.parametrize(("semitones", "rate"), [(12, 1.0), (-8, 1.0), (0, 3.0), (0, 0.1)])
def test_what_no_person_sounds_like_is_refused(semitones: float, rate: float) -> None:
    with pytest.raises(ValueError, match="out of range"):
        speaker(VOWEL, semitones, rate)


@pytest.mark.real
async def test_phrases_come_by_text_from_the_engines_on_the_socket(tmp_path: Path) -> None:
    socket = tmp_path / "engines.sock"
    async with engine_process.running(socket):
        said = await phrases(socket, ["Stop.", "Why do you think so?", "Stop."], Speaker(2.0, 1.0))
    assert list(said) == ["Stop.", "Why do you think so?"]
    assert len(said["Stop."]) < len(said["Why do you think so?"]) < 3 * SAMPLE_RATE_HZ
    assert share(said["Why do you think so?"], 100, 8000) > 0.9

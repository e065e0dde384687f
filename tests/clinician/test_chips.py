"""The chips that the page plays are small WAV files, and those in the tree are those that are made."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from app.clinician.chips import RATE_HZ, main, write
from app.clinician.sounds import mm_hm

NAMES = ("mm-hm", "stop", "why", "go-on")
SHIPPED = Path(__file__).parents[2] / "web" / "public" / "chips"
MOST_BYTES = 70_000


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_chip_is_24_khz_mono_of_16_bits_small_and_not_silent(name: str) -> None:
    path = SHIPPED / f"{name}.wav"
    assert path.stat().st_size < MOST_BYTES
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE_HZ, 1, 2)
        sound = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(int)
    assert 3000 < np.abs(sound).max() < 32000
    assert 0.3 < len(sound) / RATE_HZ < 1.4
    assert np.abs(sound[:200]).max() < 100 > np.abs(sound[-200:]).max(), "a click at an edge"


def test_a_written_sound_keeps_its_length_but_for_the_silence_around_it(tmp_path: Path) -> None:
    write(tmp_path / "new", {"mm-hm": mm_hm()})
    with wave.open(str(tmp_path / "new" / "mm-hm.wav")) as file:
        assert file.getnframes() / RATE_HZ == pytest.approx(len(mm_hm()) / 48_000 + 0.1, abs=0.001)


def test_the_hum_that_ships_is_the_hum_that_is_made(tmp_path: Path) -> None:
    write(tmp_path, {"mm-hm": mm_hm()})
    with wave.open(str(tmp_path / "mm-hm.wav")) as made, wave.open(str(SHIPPED / "mm-hm.wav")) as shipped:
        pair = [np.frombuffer(file.readframes(-1), "<i2").astype(int) for file in (made, shipped)]
    assert np.abs(pair[0] - pair[1]).max() <= 2  # another processor may round otherwise


def test_a_folder_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "FOLDER" in capsys.readouterr().err

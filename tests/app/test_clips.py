"""The clips that the page plays itself are small WAV files, one for each name that the page knows."""

from __future__ import annotations

import re
import wave

import numpy as np
import pytest

from app.clips import WORDS, main
from tests.conftest import ROOT

SHIPPED = ROOT / "web" / "public" / "clips"
MOST_BYTES = 90_000


@pytest.mark.parametrize("name", WORDS)
def test_a_shipped_clip_is_24_khz_mono_of_16_bits_small_and_not_silent(name: str) -> None:
    path = SHIPPED / f"{name}.wav"
    assert path.stat().st_size < MOST_BYTES
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (24_000, 1, 2)
        sound = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(int)
    assert 2000 < np.abs(sound).max() < 32000
    assert np.abs(sound[:200]).max() < 100 > np.abs(sound[-200:]).max(), "a click at an edge"


def test_the_page_knows_these_clips_and_no_others() -> None:
    source = (ROOT / "web" / "src" / "state" / "silence.ts").read_text(encoding="utf-8")
    (names,) = re.findall(r"export const CLIPS = \[(.*?)\]", source)
    assert re.findall(r'"([\w-]+)"', names) == list(WORDS)
    assert sorted(path.stem for path in SHIPPED.iterdir()) == sorted(WORDS)


def test_a_folder_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "FOLDER" in capsys.readouterr().err

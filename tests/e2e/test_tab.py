"""What a busy tab drops of a clip makes it neither less like itself nor less loud."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.e2e import tab

CLIP = tab.clip(ROOT / "web" / "public" / "clips" / "line-lost.wav")
MIDDLE = len(CLIP) // 2
BEFORE = np.zeros(2 * tab.RATE_HZ, np.float32)
LOST = np.zeros(tab.RATE_HZ // 4, np.float32)
AFTER = np.zeros(tab.RATE_HZ, np.float32)


@pytest.mark.parametrize(
    "played",
    [
        pytest.param([CLIP], id="whole"),
        pytest.param([CLIP[:MIDDLE], np.zeros(tab.RATE_HZ // 5, np.float32), CLIP[MIDDLE:]], id="gap"),
        pytest.param([CLIP[:MIDDLE], CLIP[MIDDLE + tab.RATE_HZ // 10 :]], id="dropped"),
        pytest.param([CLIP[:MIDDLE], LOST, CLIP[MIDDLE + len(LOST) :]], id="silence in its place"),
    ],
)
def test_a_clip_is_found_as_loud_as_it_was_played(played: list[tab.Sound]) -> None:
    found = tab.find(CLIP, np.concatenate([BEFORE, *played, AFTER]))
    assert found.likeness > 0.8
    assert abs(found.gain_db) < 0.5
    assert found.at_s == pytest.approx(2.0, abs=0.01)


def test_a_softer_clip_is_found_to_be_softer() -> None:
    assert tab.find(CLIP, np.concatenate([BEFORE, CLIP * np.float32(0.5), AFTER])).gain_db == pytest.approx(
        -6.0, abs=0.1
    )

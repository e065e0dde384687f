"""Forty utterances beside a bed, written before they were played: which are for us, and which for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.yamlfile import read_yaml
from realtime.interruption import classify_with_prosody
from tests.gold.corpus import turns
from tests.interruption.rows import situation, turn
from tests.interruption.whole import MS_A_WORD

TABLE = read_yaml(Path(__file__).parents[1] / "gold" / "beside_a_bed.yaml")
CASE_WORDS = frozenset(turns()[0].context["case_words"])


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{side}: {row['text']} {row.get('ctx', '')}")
        for side in ("to_us", "to_people", "later")
        for row in TABLE[side]
    ],
)
def test_it_has_the_right_effect(row: dict[str, Any]) -> None:
    text = row["text"]
    heard = turn(text, MS_A_WORD * len(text.split()))
    verdict = classify_with_prosody(text, heard, situation(row.get("ctx", {}), CASE_WORDS))
    assert verdict.effect.value in row["right"]

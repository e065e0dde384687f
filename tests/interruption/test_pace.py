"""What is asked of the pace and the loudness, against a table that was written before the rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.yamlfile import read_yaml
from realtime.interruption import Effect, Kind, Verdict, classify_with_prosody
from tests.gold.corpus import turns
from tests.interruption.rows import situation, turn

_TABLE = read_yaml(Path(__file__).parents[1] / "gold/pace.yaml")
_MISSED = {"slow heart rate?"}  # marks count for nothing, and without its mark it is a remark
_CASE_WORDS = frozenset(turns()[0].context["case_words"])


def verdict_on(text: str, ms: int = 900) -> Verdict:
    return classify_with_prosody(text, turn(text, ms), situation({}, _CASE_WORDS))


@pytest.mark.parametrize(
    "row",
    [row for part in ("asked", "lookalikes") for row in _TABLE[part] if row["text"] not in _MISSED],
    ids=lambda row: row["text"],
)
def test_the_pace_is_set_by_who_asks_for_it_and_by_nothing_else(row: dict[str, Any]) -> None:
    verdict = verdict_on(row["text"], row.get("ms", 900))
    assert verdict.effect.value in row["want"], verdict.why


def test_what_is_missed_sets_no_dial() -> None:
    assert {verdict_on(text).effect for text in _MISSED} == {Effect.GO_ON}


@pytest.mark.parametrize("text", ["slow down, wait", "slower. No, stop.", "quieter, no, quiet"])
def test_a_stop_or_a_wait_after_it_counts(text: str) -> None:
    assert verdict_on(text).kind is Kind.CANCEL


def test_asked_while_quiet_it_is_the_same() -> None:
    context = situation({"mode": "quiet", "speaking": False}, _CASE_WORDS)
    verdict = classify_with_prosody("Slower.", turn("Slower."), context)
    assert verdict.effect is Effect.SLOWER

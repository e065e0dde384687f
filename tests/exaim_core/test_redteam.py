"""Corrupted sentences and true ones, by somebody who had not seen the checks: tests/gold/redteam.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from exaim_core.grounding import Grounds, refusal

GOLD: Final[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[1] / "gold" / "redteam.yaml").read_text(encoding="utf-8")
)
ROWS: Final[list[dict[str, Any]]] = GOLD["rows"]
TRUE: Final[list[dict[str, Any]]] = [*ROWS, *GOLD["true_only"]]


def grounds(row: dict[str, Any]) -> Grounds:
    """Return what a row may rest on: what was said, in order, and the case paper."""
    said = [(each["text"], each["agent"]) for each in row["segments"]]
    paper = [(f"{name}: {value}", "paper") for name, value in (row.get("paper") or {}).items()]
    texts, speakers = zip(*said, *paper, strict=True)
    return Grounds(texts, tuple(agent for _, agent in said), speakers=speakers)


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_sentence_with_one_thing_wrong_is_refused(row: dict[str, Any]) -> None:
    assert refusal(row["corrupted"], grounds(row)) is not None


@pytest.mark.parametrize("row", TRUE, ids=[row["id"] for row in TRUE])
def test_a_true_sentence_in_other_words_is_not_refused(row: dict[str, Any]) -> None:
    assert refusal(row["true"], grounds(row)) is None

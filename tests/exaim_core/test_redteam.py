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
MISSED: Final = {
    "nega-02", "hypo-02", "hypo-04", "wdr-02", "wdr-04", "wdr-05", "drug-08", "agent-04", "count-04",
    "count-06", "cert-05", "time-06",
}  # fmt: skip
REFUSED_TRUE: Final = 101
"""Of 214: the words of a true sentence must be its source's own, and these rows choose others on purpose."""


def grounds(row: dict[str, Any]) -> Grounds:
    """Return what a row may rest on: what was said, in order, and the case paper."""
    said = [(each["text"], each["agent"]) for each in row["segments"]]
    paper = [(f"{name}: {value}", "paper") for name, value in (row.get("paper") or {}).items()]
    texts, speakers = zip(*said, *paper, strict=True)
    return Grounds(texts, tuple(agent for _, agent in said), speakers=speakers)


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_sentence_with_one_thing_wrong_is_refused_but_for_those_that_are_listed(
    row: dict[str, Any],
) -> None:
    assert (refusal(row["corrupted"], grounds(row)) is None) == (row["id"] in MISSED)


def test_no_more_true_sentences_are_refused_than_were() -> None:
    refused = [row["id"] for row in TRUE if refusal(row["true"], grounds(row)) is not None]
    assert len(refused) <= REFUSED_TRUE

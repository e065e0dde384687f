"""Results, diagnoses, orders, cautions and dissent in few words or in full prose are told, or kept for a silence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from exaim_core import Update
from lab.yamlfile import read_yaml
from tests.gold.test_asked_and_answered import played

NO_NEWS: Final = frozenset({"finding", "correction", "closing"})
"""Kinds of items that may tell the words of a look-alike and ask for nothing."""
AT_LEAST: Final = {
    "short_statements": {
        "told": {"result": 16, "diagnosis": 18, "order": 9, "dissent": 2, "none": 23},
        "offered": {"result": 16, "diagnosis": 18, "order": 18, "dissent": 4},
    },
    "short_statements_second": {
        "told": {"result": 9, "diagnosis": 13, "order": 13, "dissent": 3, "none": 23},
        "offered": {"result": 15, "diagnosis": 15, "order": 20, "dissent": 5},
    },
    "written_statements": {
        "told": {"result": 13, "diagnosis": 11, "order": 15, "caution": 11, "dissent": 3, "none": 9},
        "offered": {"result": 13, "diagnosis": 12, "order": 15, "caution": 11, "dissent": 3},
    },
    "written_statements_second": {
        "told": {"result": 9, "diagnosis": 8, "order": 9, "caution": 10, "dissent": 5, "none": 9},
        "offered": {"result": 9, "diagnosis": 8, "order": 11, "caution": 11, "dissent": 5},
    },
}
"""Of 20, 20, 25, 10 and 25 each. The first was worked on; what the second gave at first sight: docs/decisions/169.

The two tables in full prose have 18, 14, 18, 14, 6 and 10: docs/decisions/173. A look-alike of the second,
"If she starts to bleed, carboprost", is told since 187, whole and without haste.
"""


@pytest.mark.parametrize("file", AT_LEAST)
async def test_what_is_stated_is_told(file: str) -> None:
    rows = read_yaml(Path(__file__).with_name(f"{file}.yaml"))
    right = {"told": Counter[str](), "offered": Counter[str]()}
    for row in rows:
        updates = await played(row["turns"])
        right["told"][row["expect"]] += is_told(row, updates)
        right["offered"][row["expect"]] += is_told(row, updates) or holds(
            row, [item.text for update in updates for item in update.spare]
        )
    short = {
        (how, kind): right[how][kind]
        for how, floors in AT_LEAST[file].items()
        for kind, least in floors.items()
        if right[how][kind] < least
    }
    assert short == {}


def is_told(row: dict[str, Any], updates: list[Update]) -> bool:
    """Return whether an item tells what the row states; for a look-alike, whether none asks for attention."""
    items = [item for update in updates for item in update.items if item.kind != "closing"]
    if row["expect"] == "none":
        return all(item.kind in NO_NEWS and item.urgency != "critical" for item in items)
    return holds(row, [item.text for item in items])


def holds(row: dict[str, Any], texts: list[str]) -> bool:
    """Return whether one of `texts` holds all words of the row."""
    return any(all(str(word).lower() in text.lower() for word in row["what"] or ()) for text in texts)

"""Critical values that are taken back, or only look like it, against tests/gold/withdrawn_values.yaml."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from exaim_core import EXAIM, Delta, Update

GOLD: Final[dict[str, list[dict[str, Any]]]] = yaml.safe_load(
    (Path(__file__).parents[1] / "gold" / "withdrawn_values.yaml").read_text(encoding="utf-8")
)
FAILS: Final = {  # by the row's id, why it is not read rightly
    "nobody-measured": "that nobody measured it is not read as a denial: in doubt it alarms",
    "replaces": "of two values after a name the last one is taken, though it is the one replaced",
}


def rows(name: str) -> list[Any]:
    """Return the list `name` of the gold as parameters, those known to fail marked with the reason."""
    return [
        pytest.param(
            row,
            id=row["id"],
            marks=[pytest.mark.xfail(strict=True, reason=FAILS[row["id"]])] if row["id"] in FAILS else [],
        )
        for row in GOLD[name]
    ]


async def alarms(turns: list[str]) -> list[str]:
    """Return the alarms of a talk in which each turn is another agent's."""
    exaim, updates = EXAIM(), list[Update]()
    for number, text in enumerate(turns):
        agent, at_s = f"doctor{number}", 20.0 * number
        updates += await exaim.feed(Delta(agent, text, 2 * number + 1, at_s))
        updates += await exaim.turn_end(agent, 2 * number + 2, at_s + 0.5)
    updates += await exaim.finish(20.0 * len(turns))
    return [item.text for update in updates for item in update.items if item.critical_key]


def tells(alarm: str, finding: str) -> bool:
    """Tell whether `alarm` names the analyte of `finding` with its number."""
    name, number = finding.rsplit(" ", 1)
    return name.lower() in alarm.lower() and re.search(rf"(?<![\d.]){number}(?![\d.]*\d)", alarm) is not None


@pytest.mark.parametrize("row", [*rows("sentences"), *rows("later")])
async def test_a_value_alarms_unless_its_sentence_takes_it_back(row: dict[str, Any]) -> None:
    told = await alarms([row["text"]])
    missed = [finding for finding in row["alarms"] if not any(tells(alarm, finding) for alarm in told)]
    fair = [*row["alarms"], *row.get("may", ())]
    false = [alarm for alarm in told if not any(tells(alarm, finding) for finding in fair)]
    assert (missed, false) == ([], [])


@pytest.mark.parametrize("row", rows("talks"))
async def test_one_finding_is_one_alarm(row: dict[str, Any]) -> None:
    assert len(await alarms(row["turns"])) == row["alarms"]

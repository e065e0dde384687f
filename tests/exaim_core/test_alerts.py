"""Critical alerts against tests/gold/alerts.yaml, written by somebody who had not seen the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest

from exaim_core import EXAIM, CasePaper, Delta
from exaim_core.patient.paper import Allergy
from lab.yamlfile import read_yaml

ROWS: Final[list[dict[str, Any]]] = read_yaml(Path(__file__).parents[1] / "gold" / "alerts.yaml")["rows"]


def paper(row: dict[str, Any]) -> CasePaper | None:
    """Return the case paper with the allergy that the row has on record, None without one."""
    written = (row.get("paper") or {}).get("allergies")
    if written is None:
        return None
    return CasePaper(case_id=row["id"], allergies=(Allergy(substance=re.split(r" ?[(:]", written)[0]),))


async def alerts(row: dict[str, Any]) -> list[str]:
    """Return the critical findings told after the row's passage, in small letters."""
    exaim, told = EXAIM(paper=paper(row)), list[str]()
    passages = [*(row.get("before") or ()), row]
    for number, passage in enumerate(passages):
        updates = list(
            await exaim.feed(Delta(passage["agent"], passage["text"], 2 * number + 1, float(number)))
        )
        updates += await exaim.turn_end(passage["agent"], 2 * number + 2, number + 0.5)
        if passage is row:
            updates += await exaim.finish(number + 5.0)
            told = [item.text.lower() for update in updates for item in update.items if item.critical_key]
    return told


def raises_it(row: dict[str, Any], told: list[str]) -> bool:
    """Tell whether one alert holds all that the row asks for."""
    terms = row["alert"]["terms"]
    return any(all(any(term in text for term in entry) for entry in terms) for text in told)


@pytest.mark.parametrize("row", [r for r in ROWS if r["alert"] == "none"], ids=lambda row: row["id"])
async def test_no_alert_is_raised_by_what_is_not_so_now_of_this_patient(row: dict[str, Any]) -> None:
    assert await alerts(row) == []


@pytest.mark.parametrize("row", [r for r in ROWS if r["alert"] != "none"], ids=lambda row: row["id"])
async def test_an_emergency_or_an_order_in_danger_raises_an_alert(row: dict[str, Any]) -> None:
    assert raises_it(row, await alerts(row))

"""Critical values in every surface form alarm, and their look-alikes do not: tests/gold/critical_*.yaml."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from exaim_core import EXAIM, Delta
from lab.yamlfile import read_yaml
from tests.gold.critical import Row, lookalikes, matrix

MATRIX, LOOK_ALIKES = matrix(), lookalikes()
FRESH: Final[dict[str, Any]] = read_yaml(Path(__file__).parents[1] / "gold" / "critical_fresh.yaml")


async def alarms(text: str) -> list[str]:
    """Return the critical findings told by the end of the turn: an alarm waits for nothing more."""
    exaim = EXAIM()
    updates = (*await exaim.feed(Delta("doctor1", text, 1, 0.0)), *await exaim.turn_end("doctor1", 2, 0.5))
    return [item.text for update in updates for item in update.items if item.critical_key]


async def failed(rows: Iterable[Row]) -> list[tuple[str, list[str]]]:
    """Return the passages whose alarms are not what their row asks for, with those alarms."""
    return [(row.text, told) for row in rows if not row.met_by(told := await alarms(row.text))]


@pytest.mark.parametrize("form", sorted({row.of for row in MATRIX}))
async def test_a_critical_value_alarms_in_this_form(form: str) -> None:
    assert await failed(row for row in MATRIX if row.of == form) == []


@pytest.mark.parametrize("template", sorted({row.of for row in LOOK_ALIKES}))
async def test_what_only_looks_like_a_critical_value_alarms_nobody(template: str) -> None:
    assert await failed(row for row in LOOK_ALIKES if row.of == template) == []


@pytest.mark.parametrize("set_of", [name for name in FRESH if name != "open"])
@pytest.mark.parametrize("wanted", ["alarms", "silent"])
async def test_turns_in_other_styles_alarm_where_they_should(set_of: str, wanted: str) -> None:
    turns = [text for text in FRESH[set_of][wanted] if text not in FRESH["open"]]
    assert [text for text in turns if bool(await alarms(text)) is (wanted == "silent")] == []


async def test_what_is_called_open_is_open() -> None:
    silent = {text for name, turns in FRESH.items() if name != "open" for text in turns["silent"]}
    assert [text for text in FRESH["open"] if bool(await alarms(text)) is (text not in silent)] == []


def test_the_matrix_is_as_large_as_it_is_said_to_be() -> None:
    assert len({row.told for row in MATRIX}) >= 22
    assert len({row.of for row in MATRIX}) >= 16
    assert len({row.of for row in LOOK_ALIKES}) >= 60
    assert len(LOOK_ALIKES) >= 650

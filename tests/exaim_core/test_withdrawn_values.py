"""Critical values that are taken back, or only look like it, against tests/gold/withdrawn_values.yaml."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from exaim_core import EXAIM, Delta, SpokenItem, Update
from exaim_core.critical import relieved

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


async def talk(turns: list[str], agents: list[str] | None = None) -> tuple[EXAIM, list[SpokenItem]]:
    """Return the engine and what it has to say; each turn is another agent's, or `agents` say it."""
    exaim, updates = EXAIM(), list[Update]()
    for number, text in enumerate(turns):
        agent, at_s = agents[number] if agents else f"doctor{number}", 20.0 * number
        updates += await exaim.feed(Delta(agent, text, 2 * number + 1, at_s))
        updates += await exaim.turn_end(agent, 2 * number + 2, at_s + 0.5)
    updates += await exaim.finish(20.0 * len(turns))
    return exaim, [item for update in updates for item in update.items]


async def alarms(turns: list[str]) -> list[str]:
    """Return the alarms of a talk."""
    return [item.text for item in (await talk(turns))[1] if item.critical_key]


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


SAID = "The potassium is 6.9 mmol/L."


async def test_that_an_alarm_is_taken_back_is_told() -> None:
    _, items = await talk([SAID, "The potassium of 6.9 was a lab error."])
    told = [item.text for item in items if item.urgency == "important"]
    assert "Doctor One: the potassium of 6.9 was a lab error." in told


@pytest.mark.parametrize(("by", "left"), [("doctor0", []), ("doctor1", ["potassium=6.9"])])
async def test_an_alarm_goes_off_the_page_by_the_word_of_its_own_agent(by: str, left: list[str]) -> None:
    exaim, _ = await talk([SAID, "I withdraw the potassium of 6.9."], ["doctor0", by])
    assert [*exaim.board.criticals] == left


async def test_after_a_normal_value_the_former_one_is_no_alarm() -> None:
    told = await alarms([SAID, "The potassium is 4.5 mmol/L now.", "The initial potassium was 6.9 mmol/L."])
    assert len(told) == 1


async def test_a_value_that_is_taken_back_makes_no_order_dangerous() -> None:
    order = "Give spironolactone 25 mg once daily."
    assert len(await alarms(["The potassium of 6.3 mmol/L is too high.", order])) == 1
    assert await alarms(["The potassium of 6.3 mmol/L was a lab error.", order]) == []


@pytest.mark.parametrize(
    "sentence", ["Disregard the potassium of 4.2 mmol/L.", "The potassium of 4.2 mmol/L is a lab error."]
)
def test_a_normal_value_that_is_taken_back_ends_no_alarm(sentence: str) -> None:
    assert relieved("The potassium is 4.2 mmol/L.") != ()
    assert relieved(sentence) == ()

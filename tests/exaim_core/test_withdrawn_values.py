"""Critical values that are taken back, or only look like it, against tests/gold/withdrawn_values.yaml."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest

from exaim_core import EXAIM, Delta, SpokenItem, Update
from exaim_core.claims.critical import relieved
from exaim_core.patient.paper import CasePaper, Lab
from lab.yamlfile import read_yaml

GOLD: Final[dict[str, list[dict[str, Any]]]] = read_yaml(
    Path(__file__).parents[1] / "gold" / "withdrawn_values.yaml"
)


def rows(name: str) -> list[Any]:
    """Return the list `name` of the gold as parameters."""
    return [pytest.param(row, id=row["id"]) for row in GOLD[name]]


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


def faults(row: dict[str, Any], told: list[str]) -> tuple[list[str], list[str]]:
    """Return what the gold `row` expects and `told` lacks, and what `told` has and the row does not allow."""
    fair = [*row["alarms"], *row.get("may", ())]
    missed = [finding for finding in row["alarms"] if not any(tells(alarm, finding) for alarm in told)]
    return missed, [alarm for alarm in told if not any(tells(alarm, finding) for finding in fair)]


@pytest.mark.parametrize("row", [*rows("sentences"), *rows("later"), *rows("after")])
async def test_a_value_alarms_unless_it_is_taken_back(row: dict[str, Any]) -> None:
    assert faults(row, await alarms([row["text"]])) == ([], [])


@pytest.mark.parametrize("row", rows("after"))
async def test_a_value_that_was_told_stays_on_the_page_unless_the_next_sentence_takes_it_back(
    row: dict[str, Any],
) -> None:
    exaim = EXAIM()
    for number, sentence in enumerate(re.split(r"(?<=[.?]) (?=[A-Z])", row["text"])):
        await exaim.feed(Delta("doctor0", f"{sentence} ", number, 5.0 * number))
    await exaim.finish(60.0)
    left = [
        f"{found.name} {found.value}" for each in exaim.board.criticals.values() if (found := each.critical)
    ]
    assert faults(row, left) == ([], [])


@pytest.mark.parametrize("row", rows("talks"))
async def test_one_finding_is_one_alarm(row: dict[str, Any]) -> None:
    assert len(await alarms(row["turns"])) == row["alarms"]


SAID = "The potassium is 6.9 mmol/L."


async def test_that_an_alarm_is_taken_back_is_told() -> None:
    _, items = await talk([SAID, "The potassium of 6.9 was a lab error."])
    told = [item.text for item in items if item.urgency == "important"]
    assert "Doctor One: the potassium of 6.9 was a lab error." in told


async def test_that_the_next_sentence_takes_an_alarm_back_is_told_by_the_name_of_the_value() -> None:
    _, items = await talk([f"{SAID} I withdraw that."])
    told = [item.text for item in items if item.urgency == "important"]
    assert "Doctor Zero withdraws the potassium of 6.9 mmol/L." in told


@pytest.mark.parametrize("by", ["doctor0", "doctor1"])
async def test_a_sentence_of_another_turn_takes_nothing_back(by: str) -> None:
    exaim, _ = await talk([SAID, "That was a lab error."], ["doctor0", by])
    assert [*exaim.board.criticals] == ["potassium=6.9"]


@pytest.mark.parametrize(
    "sentence",
    [
        "That was a lab error; the repeat is 6.8.",
        "That was a lab error, but treat it.",
        "That was a lab error, wasn't it?",
        "That can be a lab error.",
        "That is probably a lab error.",
        "That is a displaced lead.",
        "Ignore that, and he dies.",
        "I cannot withdraw that.",
    ],
)
async def test_in_doubt_the_value_before_stands(sentence: str) -> None:
    exaim, _ = await talk([f"{SAID} {sentence}"])
    assert "potassium=6.9" in exaim.board.criticals


@pytest.mark.parametrize("by", ["doctor0", "doctor1"])
async def test_an_alarm_goes_off_the_page_by_whoever_takes_its_value_back(by: str) -> None:
    exaim, _ = await talk([SAID, "I withdraw the potassium of 6.9."], ["doctor0", by])
    assert not exaim.board.criticals


async def test_after_a_normal_value_the_former_one_is_no_alarm() -> None:
    told = await alarms([SAID, "The potassium is 4.5 mmol/L now.", "The initial potassium was 6.9 mmol/L."])
    assert len(told) == 1


async def test_a_value_that_is_taken_back_makes_no_order_dangerous() -> None:
    order = "Give spironolactone 25 mg once daily."
    assert len(await alarms(["The potassium of 6.3 mmol/L is too high.", order])) == 1
    assert await alarms(["The potassium of 6.3 mmol/L was a lab error.", order]) == []
    assert await alarms([f"{SAID} That was a lab error.", order]) == []


async def test_what_the_record_says_is_not_taken_back_with_a_value() -> None:
    paper = CasePaper(case_id="x", labs=(Lab(analyte="potassium", value=6.3, unit="mmol/L"),))
    exaim = EXAIM(paper=paper)
    await exaim.feed(Delta("doctor0", f"{SAID} That was a lab error. ", 1, 0.0))
    await exaim.feed(Delta("doctor0", "Give spironolactone 25 mg once daily. ", 2, 20.0))
    await exaim.finish(40.0)
    against = [found.against for claim in exaim.board.criticals.values() if (found := claim.critical)]
    assert against == ["potassium 6.3 mmol/L"]


@pytest.mark.parametrize(
    "sentence", ["Disregard the potassium of 4.2 mmol/L.", "The potassium of 4.2 mmol/L is a lab error."]
)
def test_a_normal_value_that_is_taken_back_ends_no_alarm(sentence: str) -> None:
    assert relieved("The potassium is 4.2 mmol/L.") != ()
    assert relieved(sentence) == ()


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("The potassium should read 4.9 mmol/L, not 6.9.", []),
        ("The potassium should read 7.9 mmol/L, not 6.9.", ["7.9 mmol/L"]),
        ("In my first table the potassium should read 4.9, not 6.9.", []),
        ("I gave the potassium as 6.9; it is 4.9.", []),
        ("I wrote the potassium as 6.9; it is 7.9.", ["7.9"]),
        ("The potassium should be 4.9, not 6.9.", ["6.9 mmol/L"]),
        ("If I read the potassium as 6.9, it is 4.9 in the notes.", ["6.9 mmol/L"]),
        ("I gave the sodium as 6.9; it is 4.9.", ["6.9 mmol/L"]),
    ],
)
async def test_a_value_put_right_leaves_the_page_at_once_and_the_right_one_is_read(
    sentence: str, left: list[str]
) -> None:
    exaim, _ = await talk([SAID, "Noted.", sentence], ["doctor0", "doctor1", "doctor0"])
    assert [each.critical.value for each in exaim.board.criticals.values() if each.critical] == left

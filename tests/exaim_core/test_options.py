"""Answers to questions with options, against a list written without sight of the engine (tests/gold)."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.lexicon.options import answer
from lab.yamlfile import read_yaml
from tests.conftest import ROOT

ROWS: Final = read_yaml(ROOT / "tests/gold/option_answers.yaml")
MISSED: Final = {
    "a25": "'C. difficile' after 'Answer:' is cut as if C. were the option",
    "a42": "a drug with its dose and no verb is neither a view nor an order",
    "a46": "the option stands before the words that choose it",
}


async def read(*turns: tuple[str, str]) -> list[Update]:
    """Return the updates on turns (agent, text) that come word by word."""
    exaim, seq, at_s = EXAIM(), 0, 0.0
    updates: list[Update] = []
    for agent, text in turns:
        for word in re.findall(r"\S+\s*", text):
            updates += await exaim.feed(Delta(agent, word, seq, at_s))
            seq, at_s = seq + 1, at_s + 0.05
        updates += await exaim.turn_end(agent, seq, at_s)
        seq, at_s = seq + 1, at_s + 3.0
    return [*updates, *await exaim.finish(at_s)]


def items(updates: list[Update]) -> list[str]:
    return [item.text for update in updates for item in update.items]


def bare(text: str) -> str:
    """As it is spoken: in lower case, without a synonym in brackets."""
    return re.sub(r"\s*\([^)]*\)", "", text).strip().lower()


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id=row["id"],
            marks=[pytest.mark.xfail(reason=MISSED[row["id"]])] if row["id"] in MISSED else [],
        )
        for row in ROWS
    ],
)
async def test_the_answer_is_the_view_or_the_order(row: dict[str, Any]) -> None:
    updates = await read(("cardiologist", row["text"]))
    board = updates[-1].board
    assert board is not None
    leads = [bare(lead.claim.entity) for lead in board.leads]
    if row["view"] is None:
        assert leads == []
    else:
        asked = [bare(text) for text in items(updates) if text.startswith("The cardiologist: ")]
        asked += [bare(text) for text in items(updates) if "recommends" in text]
        wanted = bare(row["view"])
        assert leads == [wanted] or (leads == [] and any(wanted in text for text in asked))


async def test_answers_are_counted_as_views_and_the_letter_is_never_spoken() -> None:
    said = items(
        await read(
            ("cardiologist", "Answer: C) Pulmonary embolism\nExplanation: sudden pain after a flight."),
            ("pulmonologist", "**Answer:** (C) Pulmonary embolism"),
            ("internist", "**Answer: A) Pneumonia** - fever of 39 °C."),
            ("internist", "I change my answer.\n\nAnswer: C) Pulmonary embolism"),
            ("moderator", "Answer: C) Pulmonary embolism (majority vote)"),
        )
    )
    assert said == [
        "The cardiologist leads with pulmonary embolism.",
        "The pulmonologist agrees: pulmonary embolism.",
        "The internist differs: pneumonia.",
        "The internist: fever of 39 °C.",
        "The internist has changed from pneumonia to pulmonary embolism. All three agree.",
        "Finished. Pulmonary embolism, all agree.",
    ]


async def test_a_critical_value_in_an_answer_alarms_all_the_same() -> None:
    said = items(await read(("internist", "Answer: B) Hyperkalaemia with a potassium of 7.4 mmol/L")))
    assert any(text.startswith("Critical") and "7.4" in text for text in said)


async def test_a_final_decision_is_the_moderators_ruling() -> None:
    updates = await read(
        (
            "infectiologist",
            "### Most Likely Diagnosis:\n**Bacterial meningitis** - fever and a stiff neck.\n",
        ),
        ("moderator", "### Final Decision:\n**Bacterial meningitis** - both agree.\n"),
    )
    board = updates[-1].board
    assert board is not None
    ruling = board.ruling
    assert ruling is not None
    assert ruling.entity.lower() == "bacterial meningitis"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The drug to stop is C) heparin.", None),
        ("Answer: (E) Clostridium perfringens", "Clostridium perfringens"),
        ("Answer: all of these", None),
        ("Answer: C", ""),
        ("Answer:", None),
        ("", None),
    ],
)
def test_one_line(text: str, words: str | None) -> None:
    assert answer(text) == words

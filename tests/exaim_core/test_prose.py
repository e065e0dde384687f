"""Prose in, speech out: a table of sentences that must be spoken, and of those that must not.

The table (`prose.txt`) was written before the rules were read. A row counts as said only if it is said in
both settings: as plain prose, and as the words after a bold diagnosis under its heading.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from exaim_core import SpokenItem
from tests.exaim_core.test_exaim import play

TABLE: Final = Path(__file__).with_name("prose.txt")
SAID_AT_LEAST: Final = 0.95  # share of the rows that must be said
LEAD_KINDS: Final = frozenset({"leading", "change", "disagreement", "agreement"})
VIEWS: Final = (
    ("doctor0", "### Most Likely Diagnosis:\n**Acute pulmonary embolism** - it came after a long flight.\n"),
    ("doctor1", "### Most Likely Diagnosis:\n**Community-acquired pneumonia** - it came with a cough.\n"),
)


@dataclass(frozen=True)
class Row:
    """One sentence of the table and what is expected of it."""

    part: str
    kinds: frozenset[str]
    must: tuple[tuple[str, ...], ...]
    must_not: tuple[str, ...]
    sentence: str


def rows() -> list[Row]:
    found: list[Row] = []
    part = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            part = line[1:].split("]")[0].split(":")[0]
        elif line and not line.startswith("#"):
            kinds, must, must_not, sentence = (cell.strip() for cell in line.split("|", 3))
            terms = tuple(tuple(one.split("~")) for one in must.split(";") if one)
            forbidden = tuple(one for one in must_not.split(";") if one)
            found.append(Row(part, frozenset(kinds.split()), terms, forbidden, sentence))
    return found


SAID: Final = [row for row in rows() if row.part in {"said", "closing"}]
SILENT: Final = [row for row in rows() if row.part == "silent"]


def settings(row: Row) -> tuple[tuple[tuple[str, str], ...], ...]:
    if row.part == "closing":
        return ((*VIEWS, ("supervisor", f"### Summary:\n{row.sentence}\n\nTERMINATE")),)
    plain = ("doctor1", f"{row.sentence}\n")
    if "lead" in row.kinds:
        return ((plain,),)
    return (
        (plain,),
        (("doctor1", f"### Most Likely Diagnosis:\n**Zoster** - this fits best. {row.sentence}\n"),),
    )


async def heard(turns: tuple[tuple[str, str], ...]) -> list[SpokenItem]:
    updates, _, _ = await play(turns)
    return [item for update in updates for item in update.items]


def is_kind(item: SpokenItem, kinds: frozenset[str]) -> bool:
    if "any" in kinds:
        return item.kind != "closing"
    return item.kind in kinds or ("lead" in kinds and item.kind in LEAD_KINDS)


def says(item: SpokenItem, row: Row) -> bool:
    text = item.text.lower()
    holds = all(any(term.lower() in text for term in terms) for terms in row.must)
    return holds and not any(term.lower() in text for term in row.must_not)


async def is_said(row: Row) -> bool:
    for turns in settings(row):
        items = await heard(turns)
        if not any(is_kind(item, row.kinds) and says(item, row) for item in items):
            return False
    return True


async def broken(row: Row) -> list[str]:
    """Return what is spoken of `row` and must not be."""
    wrong: list[str] = []
    for turns in settings(row):
        for item in await heard(turns):
            if "zoster" in item.text.lower() or item.kind == "closing":
                continue
            kinds = row.kinds - {"no"}
            if "nothing" in kinds or is_kind(item, kinds):
                wrong.append(item.text)
            elif any(term.lower() in item.text.lower() for term in row.must_not):
                wrong.append(item.text)
    return wrong


async def test_most_of_what_a_clinician_must_hear_is_said_from_prose() -> None:
    missed = [row.sentence for row in SAID if not await is_said(row)]

    assert len(SAID) >= 60
    assert len(SAID) - len(missed) >= SAID_AT_LEAST * len(SAID), "\n".join(missed)


@pytest.mark.parametrize("row", SILENT, ids=lambda row: row.sentence)
async def test_what_is_denied_supposed_past_or_polite_raises_nothing(row: Row) -> None:
    assert await broken(row) == []

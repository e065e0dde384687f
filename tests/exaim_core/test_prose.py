# ruff: noqa: E501 - sentences stay whole
"""Prose in, speech out: a table of sentences that must be spoken, and of those that must not.

`prose.txt` was written with the rules only partly seen and served to mend them; so did `prose_unseen.txt` after it. Of
`prose_third.txt`, 16 of 28 were said when it was first played; since then the misses that were a hazard are mended.
A row counts as said only if it is said in both settings: as plain prose, and as the words after a bold diagnosis.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from exaim_core import SpokenItem
from tests.exaim_core.test_exaim import play

TABLES: Final = {"prose.txt": 0.95, "prose_unseen.txt": 0.9, "prose_third.txt": 0.8}
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


def rows(table: str) -> list[Row]:
    found: list[Row] = []
    part = ""
    for line in Path(__file__).with_name(table).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            part = line[1:].split("]")[0].split(":")[0]
        elif line and not line.startswith("#"):
            kinds, must, must_not, sentence = (cell.strip() for cell in line.split("|", 3))
            terms = tuple(tuple(one.split("~")) for one in must.split(";") if one)
            forbidden = tuple(one for one in must_not.split(";") if one)
            found.append(Row(part, frozenset(kinds.split()), terms, forbidden, sentence))
    return found


SILENT: Final = [row for table in TABLES for row in rows(table) if row.part == "silent"]


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


@pytest.mark.parametrize(("table", "share"), TABLES.items())
async def test_most_of_what_a_clinician_must_hear_is_said_from_prose(table: str, share: float) -> None:
    # a view in free prose is no typed view: it is quoted at most (docs/decisions/074)
    must = [row for row in rows(table) if row.part != "silent" and not row.kinds & {"lead", "closing"}]
    missed = [row.sentence for row in must if not await is_said(row)]

    assert len(must) - len(missed) >= share * len(must), "\n".join(missed)


@pytest.mark.parametrize("row", SILENT, ids=lambda row: row.sentence)
async def test_what_is_denied_supposed_past_or_polite_raises_nothing(row: Row) -> None:
    assert await broken(row) == []


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("SpO2 fell to 83% on room air.", "Critical, from Doctor One: oxygen saturation 83%."),
        (
            "Because she once told a colleague in another clinic that she had come out in a rash after penicillin as a child at school, amoxicillin should be avoided.",
            "A caution from Doctor One is on the page.",
        ),
        (
            "Because she once told a colleague in another clinic that she had come out in a rash after something as a child at school, amoxicillin should be avoided.",
            "A caution from Doctor One on amoxicillin is on the page.",
        ),
        (
            "The nurse in the emergency department wrote in her notes that the patient is allergic to some old plasters and that all dressings and tapes in the theatre have to be exchanged beforehand.",
            "A caution from Doctor One is on the page.",
        ),
        ("I'd give magnesium sulfate 2 g over twenty minutes.", "Doctor One would give magnesium sulfate 2 g over twenty minutes."),
        ("Stop ramipril. Stop ibuprofen.", "Caution, Doctor One: stop ramipril. Stop ibuprofen."),
    ],
)  # fmt: skip
async def test_an_alarm_a_caution_and_an_order_are_worded_so(sentence: str, said: str) -> None:
    items = await heard((("doctor1", f"{sentence}\n"),))

    assert [item.text for item in items][:-1] == [said]


@pytest.mark.parametrize(
    ("sentence", "brief"),
    [
        ("Warfarin should be avoided, since she takes aspirin.", "Doctor One: warfarin should be avoided."),
        (
            "Warfarin should be avoided, since the INR is above 5.",
            "Doctor One: warfarin should be avoided, since the INR is above 5.",
        ),
        ("Gentamicin must not be given today.", "Doctor One: gentamicin must not be given today."),
        ("I would start furosemide 40 mg because of the oedema.", "Doctor One would start furosemide 40 mg."),
        ("I would start furosemide 40 mg because she weighs 90 kg.", None),
    ],
)  # fmt: skip
async def test_a_short_form_drops_reasons_but_no_number_condition_or_negation(
    sentence: str, brief: str | None
) -> None:
    items = await heard((("doctor1", f"{sentence}\n"),))

    assert items[0].brief == brief


async def test_a_view_that_the_moderator_gave_before_the_doctors_does_not_settle_the_closing() -> None:
    opening = ("supervisor", "My ruling is community-acquired pneumonia.\n")
    items = await heard((opening, *VIEWS))

    assert items[-1].text.startswith("Finished. Still open between")

"""Rows of a table that weighs options, or tells of drugs: nobody is said to ask for one of them."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta

WEIGHED = """| Treatment | Pro | Con | Mark |
|---|---|---|---|
| Prednisolone 1 mg/kg | best known | glucose | 5/5 |
| Ciclosporin 5 mg/kg | fast | kidneys | 2/5 |
"""
OPTIONS = """## Options

| Drug | Dose |
|---|---|
| Aspirin | 300 mg |
| Ticagrelor | 180 mg |
"""
REFERENCE = """Pharmacy view, one row each:

| Drug | Dose | Watch | Stop if |
|---|---|---|---|
| Carbimazole | 40 mg | neutrophils | sore throat |
| Propranolol | 40 mg tds | wheeze | asthma |
"""
ORDERED = OPTIONS.replace("## Options", "## Recommended treatment")


async def said_of(text: str) -> str:
    exaim = EXAIM()
    await exaim.feed(Delta("pharmacy", text, 1, 1.0))
    updates = await exaim.turn_end("pharmacy", 2, 2.0)
    items = [item.text for update in updates for item in update.items]
    fields = [str(update.summary) for update in updates]
    return " ".join((*items, *fields)).lower()


@pytest.mark.parametrize("text", [WEIGHED, OPTIONS, REFERENCE])
async def test_an_option_in_a_table_is_no_order(text: str) -> None:
    assert "recommends" not in await said_of(text)


async def test_a_row_under_a_heading_of_what_is_to_be_done_is_one() -> None:
    assert "recommends aspirin 300 mg" in await said_of(ORDERED)

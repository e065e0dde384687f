"""The bold titles of a note part it: what stands under one is not what the one above announced."""

from __future__ import annotations

import pytest

from exaim_core import SpokenKind
from tests.exaim_core.talks import told


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("- Urgent radiation oncology and neurosurgical review.", "urgent radiation oncology"),
        ("1. Repeat the lactate.\n2. Bladder scan.", "repeat the lactate"),
    ],
)
async def test_what_stands_under_a_plan_below_an_impression_is_an_order_and_no_view(
    plan: str, words: str
) -> None:
    items = await told(f"**Impression**\n\nThis 62-year-old man has weak legs.\n\n**Plan**\n{plan}\n")
    assert [item.kind for item in items if words in item.text] == [SpokenKind.ACTION]
    assert not any(item.kind is SpokenKind.LEADING for item in items)


async def test_a_report_of_a_test_under_an_impression_is_a_finding_and_no_view() -> None:
    items = await told(
        "**Impression**\n\nThe MRI demonstrates epidural compression at T8 with signal change.\n"
    )
    [item] = [item for item in items if "compression at T8" in item.text]
    assert item.kind is SpokenKind.FINDING


async def test_a_bold_name_under_a_heading_of_views_is_still_a_view() -> None:
    items = await told("**Impression**\n\n**Adrenal crisis**\n")
    assert [item.kind for item in items] == [SpokenKind.LEADING]


@pytest.mark.parametrize(
    ("said", "alarm"),
    [
        ("The blood cultures have grown MRSA in 4 of 4 bottles.", ["blood cultures have grown MRSA."]),
        ("The blood cultures have grown nothing so far.", []),
        ("Her blood cultures have grown no organisms.", []),
    ],
)
async def test_an_alarm_on_blood_cultures_says_what_grew(said: str, alarm: list[str]) -> None:
    items = await told(said)
    assert [i.text.split(": ")[1] for i in items if i.kind is SpokenKind.CRITICAL] == alarm

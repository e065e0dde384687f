"""Bans in a team's short words are told; what is no ban in such words is not."""

from __future__ import annotations

import pytest

from tests.exaim_core.talks import told

FORMS = (
    "He mustn't have {}.",
    "She shouldn't get {}.",
    "{} is a no.",
    "{} is a hard no.",
    "{}: never.",
    "Please leave {} alone.",
    "Cross {} off.",
    "Take {} off the chart.",
    "{} must wait.",
    "I'd not give {}.",
    "I wouldn't touch {}.",
    "Under no circumstances {}.",
    "On no account give {}.",
)


@pytest.mark.parametrize("drug", ["metformin", "tranexamic acid", "Xarelto"])
@pytest.mark.parametrize("form", FORMS)
async def test_a_ban_in_short_is_told(form: str, drug: str) -> None:
    text = form.format(drug)
    items = await told(text[0].upper() + text[1:])
    assert any(item.kind == "caution" and drug.lower() in item.text.lower() for item in items), items


@pytest.mark.parametrize(
    "text",
    [
        "Metformin is a known cause.",
        "Never had metformin.",
        "We never stopped metformin.",
        "Leave the ward round to me.",
        "Metformin never worked for her.",
        "Under the circumstances metformin is fine.",
        "He mustn't have understood.",
        "I'd not thought of metformin.",
        "Is metformin a no?",
    ],
)
async def test_what_is_no_ban_is_told_as_none(text: str) -> None:
    assert not [item for item in await told(text) if item.kind == "caution"]

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


@pytest.mark.parametrize(
    ("said", "presses"),
    [
        ("She's asthmatic, the brittle sort, so not labetalol.", True),
        ("Not ceftriaxone if he's going to have calcium.", True),
        ("Heparin not yet.", True),
        ("She had not yet had a CDK4/6 inhibitor.", False),
        ("The CT is not yet back.", False),
        ("Not sure about heparin.", False),
        ("So not heparin-induced then.", False),
        ("The tablets were nortriptyline, not amitriptyline.", False),
    ],
)
async def test_a_not_before_a_drug_forbids_it_and_what_is_not_yet_done_forbids_nothing(
    said: str, presses: bool
) -> None:
    assert any(item.presses for item in await told(said)) == presses


@pytest.mark.parametrize(
    "said",
    [
        "Further NOs for the chart: suxamethonium, ketamine",
        "Don'ts: suxamethonium, ketamine.",
        "Never list: suxamethonium, ketamine.",
        "Further NOs for the chart:\n- suxamethonium\n- ketamine",
    ],
)
async def test_a_list_of_denials_forbids_what_it_names(said: str) -> None:
    heard = [each.text for each in await told(said)]
    assert any("avoid suxamethonium" in each for each in heard) and any("ketamine" in each for each in heard)


@pytest.mark.parametrize(
    "said", ["Seizure NOS: levetiracetam.", "NOs: none.", "Never events: retained swab."]
)
async def test_what_is_no_list_of_denials_forbids_nothing(said: str) -> None:
    assert not [each for each in await told(said) if "avoid" in each.text.lower()]


async def test_a_denial_in_such_a_list_is_not_turned_round() -> None:
    said = "Don'ts for transport: no sitting up, no oral fluids."
    assert any("no sitting up" in each.text and "avoid no" not in each.text for each in await told(said))

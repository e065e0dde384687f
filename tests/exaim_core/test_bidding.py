"""A sentence that bids something to be done to the patient is an order, whatever its verb is."""

from __future__ import annotations

import pytest

from exaim_core.lexicon.bidding import bids
from tests.exaim_core.test_terse_orders import told


@pytest.mark.parametrize(
    "text",
    [
        "Prone him if the ratio stays below 150.",
        "Please cool her with fans and wet sheets.",
        "Thrombolyse him now.",
        "So get the patient to theatre.",
        "Lie her flat.",
        "Put her on high flow.",
        "Clamp the cord now, please.",
        "Elevate the legs.",
        "Activate the cath lab now.",
        "Activate the cath lab.",
        "Bleep the surgical registrar.",
        "Then alert theatre and the anaesthetist.",
    ],
)
def test_an_order_is_known_by_its_grammar(text: str) -> None:
    assert bids(text)


@pytest.mark.parametrize(
    "text",
    [
        "And her haemoglobin is 94.",
        "With him lying flat the pressure rose.",
        "Gave him 500 ml.",
        "We put her on high flow.",
        "Put her on high flow an hour ago.",
        "Put her on high flow and she settled.",
        "The cord is clamped.",
        "Despite the chest, she is well.",
        "Blame the chest infection.",
        "Reviewed her at six.",
        "Tell the mother what we found.",
        "Overfill him and he rebleeds.",
        "Today her mouth chews all the time.",
        "Cool him?",
        "Surgery the patient had in May.",
        "Given the patient is stable, no hurry.",
        "The cath lab is full.",
        "Sadly the patient died.",
        "Remember the patient refused blood.",
        "However the patient refuses surgery.",
        "Overnight her urine output fell to 10 ml/h.",
        "Contact surgery yesterday was useless.",
    ],
)
def test_a_look_alike_is_none(text: str) -> None:
    assert not bids(text)


async def test_it_is_told_as_what_to_do_and_a_cry_for_help_once_as_an_alarm() -> None:
    assert ("action", "thrombolyse him now.") in await told("Thrombolyse him now.")
    assert [kind for kind, _ in await told("Bag him with 100 % oxygen.")] == ["critical"]
    assert await told("We could cool him if the scan is bad.") == []

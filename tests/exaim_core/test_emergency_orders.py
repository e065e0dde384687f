"""An emergency order is short. It is told although it is, for it names what is to be done, and to what."""

from __future__ import annotations

import pytest

from tests.exaim_core.talks import told


@pytest.mark.parametrize(
    "order",
    [
        "Intubate now.",
        "Start CPR.",
        "Start compressions.",
        "Call the crash team.",
        "Put out a crash call.",
        "Activate the massive transfusion protocol.",
        "Give three units of blood now.",
        "Take him to theatre now.",
        "Shock at 150 J now.",
        "Start dialysis tonight.",
    ],
)
async def test_it_is_told_and_presses(order: str) -> None:
    (item,) = await told(order)

    assert item.text.removeprefix("Check, ") == f"Doctor One: {order[0].lower()}{order[1:]}"
    assert item.presses


@pytest.mark.parametrize(
    "talk",
    [
        "Call me tomorrow.",
        "Please stop item 2.",
        "Take that one now.",
        "Give it now.",
        "Start with yours.",
        "We intubated at two.",
        "If she tires, intubate.",
        "Shall we intubate now?",
    ],
)
async def test_what_names_no_act_or_thing_or_orders_nothing_does_not_press(talk: str) -> None:
    assert not [item.text for item in await told(talk) if item.presses]

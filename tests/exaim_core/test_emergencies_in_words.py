"""Emergencies that no value and no fixed phrase tells are told in their speaker's words; what looks like one is not."""

from __future__ import annotations

import pytest

from tests.exaim_core.talks import told


@pytest.mark.parametrize(
    "text",
    [
        "She's crashing.",
        "Blood pressure is unrecordable.",
        "Stridor, can't speak.",
        "Airway's going.",
        "Cord prolapse, theatre now.",
        "Postpartum haemorrhage, two litres on the floor.",
        "She's unresponsive.",
        "The tracheostomy has come out and I can't get it back.",
        "Chest is silent and she's exhausted.",
        "Crash call, ward 6.",
        "He's on the window ledge and says he is going to jump.",
        "She has soaked six pads in ten minutes.",
    ],
)
async def test_an_emergency_in_words_alarms_in_these_words(text: str) -> None:
    alarms = [item.text for item in await told(text) if item.kind == "critical"]
    assert any(text[1:].strip(".").lower() in alarm.lower() for alarm in alarms), alarms


@pytest.mark.parametrize(
    "text",
    [
        "He was unresponsive when the crew arrived.",
        "If she becomes unresponsive, call the crash team.",
        "Crash team training is on Friday.",
        "His father had a cardiac arrest at 52.",
        "Tension pneumothorax needs immediate decompression.",
        "There's no stridor and she's speaking in full sentences.",
        "Her asthma is unresponsive to steroids.",
        "The computer's crashing again.",
        "Is she in shock?",
        "BP is falling nicely on labetalol.",
        "The seizure lasted two minutes and resolved.",
        "We've got the major haemorrhage protocol on the wall.",
        "Stridor or swelling: second bolus and call the anaesthetist.",
    ],
)
async def test_what_only_looks_like_one_alarms_nobody(text: str) -> None:
    assert not [item for item in await told(text) if item.kind == "critical"]

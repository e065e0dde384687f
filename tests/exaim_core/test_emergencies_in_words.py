"""Emergencies that no value and no fixed phrase tells are told in their speaker's words; what looks like one is not."""

from __future__ import annotations

import cProfile

import pytest

from exaim_core.claims.emergencies import emergency_in_words
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


@pytest.mark.parametrize(
    "text",
    [
        "Noradrenaline has stopped, MAP holds at 72.",
        "Noradrenaline stopped at six.",
        "The noradrenaline stopped an hour ago.",
        "The oxygen has stopped; he manages on room air.",
        "The tube is out, extubated to nasal cannulae as intended.",
        "The ET tube's out, he is on nasal cannulae.",
        "No breath sounds at the left base.",
        "No waveform changes on the EEG.",
        "No trace of blood in the urine.",
        "No trace ketones.",
        "No ventilation defects on the V/Q scan.",
        "No heart sounds added.",
        "She isn't breathing too fast.",
        "Resp rate is four breaths above the set rate.",
        "RR of six on the ventilator.",
        "The patient is intubated with no spontaneous respirations; ventilator set to 14.",
        "Patient not breathing spontaneously under propofol and rocuronium.",
        "He is apnoeic for the scan, breath held.",
        "Mixed venous oxygen saturations are in the sixties.",
        "Central venous saturation is in the sixties.",
        "Oxygen saturations in the sixties and seventies are expected in this child with unrepaired tetralogy.",
        "He is unresponsive to metformin.",
        "She's fitting for a new prosthesis.",
        "He's seizing the chance to go home.",
        "He's collapsed lung on the right, chronic.",
        "She's aspirating thin fluids on videofluoroscopy.",
        "BP not recordable on the left arm after mastectomy.",
        "Gone blue in the fingers with Raynaud's.",
        "She is dying of her cancer, comfort care only.",
        "We have an anaphylaxis kit.",
        "We have anaphylaxis to penicillin in the notes.",
        "Get blood in the morning.",
        "Get blood up for a crossmatch.",
        "Tourniquet on too long skews potassium.",
        "All fours is her preferred position for labour.",
        "Charge to the CCG budget.",
        "Someone help me with the discharge letter!",
        "Come in now, Mrs Jones is ready for clinic.",
        "Crash team now leaving.",
    ],
)
def test_what_ended_on_purpose_is_expected_or_is_ordinary_alarms_nobody(text: str) -> None:
    assert emergency_in_words(text) == ""


def test_a_sentence_is_read_once_whether_or_not_it_is_said_that_it_is_in_no_list() -> None:
    text = "She's not breathing and I can't feel a pulse, bag her now."
    found = emergency_in_words(text)
    with cProfile.Profile() as profile:
        assert emergency_in_words(text, listed=False) == found
    assert found
    assert sum(entry.callcount for entry in profile.getstats()) < 10

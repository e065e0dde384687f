"""Values as people say them: every name in every plain way of saying a value raises the alarm."""

from __future__ import annotations

from typing import Final

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.text.figures import in_figures

VALUES: Final = {
    "potassium": "7.1",
    "lactate": "9",
    "pH": "7.04",
    "haemoglobin": "52",
    "heart rate": "31",
    "sats": "79",
    "temperature": "41.6",
    "GCS": "5",
    "blood pressure": "62/30",
    "pressure": "62 over 30",
    "BP": "62 over 30",
    "resps": "5",
    "sugar": "1.8",
}
WAYS: Final = (
    "His {name}'s {value} now.",
    "The {name}’s {value}, I don't like it.",
    "{name} {value}.",
    "{name} of {value}.",
    "{name} hit {value}.",
    "The {name} has come back {value}.",
    "{name} dropped to {value}.",
    "With a {name} of {value} we can't wait.",
    "{name} still {value}.",
)


@pytest.mark.parametrize("way", WAYS)
async def test_a_value_said_in_a_plain_way_alarms_whatever_it_is_of(way: str) -> None:
    silent = [name for name, value in VALUES.items() if not await alarms(way.format(name=name, value=value))]
    assert silent == []


@pytest.mark.parametrize(
    "said",
    [
        "The cuff pressure was set to go over 30 minutes.",
        "Airway pressure 62 over 30 breaths.",
        "The potassium's 7 tablets a day too many.",
        "Central venous pressure 12 over 10 minutes.",
        "pH 7.24 and rising.",
        "Sats one more time, please.",
        "Sugar, one in the tea.",
        "Potassium two over there in the fridge.",
        "Repeat potassium at one.",
        "At potassium 6.9, or if he stays anuric, I dialyse.",
        "Her potassium is 5.9. I'd dialyse her at a potassium of 6.5.",
        "Haemoglobin 84. We would transfuse him at a haemoglobin of 60.",
        "GCS 13. I would intubate at a GCS of 8.",
        "His usual sats are 80 now, COPD.",
        "16:10 rate 26, pulse 122, pressure 108/66, 37.1, sats 98 on air.",  # nobody has 37.1 of a pressure
    ],
)
async def test_what_only_sounds_like_one_alarms_nobody(said: str) -> None:
    assert await alarms(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "I'd dialyse him at once, potassium 6.9.",
        "Calcium at once, potassium is 6.9.",
        "I'd dialyse him now at a potassium of 7.1.",
        "I'd dialyse him at this potassium of 6.9.",
        "I'd treat him for a potassium of 6.9.",
        "I'd left her at a potassium of 6.9.",
        "I'd dialyse her at a potassium of 6.9.",
        "I'd transfuse her at an Hb of 52.",
        "We'll intubate him at a GCS of 6.",
        "GCS was 14 on arrival. I'd intubate him at a GCS of 6.",
        "I'll give calcium at a potassium of 7.4.",
        "We'll warm him from a temperature of 27.",
        "We'll start insulin at a potassium of 7.2, which it is.",
        "Potassium was 5.9 yesterday. I'd dialyse her at a potassium of 6.9.",
        "Lactate 2. I'd dialyse her at a potassium of 6.9.",
        "We found him at a GCS of 5.",
    ],
)
async def test_an_act_beside_a_value_that_is_there_takes_no_alarm_off(said: str) -> None:
    assert len(await alarms(said)) == 1


async def alarms(text: str) -> list[str]:
    exaim = EXAIM()
    updates = (*await exaim.feed(Delta("doctor1", text, 1, 0.0)), *await exaim.turn_end("doctor1", 2, 0.5))
    return [item.text for update in updates for item in update.items if item.critical_key]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("Sixty-two over thirty-eight on the art line.", "BP 62/38 on the art line."),
        ("Pressure sixty-two over thirty-eight.", "Pressure 62/38."),
        ("She is 82 over 48 now.", "She is BP 82/48 now."),
        ("One ten over sixty, pulse eighty.", "BP 110/60, pulse 80."),
        ("Amiodarone, 300 over 60 minutes.", "Amiodarone, 300 over 60 minutes."),
        ("Run the bag at 100 over 60.", "Run the bag at 100 over 60."),
        ("He scored twenty over thirty.", "He scored twenty over thirty."),
        ("We went over 3 of 90.", "We went over 3 of 90."),
    ],
)
def test_two_numbers_one_over_the_other_are_a_blood_pressure(said: str, written: str) -> None:
    assert in_figures(said) == written

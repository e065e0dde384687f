"""What a small word before it must not take away: an allergy behind "No,", a value in brackets at a line's head."""

from __future__ import annotations

import pytest

from tests.exaim_core.talks import told
from tests.exaim_core.test_stated import Debate


async def alarms(*turns: str) -> list[str]:
    """Return what is told as critical."""
    return [item.text for item in await told(*turns) if item.kind == "critical"]


@pytest.mark.parametrize(
    ("order", "fact"),
    [
        ("Give doxycycline 100 mg by mouth now.", "No. She is pregnant."),
        ("Give metoprolol 5 mg intravenously now.", "No. He has asthma."),
        ("Give amoxicillin 1 g intravenously now.", "No, he is allergic to penicillin."),
        (
            "Give amoxicillin 1 g intravenously now.",
            "He has never had surgery and is allergic to penicillin.",
        ),
    ],
)
async def test_an_order_and_what_it_meets_are_told_although_the_answer_begins_with_no(
    order: str, fact: str
) -> None:
    want = f"Check, {order.split()[1]}. Doctor Two: {fact[0].lower()}{fact[1:]}"

    assert await alarms(order, fact) == [want]


async def test_an_arrest_is_told_although_the_answer_begins_with_no() -> None:
    assert await alarms("Is he stable?", "No, he is in cardiac arrest.") == [
        "Critical, from Doctor Two: cardiac arrest."
    ]


@pytest.mark.parametrize(
    "denial", ["No allergy to penicillin.", "No, he is not allergic to penicillin.", "No cardiac arrest."]
)
async def test_what_is_denied_alarms_nobody(denial: str) -> None:
    assert await alarms("Give amoxicillin 1 g intravenously now.", denial) == []


@pytest.mark.parametrize(
    ("line", "alarm"),
    [
        ("[BP 62/30] Ring the registrar.", "blood pressure 62/30"),
        ("[K 7.4 mmol/L] Stat ECG.", "potassium 7.4 mmol/L"),
        ("[status potassium 7.4 mmol/L, critical] Ring me.", "potassium 7.4 mmol/L"),
    ],
)
async def test_a_value_in_brackets_is_no_head_of_a_message(line: str, alarm: str) -> None:
    (text,) = await alarms(line)

    assert alarm in text


async def test_a_ban_before_the_colon_is_no_head_of_a_message() -> None:
    (item,) = await told("post 2 · DO NOT INTUBATE: he has a valid directive.")

    assert item.presses
    assert "DO NOT INTUBATE: he has a valid directive" in item.text


@pytest.mark.parametrize(
    "words",
    [
        "Mr Lee from the lab called. Mr Lee has a potassium of 7.4 mmol/L for another ward.",
        "Her husband Mr Lee gave the history. Mr Lee's glucose is 1.9 mmol/L.",
        "Thank you, Mrs Jones, for presenting. Mrs Jones's glucose is 1.9 mmol/L.",
    ],
)
async def test_who_stands_beside_the_patient_is_not_the_patient(words: str) -> None:
    assert not [text for text in await alarms(words) if text.startswith("Critical")]


async def test_a_ban_that_two_give_at_a_time_is_told() -> None:
    debate = Debate()
    await debate.says("doctor_1", "Do not give heparin.\n")  # held, for its turn may go on
    await debate.turn("doctor_2", "Do not give heparin.\n")
    await debate.ends("doctor_1")

    assert debate.texts == ["Caution, Doctor Two: do not give heparin."]

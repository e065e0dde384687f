"""Marks that are dictated, and places on a tape, are no words; an organ and a way of speaking stay."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.text.marks import plain


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Potassium 7.1 comma phosphate 3.4 full stop.", "Potassium 7.1, phosphate 3.4."),
        ("Pressure 82 over 40 comma pulse 128 full stop new line", "Pressure 82/40, pulse 128."),
        ("Open bracket known to us close bracket he drinks full stop.", "(known to us) he drinks."),
        ("He drinks open bracket known to us close bracket full stop", "He drinks (known to us)."),
        ("Doxazosin stop full stop. Any allergies question mark", "Doxazosin stop. Any allergies?"),
        ("Comma no tranexamic acid comma full stop.", "no tranexamic acid."),
        ("Fever comma cough full stop new line Chest clear full stop", "Fever, cough. Chest clear."),
        (
            "Final diagnosis: Dilated colon comma no perforation full stop",
            "Final diagnosis: Dilated colon, no perforation.",
        ),
        ("Bloods at four colon urea 30 comma pale full stop", "Bloods at four colon urea 30, pale."),
        ("INR 1 comma 8 comma pale full stop", "INR 1 comma 8, pale."),
        ("[0:09] Jonas, the lab rang back.", "Jonas, the lab rang back."),
        ("[09:08:03] And nitrofurantoin.", "And nitrofurantoin."),
    ],
)
def test_what_is_dictated_as_a_mark_is_read_as_one(written: str, read: str) -> None:
    assert plain(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "The colon is dilated.",
        "Resection of the colon.",
        "The trial came to a full stop last week.",
        "It thinks I said comma.",
        "She typed comma and said comma.",
        "A decimal comma was read as a point.",
        "[05:30] rate 6, sats 84 on air.",
        "Perforated colon start meropenem now.",
        "Caecum and colon 9 cm.",
        "Start noradrenaline through the new line only.",
        "My leading diagnosis is a new line infection.",
        "Platelets 22, open bracket repair tomorrow.",
        "Fever, cough, open bracket repair, old line out, new line.",
    ],
)
def test_what_may_be_meant_as_a_word_stays(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Fever comma cough comma new line infection likely.",
        "Line out comma she needs a new line.",
        "Tube out comma open bracket repair full stop.",
    ],
)
def test_a_catheter_and_a_repair_stay_where_marks_are_dictated(text: str) -> None:
    assert "new line" in plain(text) or "open bracket" in plain(text)


@pytest.mark.parametrize(
    "text",
    [
        "Potassium 3 comma 9.",
        "INR 1 comma 8 full stop",
        "Give adrenaline 0 comma 5 mg IM now.",
        "Glucose 1 comma 4.",
        "Glucose one comma four full stop",
        "Glucose one full stop four full stop",
        "Lactate 7 open bracket 70 close bracket full stop",
    ],
)
def test_between_two_numbers_nothing_is_touched(text: str) -> None:
    assert plain(text) == text


async def told(text: str) -> list[str]:
    exaim = EXAIM()
    updates = (*await exaim.feed(Delta("doctor1", text, 1, 0.0)), *await exaim.turn_end("doctor1", 2, 0.5))
    return [item.text for update in updates for item in update.items]


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("Potassium 3 comma 9.", "potassium 9"),
        ("INR 1 comma 8 full stop", "INR 8"),
        ("Give adrenaline 0 comma 5 mg IM now.", "0, 5 mg"),
        ("Start noradrenaline through the new line only.", "the only"),
        ("My leading diagnosis is a new line infection.", "leads with infection"),
        ("Perforated colon start meropenem now.", "perforated:"),
        ("Final diagnosis: Dilated colon comma no perforation full stop", "dilated:"),
    ],
)
async def test_no_alarm_dose_or_organ_is_made_of_a_mark(text: str, never: str) -> None:
    assert not [item for item in await told(f"{text}\n") if never.lower() in item.lower()]

"""A line that repeats somebody's words answers them, and makes nobody else's order; an hour is no number."""

from __future__ import annotations

import pytest

from tests.exaim_core.test_whose_words import items, played, texts

REPEATED = [
    (
        "labetalol 200 mg oral now",
        '[10:44] ↩️ Tom: "labetalol 200 mg oral now"\nShe is asthmatic, not giving that.',
    ),
    ("Give meropenem 2 g now.", '14:06 ↩ Tom: "Give meropenem 2 g now"\n1 g is plenty at that clearance.'),
    ("Start heparin 5000 units.", 'Tom: "Start heparin 5000 units."\nNot with that scan.'),
    ("It is septic shock from the abdomen.", '↪ Tom: "septic shock from the abdomen"\nNo. The line.'),
    ("Stop the insulin for the night.", "[09:12] Tom: “Stop the insulin for the night.”\nI would not."),
    ("Give calcium gluconate 10 mL at once.", "> Give calcium gluconate 10 mL at once.\n30 mL."),
]
OWN = [
    ("She looks grey.", 'Plan: "Give calcium gluconate 30 mL now."', "calcium gluconate 30 ml"),
    ("Give calcium.", 'Pharmacy: "Give calcium gluconate 30 mL now."', "calcium gluconate 30 ml"),
    ("The scan is booked.", "[09:12] Give adrenaline 0.5 mg IM now.", "adrenaline 0.5 mg"),
    ("Was it potassium 6.9?", 'Lab: "potassium 6.9 mmol/L"', "potassium 6.9"),
    ("Was it potassium 6.9?", 'Tom: "potassium 6.9"', "potassium 6.9"),
    ("If she is in VF, shock her.", 'Tom: "She is in VF"', "she is in vf"),
    ("Intubate if GCS 3 to 8.", 'Tom: "GCS 3"', "gcs 3"),
    ("Do we stop the heparin now?", "↪ stop the heparin now", "stop the heparin now"),
    ("What if he bleeds?", "↩ give adrenaline 1 mg IV now", "adrenaline 1 mg"),
]


@pytest.mark.parametrize(("said", "reply"), REPEATED)
async def test_who_repeats_words_does_not_say_them(said: str, reply: str) -> None:
    told = items(await played(("tom", said), ("mira", reply)))
    words = said.rstrip(".").lower()
    assert not any(words in each.text.lower().partition("mira")[2] for each in told)


@pytest.mark.parametrize(("said", "own", "order"), OWN)
async def test_words_that_nobody_said_before_are_ones_own(said: str, own: str, order: str) -> None:
    assert order in texts(await played(("tom", said), ("mira", own))).lower()


@pytest.mark.parametrize(
    "text", ["Potassium at nine. Diabetes team to see.", "Repeat the potassium at 9.", "K at 8 tonight."]
)
async def test_an_hour_is_told_in_its_words_and_as_no_value(text: str) -> None:
    assert "Critical" not in texts(await played(("tom", text)))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Potassium at 6.9.", "6.9"),
        ("Potassium is at 9 mmol/L.", "9"),
        ("Sodium at one eleven.", "111"),
        ("Lithium at 12:30 = 3.9 mmol/L.", "3.9"),
        ("Her sodium is one ten.", "110"),
        ("Heart rate is one eighty-two.", "182"),
        ("Sodium at one oh nine millimoles per litre.", "109"),
        ("pH is seven oh.", "7"),
        ("Potassium is two oh.", "2"),
        ("GCS is one one one.", "3"),
    ],
)
async def test_a_value_in_words_alarms_with_its_number(text: str, number: str) -> None:
    told = texts(await played(("tom", text)))
    assert "Critical" in told and number in told


@pytest.mark.parametrize(
    "text", ["Sodium at one twenty eight.", "Sodium is one thirty.", "The level is three six."]
)
async def test_a_value_in_words_that_is_not_critical_alarms_nobody(text: str) -> None:
    assert "Critical" not in texts(await played(("tom", text)))

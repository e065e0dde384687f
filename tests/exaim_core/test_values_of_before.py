"""A value of before is no alarm beside the one of now, where neither has sounded yet."""

from __future__ import annotations

import pytest

from tests.exaim_core.test_whose_words import alarms, played


@pytest.mark.parametrize(
    "text",
    [
        "Hb 68, two units, now 91 g/L.",
        "Sodium 109 mmol/L, hypertonic given, now 121 mmol/L.",
        "Glucose 31.4 mmol/L, insulin running, now 17 mmol/L.",
        "Potassium 7.1 mmol/L, resin in, today 4.8 mmol/L.",
        "K 7.4 mmol/L. Dialysed at noon, K now 4.4 mmol/L.",
    ],
)
async def test_a_value_of_before_beside_the_one_of_now_is_no_alarm_that_waits(text: str) -> None:
    updates = await played(("a", text))
    gone = {each for update in updates for each in update.withdraws}
    waiting = [
        item for update in updates for item in update.items if item.critical_key and item.item_id not in gone
    ]
    assert waiting == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Hb 68 g/L, three units in, now 62 g/L.", "62"),
        ("pH 7.04, drowsy, GCS now 13.", "7.04"),
        ("Potassium 7.1 mmol/L, line in, lactate now 1.2 mmol/L.", "7.1"),
        ("Sodium 109 mmol/L, urine now 300 ml.", "109"),
    ],
)
async def test_what_is_critical_now_alarms_whatever_else_is_said_to_be_now(text: str, told: str) -> None:
    heard = [item.text for update in await played(("a", text)) for item in update.items if item.critical_key]
    assert any(told in each for each in heard)


async def test_of_a_course_that_one_gives_only_the_newest_value_is_told_where_none_has_sounded() -> None:
    updates = await played(
        ("a", "15:20: pH 7.04, glucose 31.4 mmol/L. 19:20: pH 7.06, glucose 17 mmol/L."),
    )
    gone = {each for update in updates for each in update.withdraws}
    heard = [
        item.text
        for update in updates
        for item in update.items
        if item.critical_key and item.item_id not in gone
    ]
    assert [("7.06" in each, "7.04" in each, "31.4" in each) for each in heard] == [(True, False, False)]


async def test_of_critical_values_that_two_speakers_give_the_newer_one_is_told_for_both() -> None:
    updates = await played(("a", "pH 7.04."), ("b", "pH 7.06."))
    gone = {each for update in updates for each in update.withdraws}
    assert not any(item.critical_key and item.item_id in gone for update in updates for item in update.items)
    newer = [(each.critical_key, each.alarms) for update in updates for each in update.newer]
    assert newer == [("pH=7.04", True)]


@pytest.mark.parametrize(
    "said",
    [
        "My printout says potassium 5.2 mmol/L.",
        "Potassium 4.2 mmol/L on the ward machine.",
        "Potassium 4.2 mmol/L in the notes.",
    ],
)
async def test_somebody_elses_value_takes_no_alarm_back_that_was_not_heard(said: str) -> None:
    updates = await played(("a", "Potassium 7.1 mmol/L."), ("b", said))
    gone = {each for update in updates for each in update.withdraws}
    assert not any(item.critical_key and item.item_id in gone for update in updates for item in update.items)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("His usual sats are 94, now 80.", "80"),
        ("Her usual BP is 140/80, now 70/40.", "70/40"),
        ("Usual potassium 5.0, now 7.1.", "7.1"),
    ],
)
async def test_what_is_now_alarms_beside_what_is_usual(said: str, value: str) -> None:
    assert any(value in each for each in alarms(await played(("house", said))))


@pytest.mark.parametrize("said", ["His usual sats are 80.", "His usual sats are 80, now 94."])
async def test_what_is_usual_alarms_nobody(said: str) -> None:
    assert not alarms(await played(("house", said)))


@pytest.mark.parametrize(
    "said",
    [
        "BP 74/40 in his left arm, 128/70 in the right.",
        "BP 128/70 in his left arm, 74/40 in the right.",
        "His BP is 74/40 in one arm and 130/80 in the other.",
    ],
)
async def test_a_low_pressure_in_one_arm_is_told_with_that_in_the_other(said: str) -> None:
    assert [each for each in alarms(await played(("house", said))) if said[4:-1] in each]


@pytest.mark.parametrize(
    "said",
    [
        "BP was 74/40 in his left arm, now 128/70 in the right.",
        "BP 124/70 in his left arm, 128/70 in the right.",
        "If BP is 74/40 in the left arm, 128/70 in the right, think of dissection.",
    ],
)
async def test_pressures_in_two_arms_that_are_no_low_ones_of_now_alarm_nobody(said: str) -> None:
    assert not alarms(await played(("house", said)))


@pytest.mark.parametrize(
    "said",
    [
        "K 7.1 for Mrs Brown, ours is 4.1.",
        "Hb 61 for Mrs Brown; ours is 130.",
        "K 7.1 is Mrs Brown, ours 4.1.",
    ],
)
async def test_somebody_elses_value_beside_ours_alarms_nobody(said: str) -> None:
    assert not alarms(await played(("house", said)))


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("K 4.1 for Mrs Brown, ours is 7.3.", "7.3"),
        ("K 7.1 for Mrs Brown, ours is 7.3.", "7.3"),
        ("K 7.1 for Mrs Brown, ours is pending.", "7.1"),
        ("K 7.1 on their machine, ours is 4.1.", "7.1"),
    ],
)
async def test_our_value_alarms_beside_somebody_elses(said: str, value: str) -> None:
    assert any(value in each for each in alarms(await played(("house", said))))

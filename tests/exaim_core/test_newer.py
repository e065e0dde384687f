"""An alarm on a value of which a newer one was stated is told with both, or by the newer alarm; in doubt as it is."""

from __future__ import annotations

import pytest

from exaim_core.schema import Cite, Newer, SpokenItem, SpokenKind, Update
from exaim_core.text.names import Names
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence
from exaim_core.words.newer import NewestValues
from tests.exaim_core.test_whose_words import played


def told(updates: list[Update]) -> list[str]:
    """Return what would be told of the alarms if all had waited to the end."""
    gone = {each for update in updates for each in update.withdraws}
    newer: dict[str, Newer] = {each.item_id: each for update in updates for each in update.newer}
    alarms = [item for update in updates for item in update.items if item.critical_key]
    kept = [item for item in alarms if item.item_id not in gone]
    found = [(item.text, newer.get(item.item_id)) for item in kept]
    return [each.text if each and each.text else text for text, each in found if not (each and each.alarms)]


@pytest.mark.parametrize(
    ("turns", "heard"),
    [
        (
            (("labs", "Potassium 6.6 mmol/L."), ("labs", "Potassium 5.5 mmol/L on the repeat.")),
            "Critical, from the labs: potassium 6.6 mmol/L; since then 5.5 mmol/L.",
        ),
        (
            (("labs", "Potassium 6.6 mmol/L."), ("critic", "Potassium 5.5 now.")),
            "Critical, from the labs: potassium 6.6 mmol/L; since then 5.5, says the critic.",
        ),
        (
            (("labs", "Potassium 6.6"), ("labs", "| | 11:05 | 14:00 |\n|---|---|---|\n| K | 6.6 | 5.5 |")),
            "Critical, from the labs: potassium 6.6; since then 5.5.",
        ),
        (
            (("nurse", "BP 74/40, drowsy."), ("nurse", "BP 112/60 after fluids.")),
            "Critical, from the nurse: blood pressure 74/40; since then 112/60.",
        ),
        (  # the newest of all
            (("labs", "Glucose 2.4 mmol/L."), ("nurse", "Glucose 3.9 now."), ("nurse", "Glucose 6.1 now.")),
            "Critical, from the labs: glucose 2.4 mmol/L; since then 6.1, says the nurse.",
        ),
        (  # another danger: both are told
            (("labs", "Glucose 2.4 mmol/L."), ("labs", "Glucose 31 mmol/L, after the 50 %.")),
            "Critical, from the labs: glucose 2.4 mmol/L; since then 31 mmol/L.",
        ),
    ],
)
async def test_the_danger_is_told_with_what_was_stated_since(
    turns: tuple[tuple[str, str], ...], heard: str
) -> None:
    assert heard in told(await played(*turns))


@pytest.mark.parametrize("second", ["labs", "nurse"])
@pytest.mark.parametrize(("one", "two"), [("7.4", "6.6"), ("6.6", "7.4")])
async def test_of_two_critical_values_only_the_newest_is_told_whoever_gives_it(
    second: str, one: str, two: str
) -> None:
    heard = told(await played(("labs", f"Potassium {one} mmol/L."), (second, f"Potassium {two} mmol/L now.")))
    assert [two in each for each in heard] == [True]


@pytest.mark.parametrize(
    "later",
    [
        "Potassium was 4.4 yesterday.",
        "Her brother has a potassium of 4.4.",
        "Is the potassium 4.4 now?",
        "Aim for a potassium of 4.4.",
        "If the potassium is 4.4, stop the insulin.",
        "I'd stop the insulin at a potassium of 4.4.",
        "Sodium 140 mmol/L.",
        "Potassium 6.6, as the labs say.",
        "The potassium may be 4.4 by noon.",
    ],
)
async def test_what_is_no_newer_value_leaves_an_alarm_as_it_was(later: str) -> None:
    heard = told(await played(("labs", "Potassium 6.6 mmol/L."), ("nurse", later)))
    assert heard == ["Critical, from the labs: potassium 6.6 mmol/L."]


async def test_who_only_speaks_of_an_older_value_gives_no_newer_one() -> None:
    updates = await played(
        ("labs", "Potassium 7.4 mmol/L."),
        ("labs", "Potassium 6.6 mmol/L now."),
        ("critic", "Hartmann's cannot raise a potassium of 7.4."),
    )
    assert [("6.6" in each, "since then" in each) for each in told(updates)] == [(True, False)]


async def test_a_value_that_was_put_right_is_told_no_more() -> None:
    updates = await played(
        ("labs", "The potassium is 7.9 mmol/L."),
        ("labs", "The potassium of 7.9 was haemolysed and the repeat is 4.2."),
    )
    assert told(updates) == []


async def test_a_value_of_another_thing_takes_no_alarm_off() -> None:
    heard = told(await played(("labs", "pH 6.98, bicarbonate 6."), ("labs", "pH is up to 7.36.")))
    assert heard == ["Critical: pH 6.98; since then 7.36.", "Critical: bicarbonate 6."]


async def test_it_says_whether_a_newer_value_is_critical() -> None:
    turns = (("labs", "Potassium 7.4 mmol/L."), ("labs", "Potassium 4.4 mmol/L on the repeat."))
    newer = [each for update in await played(*turns) for each in update.newer]
    assert [(each.critical_key, each.eased, each.alarms) for each in newer] == [
        ("potassium=7.4", True, False)
    ]
    turns = (("labs", "Potassium 7.4 mmol/L."), ("nurse", "Potassium 6.6 mmol/L now."))
    newer = [each for update in await played(*turns) for each in update.newer]
    assert [(each.critical_key, each.eased, each.alarms) for each in newer] == [
        ("potassium=7.4", False, True)
    ]


def _stated(text: str, seq: int) -> Sentence:
    """Return a sentence of one delta of the labs."""
    source = Source("labs", seq, seq, float(seq))
    return Sentence(
        text, Section.OTHER, "", None, opens=True, listed=False, bolds=(), line_no=seq, source=source
    )


def _since_the_first(values: NewestValues) -> list[str]:
    """Return what changed beside an alarm of delta 1."""
    alarm = SpokenItem(
        item_id="0001.1",
        kind=SpokenKind.CRITICAL,
        text="Critical, from the labs: potassium 7.4.",
        critical_key="potassium=7.4",
        agents=("labs",),
        cites=(Cite(agent_id="labs", first_seq=1, last_seq=1),),
    )
    return [each.text.partition("; ")[2] for each in values.changed([alarm], Names())]


def test_what_was_unsaid_or_put_right_leaves_the_value_before_it_and_may_be_stated_again() -> None:
    values = NewestValues()
    values.read([_stated("Potassium 7.4.", 1), _stated("Potassium 5.9.", 2), _stated("Potassium 5.1.", 3)])
    assert _since_the_first(values) == ["since then 5.1."]
    values.unsay("labs", 3)
    assert _since_the_first(values) == ["since then 5.9."]
    values.read([_stated("Potassium 5.1.", 4)])
    assert _since_the_first(values) == ["since then 5.1."]
    values.disown([("potassium", "5.1")])
    assert _since_the_first(values) == ["since then 5.9."]
    values.read([_stated("Nobody trusts a potassium of 5.1.", 5)])
    assert _since_the_first(values) == []


@pytest.mark.parametrize(
    ("turns", "heard"),
    [
        (
            (
                ("nurse", "Heart rate 36."),
                ("registrar", "Atropine 600 please."),
                ("nurse", "Thirty-eight now."),
            ),
            "Critical, from the nurse: heart rate 36; since then 38.",
        ),
        (
            (("labs", "Lactate 7.8."), ("registrar", "Thanks."), ("labs", "Repeat is 5.2.")),
            "Critical, from the labs: lactate 7.8; since then 5.2.",
        ),
        (
            (("nurse", "BP 74/40, drowsy."), ("registrar", "Norad up."), ("nurse", "Up to 108/60 on norad.")),
            "Critical, from the nurse: blood pressure 74/40; since then 108/60.",
        ),
        (
            (
                ("nurse", "Sats 79 on air."),
                ("registrar", "Non-rebreather on."),
                ("registrar", "Ninety-six, lips look fine."),
            ),
            "Critical, from the nurse: oxygen saturation 79; since then 96, says the registrar.",
        ),
        (
            (("nurse", "Heart rate 36."), ("registrar", "Sinus 64, BP 112/60.")),
            "Critical, from the nurse: heart rate 36; since then 64, says the registrar.",
        ),
        (
            (("nurse", "GCS 7."), ("registrar", "E4 V4 M6 now.")),
            "Critical, from the nurse: Glasgow coma score 7; since then 14, says the registrar.",
        ),
    ],
)
async def test_a_value_without_its_name_is_of_what_was_named_last(
    turns: tuple[tuple[str, str], ...], heard: str
) -> None:
    assert heard in told(await played(*turns))


@pytest.mark.parametrize(
    "later",
    [
        "Fifty now?",
        "Ten minutes now.",
        "Give 50 now.",
        "Fifty of fentanyl in.",
        "Two of you to bay three.",
        "If it's 50, hold off.",
        "Aim for 60.",
        "It was 64 yesterday.",
        "Bed 12.",
        "Sinus pause of 4 seconds.",
        "500 now.",  # no heart rate
    ],
)
async def test_a_number_of_something_else_is_no_newer_value(later: str) -> None:
    heard = told(await played(("nurse", "Heart rate 36."), ("nurse", later)))
    assert "Critical, from the nurse: heart rate 36." in heard


@pytest.mark.parametrize(
    ("first", "turns"),
    [
        ("Systolic blood pressure 61.", ("How old is he?", "84.")),  # an answer to something else
        ("Heart rate 34.", ("Which bay?", "62.")),
        ("Glucose 1.6.", ("Sugar please.", "She is 6.")),  # an age
        ("Oxygen saturation 66.", ("Turn it up.", "Now on 100 percent.")),  # a setting
        ("Oxygen saturation 66.", ("Turn it up to 100 percent.", "100 percent now.")),  # what was ordered
        ("BP 54/30.", ("Fluids.", "It's 110 over 70 on the other patient.")),
    ],
)
async def test_a_number_of_another_kind_is_no_newer_value(first: str, turns: tuple[str, str]) -> None:
    heard = told(await played(("nurse", first), ("registrar", turns[0]), ("nurse", turns[1])))
    assert heard
    assert all("since then" not in each for each in heard)


@pytest.mark.parametrize("turns", [("How is he?", "84 now."), ("Fluids.", "She is 84 now.")])
async def test_an_answer_on_the_value_is_a_newer_one(turns: tuple[str, str]) -> None:
    heard = told(
        await played(("nurse", "Systolic blood pressure 61."), ("registrar", turns[0]), ("nurse", turns[1]))
    )
    assert any("since then 84" in each for each in heard)


async def test_a_number_that_may_be_of_two_things_is_of_none() -> None:
    heard = told(await played(("nurse", "Heart rate 36, sats 79."), ("nurse", "Ninety now.")))
    assert heard
    assert all("since then" not in each for each in heard)


async def test_a_pressure_of_two_numbers_is_followed_by_none_of_one() -> None:
    heard = told(await played(("nurse", "BP 62/38."), ("nurse", "Ninety-one now.")))
    assert heard
    assert all("since then" not in each for each in heard)


async def test_an_order_that_met_a_value_is_told_with_the_newer_one() -> None:
    heard = told(
        await played(
            ("nurse", "BP 78/46."),
            ("registrar", "Start a GTN infusion at 10."),
            ("nurse", "Up to 108/60 on norad."),
        )
    )
    assert any("GTN" in each and each.endswith("; since then blood pressure 108/60.") for each in heard)

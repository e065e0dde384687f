"""Questions that others answer by number: each answer stands under its question."""

from __future__ import annotations

import pytest

from exaim_core import SpokenItem
from tests.exaim_core.test_quotes import told

ASKS = (
    "lead",
    "Answer these:\n1. Diagnosis?\n2. First act?\n3. Dose?\n4. Not to be given?\n5. Alarm line?\n6. Missing?\n",
)


async def said(*answers: tuple[str, str]) -> list[SpokenItem]:
    return [item for item in await told(ASKS, *answers) if item.kind != "closing"]


async def test_what_must_not_be_given_is_told_as_that() -> None:
    items = await said(("icu", "4. Midazolam, or any sedative, outside ICU.\n"))
    assert items
    assert [item.text for item in items] == [
        "Caution, ICU: do not give midazolam, or any sedative, outside ICU."
    ]


async def test_a_heading_that_says_only_that_answers_follow_is_none() -> None:
    items = await said(("merger", "Per question:\n4. Haloperidol, benzodiazepines.\n"))
    assert items
    assert all(
        item.text == "Caution, the merger: do not give haloperidol, benzodiazepines." for item in items
    )


async def test_the_second_sentence_of_an_answer_stands_there_too() -> None:
    items = await said(("hep", "4. Vecuronium. Amiodarone 300 mg, ever.\n"))
    assert all(item.kind == "caution" for item in items if "amiodarone" in item.text.lower())


@pytest.mark.parametrize(
    "answer",
    [
        "4. Nothing.\n",
        "4. As toxicology.\n",
        "4. No opinion.\n",
        "1. As hepatology.\n",
        "4. None.\n",
        "1. –\n",
    ],
)
async def test_who_refers_or_says_nothing_is_told_as_nothing(answer: str) -> None:
    assert await said(("a", answer)) == []


@pytest.mark.parametrize(
    "asks",
    [
        "1. Diagnosis?\n2. Dose?\n",  # too few
        "1. Diagnosis.\n2. Dose.\n3. Route.\n4. Not to be given.\n",  # no questions
        "2. Diagnosis?\n3. Dose?\n4. Not to be given?\n",  # not from 1 on
        "1. Sepsis?\n2. Vasculitis?\n3. Lymphoma?\n4. Not to be given?\n",  # doubts
    ],
)
async def test_what_is_no_list_of_questions_heads_no_answer(asks: str) -> None:
    items = await told(("lead", asks), ("icu", "4. Midazolam 2 mg, outside ICU.\n"))
    assert not any("not" in item.text and "midazolam" in item.text.lower() for item in items)


async def test_the_asker_answers_nobody_and_a_heading_of_its_own_counts() -> None:
    own = await told(ASKS, ("icu", "## Plan\n4. Midazolam 2 mg now.\n"))
    assert not any("not to be given" in item.text.lower() for item in own)
    again = await told(ASKS, ("lead", "4. Midazolam 2 mg now.\n"))
    assert not any("not to be given" in item.text.lower() for item in again)


async def test_a_later_list_takes_the_place_of_an_earlier_one() -> None:
    items = await told(
        ASKS,
        ("chair", "1. Who sees him?\n2. Where?\n3. When?\n4. What is to be given?\n"),
        ("icu", "4. Midazolam 2 mg now.\n"),
    )
    assert not any("not to be given" in item.text.lower() for item in items)


@pytest.mark.parametrize(
    "answer",
    [
        "4. I have no objection to heparin.\n",
        "4. Anything but ibuprofen may be given.\n",
        "Doses:\n1. Bisoprolol 1.25 mg.\n4. Colchicine 500 micrograms.\n",
        "I would do it in this order.\n1. Aspirin 300 mg.\n4. Heparin 5000 units.\n",
    ],
)
async def test_what_may_be_given_and_a_plan_of_ones_own_are_no_bans(answer: str) -> None:
    assert not any(item.kind == "caution" for item in await said(("icu", answer)))


async def test_an_answer_is_of_one_turn() -> None:
    items = await said(("icu", "4. Midazolam.\n"), ("icu", "1. Levetiracetam 4.5 g.\n4. Propofol 2 mg/kg.\n"))
    assert not any("propofol" in item.text.lower() and item.kind == "caution" for item in items)


async def test_questions_stand_until_their_asker_asks_nothing() -> None:
    items = await said(("lead", "Thank you, that is all.\n"), ("icu", "4. Midazolam 2 mg.\n"))
    assert not any(item.kind == "caution" for item in items)


@pytest.mark.parametrize(
    ("asks", "answer"),
    [
        ("Anything to stop or hold?", "Continue aspirin 75 mg."),
        ("Can she restart apixaban or never?", "Apixaban 5 mg from day three."),
        ("Any drugs stopped recently?", "Prednisolone 30 mg."),
    ],
)
async def test_a_question_that_may_be_answered_by_an_order_forbids_nothing(asks: str, answer: str) -> None:
    items = await told(("lead", f"1. Diagnosis?\n2. Dose?\n3. {asks}\n"), ("icu", f"3. {answer}\n"))
    assert not any(item.kind == "caution" for item in items)


@pytest.mark.parametrize(
    ("asks", "answer", "told_so"),
    [
        ("Was the sample haemolysed?", "Potassium 7.2 mmol/L, not haemolysed.", "potassium 7.2"),
        ("First drug?", "Give adrenaline 0.5 mg IM.", "give adrenaline 0.5 mg im"),
    ],
)
async def test_other_questions_take_no_alarm_and_no_order(asks: str, answer: str, told_so: str) -> None:
    items = await told(("lead", f"1. {asks}\n2. Dose?\n3. Not to be given?\n"), ("icu", f"1. {answer}\n"))
    assert any(told_so in item.text.lower() and item.kind in {"critical", "action"} for item in items)

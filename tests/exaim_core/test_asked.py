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


async def test_a_diagnosis_is_told_as_a_view() -> None:
    assert any(
        "leads with acute liver failure" in item.text
        for item in await said(("hep", "1. Acute liver failure.\n"))
    )


async def test_a_limit_is_no_finding_of_the_patient() -> None:
    items = await said(("hep", "5. Lactate over 3 after fluids, pH under 7.3.\n"))
    assert all("alarm line" in item.text.lower() for item in items)


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

"""A question that names something is never answered for another thing, and one that goes on keeps its thing."""

from __future__ import annotations

import pytest

from tests.dialogue.asking import Asking, board_of

_PAIN = (
    ("doctor_1", "Morphine 5 mg IV for the pain. Paracetamol 1 g four times a day."),
    ("doctor_2", "Agree. The creatinine is 240."),
)
_SHOCK = (
    ("doctor_1", "If the pressure stays below 65, start adrenaline at 0.05 microgram/kg/min. Lactate 5.6."),
    ("doctor_2", "I agree. CRP 212. Dexamethasone is not for her: the oedema is not from a tumour."),
    ("doctor_3", "Go to theatre. The temperature is 38.9."),
)


async def _told(said: tuple[tuple[str, str], ...], *questions: str) -> list[str]:
    asking = Asking(await board_of(*said), None)
    return [(await asking.ask(question)).text for question in questions]


@pytest.mark.parametrize(
    "asks", ["How much {}?", "Why {}?", "Who wants {}?", "When do we give {}?", "And {}?"]
)
@pytest.mark.parametrize("drug", ["ketamine", "midazolam", "ketorolac"])
async def test_a_drug_that_nobody_spoke_of_is_denied_by_its_name(asks: str, drug: str) -> None:
    _, answer = await _told(_PAIN, "Can he have morphine?", asks.format(drug))
    assert answer.startswith(f"I have nothing on {drug}")
    assert "morphine" not in answer


@pytest.mark.parametrize("asked", ["How much flurbozole?", "Why the tube?", "How much plasma exchange?"])
async def test_a_thing_that_nobody_knows_is_not_the_one_before(asked: str) -> None:
    _, answer, after = await _told(_PAIN, "Can he have morphine?", asked, "How often?")
    assert "orphine" not in answer
    assert "orphine" not in after


async def test_a_question_goes_on_from_the_last_thing_also_where_nothing_was_found_of_it() -> None:
    *_, answer = await _told(_PAIN, "Can he have morphine?", "And ketamine?", "How much?")
    assert answer.startswith("I have nothing on ketamine")


@pytest.mark.parametrize("asked", ["How much?", "How much then?", "How much exactly?"])
async def test_a_question_that_names_nothing_goes_on(asked: str) -> None:
    _, answer = await _told(_PAIN, "Can he have morphine?", asked)
    assert answer.startswith("On morphine: Doctor One: morphine 5 mg IV")


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        ("When do we start adrenaline?", "At what dose?", "0.05 microgram/kg/min"),
        ("Can she have dexamethasone?", "Why not?", "the oedema is not from a tumour"),
        ("Can she have dexamethasone?", "Who said that?", "Doctor Two"),
    ],
)
async def test_what_was_taken_over_is_looked_for(first: str, then: str, told: str) -> None:
    _, answer = await _told(_SHOCK, first, then)
    assert told in answer
    assert "I have nothing" not in answer


async def test_a_drug_of_no_vocabulary_opens_its_answer() -> None:
    said = (("doctor_1", "Lorazepam 4 mg IV, then levetiracetam 60 mg/kg."),)
    (answer,) = await _told(said, "How much levetiracetam?")
    assert answer.startswith("On levetiracetam: Doctor One: lorazepam 4 mg IV, then levetiracetam 60 mg/kg.")


async def test_what_was_asked_aside_is_not_asked_of_the_next_thing() -> None:
    said = (
        ("doctor_1", "The temperature was 39.8 at 06:00. The potassium is 5.4."),
        ("doctor_2", "Temperature 38.9 now."),
    )
    *_, answer = await _told(said, "What's the potassium?", "Since when?", "And the temperature?")
    assert "38.9" in answer.split("39.8")[0]


async def test_is_it_rising_goes_on() -> None:
    said = (("doctor_1", "Sodium 126 at 20:00."), ("doctor_2", "Sodium 127 at 23:00."))
    _, answer = await _told(said, "What's the sodium?", "Is it rising?")
    assert "126" in answer


async def test_and_before_asks_for_the_course_of_the_thing() -> None:
    said = (("doctor_1", "Sodium 126 at 20:00."), ("doctor_2", "Sodium 127 at 23:00."))
    _, answer = await _told(said, "What's the sodium?", "And before?")
    assert "126" in answer

"""What a few words in reply order, and what they only answer or tell of the past."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta


async def told(*turns: str) -> list[tuple[str, str]]:
    """Return what is told of turns, each "speaker: words", with its kind."""
    engine, said = EXAIM(), list[tuple[str, str]]()
    for at, turn in enumerate(turns):
        speaker, _, words = turn.partition(": ")
        updates = await engine.feed(Delta(speaker, words, 2 * at, 4.0 * at))
        updates += await engine.turn_end(speaker, 2 * at + 1, 4.0 * at + 3)
        said += [(item.kind, item.text) for update in updates for item in update.items]
    return said


@pytest.mark.parametrize(
    ("asked", "answer", "value", "order"),
    [
        ("Glucose?", "2. Give 50 ml of 20% glucose IV.", "glucose 2", "give 50 ml of 20% glucose IV"),
        ("GCS?", "3. Intubate now.", "score 3", "intubate now"),
    ],
)
async def test_an_answer_with_a_value_and_an_order_tells_both(
    asked: str, answer: str, value: str, order: str
) -> None:
    said = [text for _, text in await told(f"a: {asked}", f"b: {answer}")]
    assert any(value in text for text in said)
    assert any(order in text for text in said)


@pytest.mark.parametrize(
    "turns",
    [
        ("a: What caused the rash?", "b: Amoxicillin, then vancomycin."),
        ("a: What is she on?", "b: Noradrenaline now."),
        ("a: She reacted to penicillin.", "b: Then cefalexin."),
        ("a: He was on ramipril. Now losartan.",),
        ("a: He was on amlodipine.", "b: Ramipril now."),
        ("a: He's on ramipril.", "b: Now losartan."),
        ("a: Hold the metformin.", "b: Metformin 500."),
        ("a: Where is she?", "b: ICU now."),
        ("a: What are they doing?", "b: CT head now."),
        ("a: What has she had?", "b: Lorazepam 4 mg. Then levetiracetam."),
        ("a: Past surgical history please.", "b: Cholecystectomy."),
        ("a: Previous MI in 2019.", "b: PCI then."),
        ("a: Bed 2, which drug next?", "b: Vancomycin now."),
        ("a: Plan: intubated, ventilated.",),
        ("a: Next: CTPA negative.",),
    ],
)
async def test_what_answers_a_question_or_goes_on_with_the_past_is_no_order(turns: tuple[str, ...]) -> None:
    assert not [text for kind, text in await told(*turns) if kind == "action"]


@pytest.mark.parametrize(
    "turns",
    [
        ("a: Which drug next?", "b: Vancomycin now."),
        ("a: What do you want?", "b: CT head now."),
        ("a: What's the BP?", "b: Noradrenaline now."),
        ("a: She's seizing.", "b: Lorazepam now."),
        ("a: He had a stroke in 2019.", "b: CT head now."),
        ("a: Cultures are off.", "b: Then vancomycin."),
        ("a: She's on noradrenaline.", "b: Vasopressin now."),
        ("a: It's a STEMI.", "b: Primary PCI then."),
    ],
)
async def test_a_thing_to_do_now_is_an_order(turns: tuple[str, ...]) -> None:
    assert [text for kind, text in await told(*turns) if kind == "action"]


async def test_a_letter_with_two_things_or_of_an_earlier_question_names_none() -> None:
    first = "a: Final answer: (C) Pulmonary embolism."
    other = "b: Final answer: (C) Pulmonary hypertension."
    said = await told(first, other, "c: Final answer: (C).")
    assert not any("Agent C" in text for _, text in said)
    said = await told(first, "moderator: Question 2. Which drug next?", "b: Final answer: (C).")
    assert not any("Agent B" in text for _, text in said)
    bare = EXAIM()
    for at, (agent, text) in enumerate(
        (("a", "(C) Pulmonary embolism"), ("b", "(C) Pulmonary hypertension"), ("c", "(C)"))
    ):
        await bare.feed(Delta(agent, text, 2 * at, 4.0 * at))
        updates = await bare.turn_end(agent, 2 * at + 1, 4.0 * at + 3)
    assert not any("[" in text for update in updates for text in map(str, update.spare))


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ("b: Tension pneumothorax. Needle decompression now.", "needle decompression now."),
        ("b: Next: intubate. Ketamine 100 mg, roc 100 mg.", "ketamine 100 mg, roc 100 mg."),
        ("b: Cath lab now!", "cath lab now."),
    ],
)
async def test_an_order_in_a_few_words_is_told_once_and_whole(turn: str, expected: str) -> None:
    said = [text.lower() for _, text in await told("a: He's worse.", turn)]
    assert sum(expected in each for each in said) == 1


@pytest.mark.parametrize("reason", ["Wells is zero.", "The CT is clean."])
async def test_a_dissent_is_told_once_with_its_reason(reason: str) -> None:
    said = await told("a: Likely PE.", f"b: I disagree. {reason}")
    assert [text.lower().count("disagree") for _, text in said if reason in text] == [1]

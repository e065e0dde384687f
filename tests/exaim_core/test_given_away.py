"""What a speaker gives to somebody else in the same turn is told with that, and is no hazard and no last word."""

from __future__ import annotations

import pytest

from exaim_core import SpokenKind
from tests.exaim_core.talks import told

FACT = "Phenytoin is out, the ECG shows Mobitz II."


@pytest.mark.parametrize(
    "away",
    ["Sorry, that's his brother's ECG.", "Oh, that's the wrong ECG.", "Wait, wrong man, that's bed 4's ECG."],
)
async def test_a_fact_that_is_given_away_is_told_with_its_end_and_warns_of_no_order(away: str) -> None:
    items = await told(f"{FACT}\n{away}", "Phenytoin 20 mg/kg now.")
    assert [each.text for each in items if "Mobitz" in each.text] == [
        f"Doctor One: {FACT[0].lower()}{FACT[1:]} {away}"
    ]
    assert not any(each.kind is SpokenKind.CRITICAL for each in items)
    assert items[0].protects


async def test_another_sentence_between_them_is_not_taken_back() -> None:
    items = await told(f"{FACT} Levetiracetam 2 g instead.\nSorry, that's his brother's ECG.")
    changes = [each.text for each in items if each.kind is SpokenKind.CHANGE]
    assert changes == [f"Doctor One: {FACT[0].lower()}{FACT[1:]} Sorry, that's his brother's ECG."]


@pytest.mark.parametrize(
    "said",
    [
        "That's his brother's ECG?",
        "Sorry, is that his brother's ECG?",
        "No, it could be his brother's ECG.",
        "Sorry, that's not his brother's ECG, it's his.",
        "Wait, that's bed 4's potassium, ours is 5.1.",
        "No, that's his wife's account.",
        "Sorry, that's from his brother.",
        "Sorry, that's what his brother said.",
        "No, no, that is his mother's heart block as well.",
        "No phenytoin, that's his brother's drug.",
        "Oh, that's the wrong dose.",
    ],
)
async def test_in_doubt_the_fact_stands(said: str) -> None:
    items = await told(f"{FACT} {said}", "Phenytoin 20 mg/kg now.")
    assert any(each.kind is SpokenKind.CRITICAL and "phenytoin" in each.text for each in items)


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("She's pregnant. Oh, that's the wrong sample pot, but yes, positive.", "Methotrexate 50 mg now."),
        ("She's pregnant. Oh, that's the wrong bottle.", "Methotrexate 50 mg now."),
        ("He's allergic to penicillin. Oh, that's the wrong tube.", "Amoxicillin 1 g now."),
    ],
)
async def test_a_thing_at_hand_that_is_the_wrong_one_takes_no_hazard_off(said: str, order: str) -> None:
    items = await told(said, order)
    assert any(each.kind is SpokenKind.CRITICAL for each in items)


async def test_a_ban_on_the_wrong_label_is_told_as_a_ban_alone() -> None:
    items = await told("No NSAIDs, he has a GI bleed. Sorry, that was the wrong label on the tube.")
    assert [each.kind for each in items] == [SpokenKind.CAUTION]


async def test_a_ban_may_still_be_given_to_another_person() -> None:
    items = await told("Phenytoin is out, the ECG shows Mobitz II. Wrong man, that's bed 4's ECG.")
    assert any(each.kind is SpokenKind.CHANGE for each in items)


@pytest.mark.parametrize("away", ["That's the wrong bottle.", "Oh, that's the wrong bottle."])
async def test_a_ban_on_the_wrong_bottle_still_meets_an_order(away: str) -> None:
    items = await told(f"Don't give the morphine. {away}", "Morphine 10 mg IV.")
    assert [each.kind for each in items] == [SpokenKind.CAUTION, SpokenKind.ACTION]
    assert items[-1].text.endswith("against Doctor One's caution.")


@pytest.mark.parametrize(
    "back",
    [
        "I must correct myself: it is on the right side.",
        "Sorry, right-sided.",
        "No, I beg your pardon: it is right-sided.",
        "At least, that was my view until the lateral film came.",
    ],
)
async def test_a_result_that_its_speaker_puts_right_at_once_is_told_with_that(back: str) -> None:
    said = "The radiograph demonstrates a left-sided pneumothorax."
    texts = [each.text for each in await told(f"{said} {back}") if "left-sided" in each.text]
    assert texts and all(back in text for text in texts)

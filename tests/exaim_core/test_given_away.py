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

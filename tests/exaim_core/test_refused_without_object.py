"""A refusal that names nothing is told behind the proposal that it answers, though that is no question."""

from __future__ import annotations

import pytest

from tests.exaim_core.talks import told

REFUSED = "Not a chance, he bit through a sheet."


@pytest.mark.parametrize(
    "proposed",
    ["We need an LP tonight.", "I'd tap him tonight.", "Let's take him down now."],
)
async def test_a_refusal_that_opens_its_turn_is_told_behind_the_proposal(proposed: str) -> None:
    texts = [each.text for each in await told(proposed, REFUSED)]
    words = f"{proposed[0].lower()}{proposed[1:]}" if not proposed.startswith("I'd") else proposed
    assert f"Doctor One: {words} Caution, Doctor Two: not a chance, he bit through a sheet." in texts


@pytest.mark.parametrize(
    ("proposed", "told_as"),
    [
        (
            "I'd tap him tonight.",
            "Doctor One: I'd tap him tonight. Caution, Doctor Two: don't give heparin before that.",
        ),
        ("We have four hours.", "A caution from Doctor Two on heparin is on the page."),
    ],
)
async def test_a_ban_that_points_to_the_words_before_it_is_not_lost(proposed: str, told_as: str) -> None:
    assert [each.text for each in await told(proposed, "Don't give heparin before that.")][-1] == told_as


@pytest.mark.parametrize(
    "turns",
    [
        ("He is confused and hot.", REFUSED),
        ("I'd tap him tonight.", f"His sheet is torn and wet. {REFUSED}"),
        ("I'd tap him tonight. He is confused and hot now, and pulls at his lines.", REFUSED),
    ],
)
async def test_it_is_told_behind_nothing_that_it_may_not_answer(turns: tuple[str, str]) -> None:
    assert not any(
        each.text.startswith("Doctor One: ") and "not a chance" in each.text for each in await told(*turns)
    )

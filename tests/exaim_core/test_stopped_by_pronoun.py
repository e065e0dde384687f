"""A stop of "it" is told with the sentence that names the thing; nothing is concluded from it."""

from __future__ import annotations

from typing import Final

import pytest

from tests.exaim_core.test_whose_words import items, played

STOPS: Final = [
    "It should be stopped.",
    "That needs stopping now.",
    "So it must be held today.",
]
NO_STOPS: Final = [
    "She is on metformin and lisinopril. It should be stopped.",
    "Her sister takes metformin. It should be stopped.",
    "Is she on metformin? It should be stopped.",
    "The discussion is going in circles. It should stop now.",
    "She is still on metformin. Should it be stopped?",
    "It should be stopped.",
]


async def cautions(*turns: tuple[str, str]) -> list[str]:
    return [item.text for item in items(await played(*turns)) if item.kind == "caution"]


@pytest.mark.parametrize("stop", STOPS)
async def test_a_stop_is_told_behind_the_drug_that_was_named(stop: str) -> None:
    told = await cautions(("house", f"She is still on metformin. {stop}"))
    assert told == [f"Caution, the house: she is still on metformin. {stop}"]


async def test_it_is_told_behind_the_words_of_another_too() -> None:
    told = await cautions(
        ("house", "She is still on metformin."), ("wilson", "Agreed. That needs stopping now.")
    )
    assert told == ["The house: she is still on metformin. Caution, the wilson: that needs stopping now."]


@pytest.mark.parametrize("said", NO_STOPS)
async def test_what_names_nothing_or_two_things_is_not_told(said: str) -> None:
    assert await cautions(("house", said)) == []

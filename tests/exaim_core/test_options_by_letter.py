"""A letter alone answers with the option that an agent named by it before."""

from __future__ import annotations

import pytest

from tests.exaim_core.test_ruling import closing

NAMED = ("A", "Final answer: (C) Pulmonary embolism.\n")


@pytest.mark.parametrize("said", ["Final answer: (C).", "I vote C.", "My vote is C.", "Answer: C"])
async def test_a_letter_alone_is_the_option_that_was_named_before(said: str) -> None:
    turns = (NAMED, ("B", f"{said}\n"), ("C", "I vote B, pneumonia.\n"))
    assert await closing(*turns) == (
        "Finished. Pulmonary embolism, from Agent A and Agent B; pneumonia, from Agent C."
    )


@pytest.mark.parametrize(
    "said",
    ["Final answer: (D).", "Final answer: (C) or (B).", "Is it (C)?", "I vote no.", "I vote A and C."],
)
async def test_another_letter_an_open_answer_and_a_question_are_no_vote_for_it(said: str) -> None:
    assert "Agent B" not in await closing(NAMED, ("B", f"{said}\n"), ("C", "I vote B, pneumonia.\n"))


async def test_a_letter_with_two_meanings_stands_for_nothing() -> None:
    other = ("B", "Final answer: (C) Pericarditis.\n")
    assert "Agent C" not in await closing(NAMED, other, ("C", "Final answer: (C).\n"))

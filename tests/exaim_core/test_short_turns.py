"""What is left of a short turn is told into a silence, in its speaker's words."""

from __future__ import annotations

import pytest

from tests.exaim_core.test_quotes import updates_of


async def _spare(*turns: tuple[str, str]) -> list[str]:
    return [item.text for update in await updates_of(*turns) for item in update.spare]


async def _offered(*turns: tuple[str, str]) -> list[str]:
    items = [item for update in await updates_of(*turns) for item in (*update.items, *update.spare)]
    return [item.text for item in items if item.kind != "closing"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Scan's positive, free fluid round the spleen.", "Scan's positive, free fluid round the spleen."),
        ("Perforated viscus then.", "Perforated viscus then."),
        ("Right ear's full of vesicles.", "right ear's full of vesicles."),
    ],
)
async def test_a_short_turn_is_told_in_its_own_words(text: str, told: str) -> None:
    assert any(each.lower().endswith(told.lower()) for each in await _offered(("Registrar", text)))


async def test_an_answer_is_told_behind_its_question() -> None:
    spare = await _spare(("Chair", "What are we all calling this?"), ("Doctor", "Kawasaki disease."))
    assert "The chair: what are we all calling this? The doctor: Kawasaki disease." in spare


@pytest.mark.parametrize(
    "text",
    [
        "Mm.",
        "Yes, doctor.",
        "Thanks, that helps.",
        "Could you ring them?",
        "It needs doing.",  # what it points to is not in the turn
        "My brother had mumps.",
        "My own kid had croup last week, same bark.",
        "One of the textbooks mentions porphyria.",
    ],
)
async def test_talk_and_what_is_not_of_this_patient_now_is_not(text: str) -> None:
    assert await _spare(("Registrar", text)) == []


async def test_what_the_next_sentence_takes_back_is_not_told_alone() -> None:
    spare = await _spare(
        ("Nurse", "No known allergies. Actually penicillin, rash."), ("Doctor", "Amoxicillin 1 g IV now.")
    )
    assert [each for each in spare if "allerg" in each.lower()] == [
        "The nurse: No known allergies. Actually penicillin, rash."
    ]


async def test_a_long_turn_is_told_by_its_sentences_alone() -> None:
    text = (
        "Spleen looks bulky. "
        + "The film was taken at the bedside by the night team with a portable machine. " * 3
    )
    assert not any("bulky" in each for each in await _spare(("Registrar", text)))

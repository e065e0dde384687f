"""What goes on inside its turn is told behind the sentence before it, and with the one that limits it."""

from __future__ import annotations

import pytest

from tests.exaim_core.test_quotes import updates_of

CASES = (
    (
        "Hypertonic saline 3 %, 5 ml/kg over ten minutes. Don't wait for a CT.",
        "saline 3 %, 5 ml/kg over ten minutes. Don't wait for a CT.",
    ),
    (
        "Ring them again. Pupils every 15 minutes. One that changes: argatroban off, CT, call him.",
        "Pupils every 15 minutes. One that changes: argatroban off",
    ),
    (
        "Meropenem 1 g now, full dose whatever the kidney does. Halve from dose three.",
        "full dose whatever the kidney does. Halve from dose three.",
    ),
    (
        "Clopidogrel was me. He has a stent and I believed the catheter was out. The one that came out was bed 14's.",
        "Clopidogrel was me. He has a stent",
    ),
)


async def told(*turns: tuple[str, str]) -> list[str]:
    items = [item for update in await updates_of(*turns) for item in (*update.items, *update.spare)]
    return [item.text for item in items if item.kind != "closing"]


@pytest.mark.parametrize(("turn", "words"), CASES)
async def test_it_is_told_with_what_it_is_about(turn: str, words: str) -> None:
    assert any(words in each for each in await told(("Reg", turn)))


async def test_a_bare_answer_is_told_behind_the_question() -> None:
    turns = (("Chair", "Quantiferon?"), ("Pulm", "Positive, 1.9. Never treated. X-ray clean."))
    assert any(each.startswith("The chair: Quantiferon? ") for each in await told(*turns))


async def test_an_answer_that_names_its_thing_needs_no_question() -> None:
    said = await told(("Chair", "Potassium?"), ("Nurse", "Sodium's 140."))
    assert not any("otassium" in each for each in said)


async def test_nobody_elses_sentence_is_told_before_the_patients() -> None:
    said = await told(
        ("A", "His brother had a stroke. The dose of clopidogrel then is halved until the repeat scan.")
    )
    assert not any("brother" in each and "clopidogrel" in each for each in said)


async def test_a_name_of_two_letters_stands_before_all_that_its_speaker_said() -> None:
    said = await told(("ID", "Her blood cultures are positive. Start meropenem."))
    assert "ID: Her blood cultures are positive. Start meropenem." in said

"""What does not press is told behind the sentences before it in its turn: these mostly say what it is about."""

from __future__ import annotations

import pytest

from tests.exaim_core.test_quotes import updates_of


@pytest.fixture(autouse=True)
def likely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every sentence likely to hold a key point: what the table says of it is measured, not tested."""
    monkeypatch.setattr("exaim_core.claims.quotes.likelihood", lambda *_, **__: 0.7)


async def told(*turns: tuple[str, str]) -> list[str]:
    """Return all that may be told, a silence's too, without the closing."""
    items = [item for update in await updates_of(*turns) for item in (*update.items, *update.spare)]
    return [item.text for item in items if item.kind != "closing"]


@pytest.mark.parametrize(
    "passage",
    [
        "Enoxaparin began nine days ago. Fall of platelets 58 %.",
        "The biopsy needs a slot. The slot is Thursday. Warfarin goes on, INR must be under 3.",
    ],
)
async def test_what_is_told_keeps_what_was_said_before_it(passage: str) -> None:
    assert await told(("A", f"{passage}\n")) == [f"Agent A: {passage}"]


async def test_what_a_caution_goes_on_with_is_told_once() -> None:
    passage = "the glucose must not fall fast. Aimed fall 3 to 5 mmol/L an hour."
    assert await told(("A", f"T{passage[1:]}\n")) == [f"Caution, Agent A: {passage}"]


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Still 900 mg a day running.", False),
        ("Replace, carefully, 1000 units a day.", False),
        ("58 of them inside the band, and the others were not looked at.", False),
        ("Amiodarone, still 900 mg a day running.", True),
        ("His haemoglobin has dropped to 7.1 g/dL.", True),
    ],
)
async def test_an_answer_that_names_nothing_is_not_told_where_nothing_stands_before_it(
    text: str, is_told: bool
) -> None:
    assert (
        bool(await told(("B", "How is that one now, and what about the rest?\n"), ("A", f"{text}\n")))
        is is_told
    )


async def test_what_was_told_is_not_told_again_before_what_follows() -> None:
    said = await told(("A", "Platelets are 88 with a spleen tip. Creatinine is 318 µmol/L today.\n"))
    assert sum("spleen tip" in each for each in said) == 1


async def test_a_passage_that_is_part_of_a_longer_one_is_told_with_it_only() -> None:
    said = await told(
        (
            "A",
            "Portal flow is reversed. Amiodarone runs at 900 mg a day. Noradrenaline runs at 0.2 micrograms.\n",
        )
    )
    assert sum("900 mg" in each for each in said) == 1


async def test_a_name_with_a_comma_stands_before_the_whole_passage() -> None:
    said = await told(
        ("Ann Reed, hub doctor", "The pressure is held. Noradrenaline runs at 0.2 micrograms/kg/min.\n")
    )
    assert not any("hub doctor:" in each.partition(": ")[2] for each in said)

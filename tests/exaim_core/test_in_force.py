"""What is short is told with what goes on with it; what its speaker came back to is not told late."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.lexicon.things import things


async def discussed(*turns: tuple[str, str]) -> list[Update]:
    exaim = EXAIM()
    updates: list[Update] = []
    for number, (agent, text) in enumerate(turns):
        updates += await exaim.feed(Delta(agent, text, 2 * number + 1, 20.0 * number))
        updates += await exaim.turn_end(agent, 2 * number + 2, 20.0 * number + 1.0)
    return [*updates, *await exaim.finish(20.0 * len(turns))]


def told(updates: list[Update]) -> list[str]:
    return [item.text for update in updates for item in update.items]


def withdrawn(updates: list[Update]) -> list[str]:
    gone = {item for update in updates for item in update.withdraws}
    return [item.text for update in updates for item in update.items if item.item_id in gone]


async def test_a_short_sentence_is_told_with_the_one_that_goes_on_with_it() -> None:
    texts = told(
        await discussed(("pharmacist", "Stop the tramadol. Fifty milligrams less every three days.\n"))
    )
    assert any("stop the tramadol. Fifty milligrams less every three days." in text for text in texts)


async def test_without_one_it_is_told_with_the_sentence_before_it() -> None:
    text = "She goes to the Royal by helicopter. No ibuprofen there before six.\n"
    texts = told(await discussed(("urologist", text)))
    assert any("helicopter. No ibuprofen there before six" in text for text in texts)


async def test_the_sentence_of_another_line_is_not_of_it() -> None:
    texts = told(await discussed(("pharmacist", "- Stop the tramadol.\n- Chest film at noon.\n")))
    assert any(text.endswith("stop the tramadol.") for text in texts)


async def test_what_has_words_enough_stands_alone() -> None:
    text = "Stop the tramadol today because her sodium has fallen to 121 mmol/L. She sleeps well at night.\n"
    assert not any("sleeps" in text for text in told(await discussed(("pharmacist", text))))


FIRST = "Give vasopressin 0.03 units/min now.\n"


async def test_an_order_that_its_speaker_comes_back_to_is_not_told_late() -> None:
    updates = await discussed(
        ("agent_1", FIRST),
        ("agent_2", "Hydrocortisone comes before vasopressin.\n"),
        ("agent_1", "The vasopressin can wait for the echo.\n"),
    )
    assert any("vasopressin 0.03" in text for text in withdrawn(updates))


@pytest.mark.parametrize(
    "later",
    [
        ("agent_2", "The vasopressin can wait for the echo.\n"),  # somebody else: told beside it
        ("agent_1", "I would give vasopressin 0.03 units/min now, as said.\n"),  # the same again
        ("agent_1", "The echo comes at noon.\n"),
    ],
)
async def test_it_stands_for_others_words_and_if_it_is_said_again(later: tuple[str, str]) -> None:
    assert withdrawn(await discussed(("agent_1", FIRST), ("agent_3", "The scan is clear.\n"), later)) == []


@pytest.mark.parametrize(
    ("later", "holds"),
    [
        ("With the ramipril off, her potassium will fall.\n", True),
        ("I take back what I said of ramipril.\n", False),
        ("Restart ramipril 2.5 mg tonight, give it with food.\n", False),
    ],
)
async def test_a_ban_holds_until_it_is_taken_back_or_asked_for(later: str, holds: bool) -> None:
    updates = await discussed(
        ("agent_1", "Stop the ramipril.\n"), ("agent_2", "Agreed.\n"), ("agent_1", later)
    )
    assert bool(withdrawn(updates)) is not holds


def test_things_are_drugs_tests_and_measures() -> None:
    assert things("CT with oral contrast tonight") >= {"ct"}
    assert things("as I said before") == frozenset()

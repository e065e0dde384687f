"""The closing tells what was said outright as the end, and nothing that it made out by itself."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.claims.ruling import names_one

UNREAD = "Finished. What was decided could not be read: it is on the page."


async def closing(*turns: tuple[str, str]) -> str:
    exaim = EXAIM()
    updates: list[Update] = []
    for number, (agent, text) in enumerate(turns):
        updates += await exaim.feed(Delta(agent, text, 2 * number + 1, 10.0 * number))
        updates += await exaim.turn_end(agent, 2 * number + 2, 10.0 * number + 1)
    updates += await exaim.finish(10.0 * len(turns))
    return [item.text for update in updates for item in update.items][-1]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("FINAL: sarcoidosis, probable (0.7). Open: the cough.\n", "FINAL: sarcoidosis, probable (0.7)"),
        ("So all agreed: sarcoidosis, no lymphoma found.\n", "So all agreed: sarcoidosis, no lymphoma found"),
        ("Consensus diagnosis: not reached.\n", "Consensus diagnosis: not reached"),
        ("I am not going to pick.\n", "I am not going to pick"),
    ],
)  # fmt: skip
async def test_the_chairs_last_word_is_told_in_its_words(said: str, told: str) -> None:
    assert await closing(("doctor1", "I think of lymphoma.\n"), ("moderator", said)) == (
        f"Finished. {told}, says the moderator."
    )


async def test_a_view_behind_a_label_is_told_with_its_doubt() -> None:
    said = ("moderator", "**Most likely diagnosis:** sarcoidosis, probable, not proven.\n")
    told = await closing(("doctor1", "I think of lymphoma.\n"), said)
    assert told == "Finished. Sarcoidosis, probable, not proven, by the moderator."


@pytest.mark.parametrize(
    "said",
    [
        "Psychiatrist: CJD: undecided; LGI1: undecided.\n",  # one member's stance, read out
        "I cannot record a unanimous view of the sarcoidosis.\n",
        "Is sarcoidosis the final diagnosis?\n",
        "If the biopsy is clear, the diagnosis is sarcoidosis.\n",
    ],
)
async def test_what_is_no_last_word_of_all_ends_nothing(said: str) -> None:
    assert await closing(("doctor1", "Wait for the scan.\n"), ("moderator", said)) == UNREAD


async def test_a_view_that_its_holder_has_not_said_again_in_its_last_turn_is_not_counted() -> None:
    lead = "### Most Likely Diagnosis:\n**Septic shock** - given the fever.\n"
    other = "### Most Likely Diagnosis:\n**Pulmonary embolism** - given the clot.\n"
    turns = (("doctor1", lead), ("doctor2", other), ("doctor1", "The cultures are sterile.\n"))
    assert await closing(*turns) == UNREAD
    assert "septic shock" in (await closing(*turns[:2])).lower()


async def test_what_the_chair_said_in_an_earlier_turn_is_not_its_last_word() -> None:
    first = ("moderator", "Working diagnosis: sarcoidosis.\n")
    assert await closing(first, ("doctor1", "Wait.\n"), ("moderator", "Thank you all.\n")) == UNREAD


@pytest.mark.parametrize(
    "aside",
    ["We do not know his weight.", "The line was flushed and it is open.", "I cannot certify his leave."],
)
async def test_what_is_open_and_names_no_condition_displaces_no_view(aside: str) -> None:
    first, view = ("doctor1", "I think of pneumonia.\n"), "My leading diagnosis is pulmonary embolism.\n"
    assert await closing(first, ("doctor2", f"{aside}\n"), ("doctor1", view)) == (
        "Finished. Pulmonary embolism, from Doctor One."
    )


@pytest.mark.parametrize(
    "said", ["We do not know the cause.", "Pneumonia or pulmonary embolism, we do not know."]
)
async def test_a_diagnosis_that_is_left_open_is_told(said: str) -> None:
    assert await closing(("doctor1", "I think of lymphoma.\n"), ("moderator", f"{said}\n")) == (
        f"Finished. {said.rstrip('.')}, says the moderator."
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Probable TTP, enzyme pending", True),
        ("HLH, most likely driven by a virus", True),
        ("All agree on SIADH", True),
        ("CABG tomorrow, NPO from midnight", False),
        ("HDU, head up, nobody lays him flat", False),
        ("Approved: PCC and terlipressin", False),
    ],
)
def test_capitals_are_a_condition_where_they_are_spoken_of_as_one(text: str, *, named: bool) -> None:
    assert names_one(text) is named

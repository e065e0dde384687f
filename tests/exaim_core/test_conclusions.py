"""What the moderator concludes under a heading of its own, and the closing that is told of it."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, SpokenKind

ONE = "### Most Likely Diagnosis:\n**Ruptured spleen** - given the fall and the free fluid.\n\n"
OTHER = "I would think of a rib fracture first, but I have no strong view.\n\n"
LABELLED = """### Final Consensus:
- **Diagnosis**: ruptured spleen after the fall, grade III; all of you agree.
- **Now**: two units of blood, then theatre.
- **Avoid**: contrast.

TERMINATE
"""
PLAIN = """**Final consensus**

1. Ruptured spleen after the fall; all agree.
2. Blood first.
"""


async def closing(*turns: tuple[str, str]) -> str:
    exaim = EXAIM()
    for agent, text in turns:
        await exaim.received_trace(agent, text)
        await exaim.on_turn_end(agent)
    *_, last = await exaim.finish()
    (item,) = (item for item in last.items if item.kind is SpokenKind.CLOSING)
    return item.text


async def test_a_labelled_conclusion_is_the_closing_where_no_view_was_counted() -> None:
    told = await closing(("doctor0", OTHER), ("supervisor", LABELLED))
    assert told == "Finished. Ruptured spleen after the fall, grade III, the consensus by the supervisor."


async def test_the_first_item_without_a_label_is_the_view() -> None:
    told = await closing(("doctor0", OTHER), ("supervisor", PLAIN))
    assert told.startswith("Finished. Ruptured spleen after the fall, the consensus")


async def test_only_a_moderator_concludes() -> None:
    told = await closing(("doctor0", OTHER), ("doctor1", LABELLED))
    assert "consensus" not in told


async def test_the_doctors_count_is_told_where_it_says_as_much() -> None:
    three = [(f"doctor{n}", ONE) for n in range(3)]
    told = await closing(*three, ("supervisor", LABELLED))
    assert told.startswith("Finished. Ruptured spleen, all agree")


async def test_a_view_that_is_younger_than_the_conclusion_is_told_instead() -> None:
    told = await closing(("doctor0", OTHER), ("supervisor", LABELLED), ("doctor1", ONE))
    assert told.startswith("Finished. Ruptured spleen, from Doctor One")


@pytest.mark.parametrize("heading", ["### Recommended Tests:", "### Areas of Disagreement:"])
async def test_what_stands_under_another_heading_is_no_conclusion(heading: str) -> None:
    text = LABELLED.replace("### Final Consensus:", heading)
    assert "the consensus" not in await closing(("doctor0", OTHER), ("supervisor", text))


async def test_a_conclusion_too_long_to_be_spoken_is_left_out_whole() -> None:
    long = LABELLED.replace("after the fall, grade III", "that " + "bleeds and " * 12 + "bleeds")
    assert "bleeds" not in await closing(("doctor0", OTHER), ("supervisor", long))

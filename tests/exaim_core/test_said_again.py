"""A caution presses once: what earlier ones named does not press again, unless it holds anything new."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, SpokenKind

FIRST = "Hold the ibuprofen and the ramipril."


async def presses(second: str) -> bool:
    exaim = EXAIM()
    updates = await exaim.feed(Delta("doctor0", f"{FIRST}\n", 1, 0.0))
    updates += await exaim.turn_end("doctor0", 2, 1.0)
    later = await exaim.feed(Delta("doctor1", f"{second}\n", 3, 20.0))
    later += await exaim.turn_end("doctor1", 4, 21.0)
    later += await exaim.finish(30.0)
    [item] = [each for update in later for each in update.items if each.kind is SpokenKind.CAUTION]
    return item.presses and item.protects


async def test_what_was_forbidden_does_not_press_again() -> None:
    assert not await presses("Stop ibuprofen and ramipril.")


@pytest.mark.parametrize(
    "second",
    ["Avoid ibuprofen and zorbofil.", "Stop ibuprofen and metformin.", "Avoid ramipril until Friday."],
)
async def test_a_word_that_is_new_presses(second: str) -> None:
    assert await presses(second)

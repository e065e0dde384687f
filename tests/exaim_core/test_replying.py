"""Which words a turn answers: one rule, for what a sentence points to and for a plain "no"."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from tests.exaim_core.talks import told

NAPROXEN = "She takes naproxen, three a day, from the market."
STOPS = "That stops today, she must not take those."
ASPIRIN = "Give aspirin 300 mg by mouth now."
NO = "No. He bled."


async def talk(*steps: tuple[str, str]) -> list[str]:
    """Return what is told, by kind, of turns that may overlap: "" as the text ends an agent's turn."""
    exaim, items = EXAIM(), list[str]()
    for seq, (agent, text) in enumerate(steps, start=1):
        at_s = float(seq)
        updates = await (
            exaim.feed(Delta(agent, f"{text}\n", seq, at_s)) if text else exaim.turn_end(agent, seq, at_s)
        )
        items += [f"{item.kind}: {item.text}" for update in updates for item in update.items]
    return items


async def test_what_only_points_is_told_behind_the_message_whose_number_its_head_gives() -> None:
    items = await told(f"msg 1: {NAPROXEN}", "msg 2: Pulse 80.", "msg 3: Sats 97.", f"msg 4 · re 1: {STOPS}")

    [text] = [item.text for item in items if item.presses]
    assert "naproxen" in text
    assert text.endswith("that stops today, she must not take those.")


async def test_behind_a_message_that_is_not_known_nothing_is_told() -> None:
    items = await told(f"msg 1: {NAPROXEN}", f"msg 2 · re 7: {STOPS}")

    assert not any("naproxen" in item.text and "stops" in item.text for item in items)


async def test_a_no_answers_nobody_where_an_open_turn_was_heard_since_the_order_began() -> None:
    items = await talk(
        ("doctor1", ASPIRIN), ("nurse", "Pulse 80."), ("doctor1", ""), ("doctor2", NO), ("doctor2", "")
    )

    assert not any(item.startswith("correction") for item in items)


@pytest.mark.parametrize("never_ended", ["Pulse 80.", "Still looking"])
async def test_a_turn_that_never_ends_does_not_hide_what_is_said_long_after(never_ended: str) -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("nurse", never_ended, 1, 1.0))
    await exaim.feed(Delta("doctor1", f"{ASPIRIN}\n", 2, 2.0))
    await exaim.turn_end("doctor1", 3, 3.0)
    updates = await exaim.feed(Delta("doctor2", f"{NO}\n", 4, 4.0))
    updates += await exaim.turn_end("doctor2", 5, 5.0)

    assert any(item.kind == "correction" for update in updates for item in update.items)


@pytest.mark.parametrize(
    "between",
    [
        [("doctor1", "")],
        [("nurse", "")],
        [("nurse", "<think>He may bleed.</think>"), ("nurse", "")],
        [("nurse", "## Radiology"), ("nurse", "")],
        [("nurse", "| Test | Value |\n|---|---|"), ("nurse", "")],
        [("doctor1", "<think>Is that all?</think>"), ("doctor1", "")],
    ],
)
async def test_a_turn_without_a_sentence_does_not_hide_the_order_before_it(
    between: list[tuple[str, str]],
) -> None:
    items = await talk(("doctor1", ASPIRIN), ("doctor1", ""), *between, ("doctor2", NO), ("doctor2", ""))

    assert any(item.startswith("correction") for item in items)


async def test_an_empty_turn_that_is_withdrawn_does_not_hide_the_order_before_it() -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("doctor1", f"{ASPIRIN}\n", 1, 1.0))
    await exaim.turn_end("doctor1", 2, 2.0)
    await exaim.feed(Delta("nurse", "<think>Is", 3, 3.0))
    await exaim.abort_turn("nurse", 4, 4.0)
    updates = await exaim.feed(Delta("doctor2", f"{NO}\n", 5, 5.0))
    updates += await exaim.turn_end("doctor2", 6, 6.0)

    assert any(item.kind == "correction" for update in updates for item in update.items)


async def test_a_turn_that_goes_on_after_another_spoke_does_not_open_anew() -> None:
    items = await talk(
        ("doctor2", "Pulse 80."), ("doctor1", ASPIRIN), ("doctor1", ""), ("doctor2", NO), ("doctor2", "")
    )

    assert not any(item.startswith("correction") for item in items)


async def test_a_turn_of_a_protocols_stage_that_is_withdrawn_leaves_no_order_to_refuse() -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("Dr. Kim [round 1]", f"{ASPIRIN}\n", 1, 1.0))
    await exaim.abort_turn("Dr. Kim [round 1]", 2, 2.0)
    updates = await exaim.feed(Delta("Dr. Lee", "Aspirin withdrawn.\n", 3, 3.0))
    updates += await exaim.turn_end("Dr. Lee", 4, 4.0)

    assert not any(item.kind == "correction" for update in updates for item in update.items)

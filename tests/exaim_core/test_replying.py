"""Which words a turn answers: one rule, for what a sentence points to and for a plain "no"."""

from __future__ import annotations

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


async def test_a_no_answers_nobody_where_a_turn_is_open() -> None:
    items = await talk(
        ("nurse", "Pulse 80."), ("doctor1", ASPIRIN), ("doctor1", ""), ("doctor2", NO), ("doctor2", "")
    )

    assert not any(item.startswith("correction") for item in items)


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

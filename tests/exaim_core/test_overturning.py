"""What was asked for or forbidden, and told, is followed up where somebody refuses it, takes it back or allows it."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, SpokenItem

ORDER = "Start vasopressin 0.03 units/min now."
BAN = "No enoxaparin tonight, the drain is in."


async def told(*turns: str) -> list[SpokenItem]:
    """Return what is told of a talk of two doctors who take turns."""
    exaim, items, seq = EXAIM(), [], 0
    for number, text in enumerate(turns):
        agent = f"doctor{number % 2 + 1}"
        updates = await exaim.feed(Delta(agent, text, seq := seq + 1, float(seq)))
        updates += await exaim.turn_end(agent, seq := seq + 1, float(seq))
        items += [item for update in updates for item in update.items]
    return items


async def followed_up(*turns: str) -> list[str]:
    """Return what is told as a correction."""
    return [item.text for item in await told(*turns) if item.kind == "correction"]


@pytest.mark.parametrize(
    "later",
    [
        "I object to vasopressin as the next step: hydrocortisone comes before it.",
        "Vasopressin withdrawn.",
        "The vasopressin can wait for the hydrocortisone.",
        "Vasopressin NOT verified as timed.",
        "I wouldn't use more vasopressin on that heart.",
    ],
)
async def test_an_order_that_is_refused_or_put_off_is_told_so_in_that_speakers_words(later: str) -> None:
    pressing = [item.text for item in await told(ORDER, later) if item.presses]

    assert any(text.lower().endswith(f"doctor two: {later.lower()}") for text in pressing)


@pytest.mark.parametrize(
    "later",
    [
        "Vasopressin is running at 0.03 units/min.",
        "If he bleeds, stop the vasopressin.",
        "I would not wait with vasopressin.",
        "Shall we stop the vasopressin?",
        "His brother was refused vasopressin.",
    ],
)
async def test_what_leaves_an_order_as_it_is_follows_nothing_up(later: str) -> None:
    assert await followed_up(ORDER, later) == []


async def test_a_ban_is_followed_up_where_it_is_allowed_after_all() -> None:
    assert await followed_up(BAN, "Enoxaparin is fine from six.") == [
        "Doctor Two: enoxaparin is fine from six."
    ]
    assert await followed_up(BAN, "Enoxaparin is a heparin.") == []


async def test_a_thing_is_followed_up_once() -> None:
    first, again = "Vasopressin NOT verified as timed.", "Vasopressin NOT verified, as I said."

    assert await followed_up(ORDER, first, again) == ["Doctor Two: vasopressin NOT verified as timed."]

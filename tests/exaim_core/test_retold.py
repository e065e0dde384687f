"""A finding that waits goes once a later sentence of its speaker holds its words."""

from __future__ import annotations

from exaim_core import EXAIM, Delta


async def test_a_finding_goes_when_a_caution_tells_it_too() -> None:
    exaim = EXAIM()
    updates = await exaim.feed(Delta("pharmacist", "Potassium 5.9. ", 0, 0.0))
    updates += await exaim.feed(Delta("pharmacist", "Hold spironolactone.", 1, 9.0))
    updates += await exaim.turn_end("pharmacist", 2, 12.0)
    told = {item.text: item.item_id for update in updates for item in update.items}
    gone = {each for update in updates for each in update.withdraws}
    assert [*told] == [
        "The pharmacist: potassium 5.9.",
        "Caution, the pharmacist: Potassium 5.9. Hold spironolactone.",
    ]
    assert gone == {told["The pharmacist: potassium 5.9."]}


async def test_a_finding_stays_beside_what_names_a_longer_number() -> None:
    exaim = EXAIM()
    updates = await exaim.feed(Delta("pharmacist", "Potassium 5. ", 0, 0.0))
    updates += await exaim.feed(Delta("pharmacist", "Potassium 5.9 last week. Hold spironolactone.", 1, 9.0))
    updates += await exaim.turn_end("pharmacist", 2, 12.0)
    assert not any(update.withdraws for update in updates)

"""An order that waits to be told goes once somebody says that it is given, or refuses it and that is told."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.claims.revoking import treatments_taken_back
from exaim_core.words.revised import is_done


async def gone(order: str, answer: str) -> bool:
    """Return whether the order is taken back behind the answer, and an update that anything brings."""
    exaim, seq = EXAIM(), 0
    updates: list[Update] = []
    for agent, text in (("doctor1", order), ("nurse", answer), ("doctor1", "His potassium is 7.1.")):
        updates += await exaim.feed(Delta(agent, text, seq := seq + 1, float(seq)))
        updates += await exaim.turn_end(agent, seq := seq + 1, float(seq))
    ids = [
        item.item_id for update in updates for item in update.items if order[:12].lower() in item.text.lower()
    ]
    return bool(ids) and any(ids[0] in update.withdraws for update in updates)


@pytest.mark.parametrize(
    ("order", "answer"),
    [
        ("Give glucose 50 ml now.", "Glucose's in."),
        ("Give adrenaline 0.5 mg IM now.", "Adrenaline has gone in."),
        ("Give magnesium 2 g now.", "Magnesium's up and running."),
        ("Give bicarbonate 50 ml now.", "No bicarb."),
        ("Give furosemide 80 mg now.", "No."),
        ("Give furosemide 80 mg now.", "No, don't give it."),
        ("Give furosemide 80 mg, slowly.", "No furosemide."),
    ],
)
async def test_what_was_given_or_refused_is_not_told_late(order: str, answer: str) -> None:
    assert await gone(order, answer)


@pytest.mark.parametrize(
    ("order", "answer"),
    [
        ("Give magnesium 2 g now.", "Magnesium isn't in yet."),
        ("Give magnesium 2 g and calcium gluconate 10 ml now.", "Calcium gluconate's in."),
        ("Give labetalol 20 mg and furosemide 80 mg now.", "No furosemide."),
        ("Give adrenaline 1 mg now and every three minutes.", "Adrenaline's in."),
        ("Give ceftriaxone 2 g now.", "She was given ceftriaxone last week."),
        ("Give ceftriaxone 2 g now.", "The cannula is in."),
        ("Give ceftriaxone 2 g and do an LP.", "No LP, platelets are 20."),
        ("Start heparin and take him to theatre.", "No heparin."),
        ("Give fluids and noradrenaline.", "No fluids."),
        ("Give adrenaline.", "No, stop talking, give it now."),
        ("TXA 1 g over 10 minutes, 1 g over 8 hours.", "TXA's in."),
    ],
)
async def test_what_may_still_be_open_is_told(order: str, answer: str) -> None:
    assert not await gone(order, answer)


@pytest.mark.parametrize(
    "said", ["Calcium should be given.", "Half the calcium is in.", "Is the magnesium in?"]
)
def test_what_is_only_planned_or_begun_is_not_done(said: str) -> None:
    assert not is_done(said)


@pytest.mark.parametrize(
    ("said", "stand"),
    [
        ("Start the ketamine. No, don't, leave it.", 0),
        ("Start the ketamine. No, don't.", 0),
        ("Start the ketamine. No, wait, hold it.", 0),
        ("Start the ketamine. No, don't. Wait, yes, start the ketamine.", 1),
    ],
)
async def test_what_its_speaker_takes_back_in_the_next_breath_is_no_order(said: str, stand: int) -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("doctor1", said, 1, 1.0))
    await exaim.turn_end("doctor1", 2, 2.0)
    assert len(exaim.board.actions) == stand


def test_what_is_asked_for_behind_a_stop_is_not_stopped() -> None:
    assert treatments_taken_back("Stop the heparin, give protamine 50 mg.") == ("the heparin",)
    assert len(treatments_taken_back("Don't start heparin, give aspirin, or do an LP.")) == 3

"""A finding that waits goes when a value of it is given anew; an order goes when another agent forbids its drug."""

from __future__ import annotations

from typing import Any

import pytest

from exaim_core.schema import Cite, SpokenItem, SpokenKind
from exaim_core.words.withdrawn import withdrawn
from tests.exaim_core.test_overtaken import since


def begun(agent_id: str) -> int:
    return 9


def gone(item: SpokenItem, newer: str) -> bool:
    """Return whether an item that waits is taken off by a later sentence of another agent."""
    return bool(withdrawn([item], since(newer), (), (), begun))


def waiting(text: str, kind: SpokenKind = SpokenKind.FINDING, **more: Any) -> SpokenItem:
    cites = (Cite(agent_id="nurse", first_seq=1, last_seq=1),)
    return SpokenItem(item_id="0001.1", kind=kind, text=text, cites=cites, **more)


@pytest.mark.parametrize(
    ("told", "newer"),
    [
        ("The nurse: HR 138, BP 172/96, T 38.9.", "HR 104 now."),
        ("The nurse: sodium 128, urea 9.", "The repeat sodium is 133."),
        ("The nurse: LDH 1840, bilirubin 52.", "LDH 900 on the second sample."),
        ("The nurse: bladder scan 40 ml, so not blocked.", "Rescan: bladder scan 870 ml."),
        ("The nurse: drain output 40 ml.", "Drain output 350 ml since noon."),
    ],
)
def test_a_value_given_anew_takes_the_older_one_off(told: str, newer: str) -> None:
    assert gone(waiting(told), newer)


@pytest.mark.parametrize(
    ("told", "newer"),
    [
        ("The nurse: HR 138, BP 172/96.", "HR 138, as she says."),  # the same value
        ("The nurse: sodium 128.", "Sodium was 131 yesterday."),
        ("The nurse: sodium 128.", "Her brother has a sodium of 140."),
        ("The nurse: sodium 128.", "Is the sodium 133 now?"),
        ("The nurse: sodium 128.", "Keep the sodium below 145."),
        ("The nurse: sodium 128.", "Potassium 4.4."),
        ("The nurse: drain output 40 ml.", "Fluids 350 ml since noon."),
        ("The nurse: sodium was 128 on arrival.", "Sodium 133."),  # told as past, it stays true
        ("The nurse: LAD stenosis 90 %.", "RCA stenosis 50 %."),
        ("The nurse: drain output 350 ml.", "NG output 200 ml."),
        ("The nurse: INR 1.9.", "INR 1.5 is what the surgeons need."),
        ("The nurse: Hb 98.", "Hb was 120 in March."),
        ("The nurse: Hb 82 g/L.", "Hb 8.2 g/dL."),
    ],
)
def test_other_words_leave_it(told: str, newer: str) -> None:
    assert not gone(waiting(told), newer)


def test_alarms_orders_and_what_was_said_later_stay() -> None:
    told = "The nurse: potassium 6.9."
    assert not gone(waiting(told, SpokenKind.CRITICAL), "Potassium 5.1 now.")
    assert not gone(waiting(told, protects=True), "Potassium 5.1 now.")
    assert not gone(waiting("Give 40 ml.", SpokenKind.ACTION), "Gave 80 ml.")
    newest = waiting(told).model_copy(update={"cites": (Cite(agent_id="nurse", first_seq=9, last_seq=9),)})
    assert not gone(newest, "Potassium 5.1 now.")


@pytest.mark.parametrize(
    ("order", "newer", "goes"),
    [
        ("The nurse: give levofloxacin 500 mg bd.", "Stop levofloxacin, she has myasthenia.", True),
        ("The nurse: give levofloxacin 500 mg bd.", "No levofloxacin, please.", True),
        ("The nurse: give levofloxacin 500 mg bd.", "Levofloxacin is fine with me.", False),
        ("The nurse: give levofloxacin 500 mg bd.", "Don't stop levofloxacin before day 7.", False),
        ("The nurse: give levofloxacin 500 mg bd.", "Stop ramipril.", False),
        ("The nurse: give labetalol 20 mg now.", "Stop labetalol if the pulse is below 50.", False),
        ("The nurse: give aspirin 300 mg and heparin.", "No aspirin.", False),
        ("The nurse: adrenaline 0.5 mg IM.", "Do not give adrenaline IV.", False),
    ],
)
def test_an_order_whose_drug_another_agent_forbids_is_not_told_late(
    order: str, newer: str, goes: bool
) -> None:
    assert gone(waiting(order, SpokenKind.ACTION), newer) is goes


@pytest.mark.parametrize("newer", ["Give heparin now.", "Correction, heparin was never given."])
def test_a_ban_is_taken_off_by_no_other_agent(newer: str) -> None:
    ban = waiting("Caution, the nurse: no heparin.", SpokenKind.CAUTION, protects=True)
    assert not gone(ban, newer)


@pytest.mark.parametrize(
    ("told", "goes"),
    [("FVC hourly. Pyridostigmine by NG.", True), ("Nil by mouth. Pyridostigmine by NG.", False)],
)
def test_a_ban_beside_an_order_stands_when_its_speaker_stops_what_is_ordered(told: str, goes: bool) -> None:
    item = waiting(f"The doctor1: {told}", SpokenKind.CAUTION)
    item = item.model_copy(update={"cites": (Cite(agent_id="doctor1", first_seq=1, last_seq=1),)})
    assert gone(item, "Stop the pyridostigmine once he's tubed.") is goes

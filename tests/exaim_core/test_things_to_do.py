"""An order that is only a thing to do is told where its place or a word for when says that it is one."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.schema import SpokenKind


async def orders(*turns: str) -> list[str]:
    """Play turns ("agent: words") and return what is told as an order."""
    exaim = EXAIM()
    updates: list[Update] = []
    for number, turn in enumerate(turns):
        agent, _, text = turn.partition(": ")
        updates += await exaim.feed(Delta(agent, text, 2 * number + 1, 10.0 * number))
        updates += await exaim.turn_end(agent, 2 * number + 2, 10.0 * number + 1)
    updates += await exaim.finish(10.0 * len(turns))
    return [item.text for update in updates for item in update.items if item.kind is SpokenKind.ACTION]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("CT angio now.", "CT angio now."),
        ("IR, now, please.", "IR, now, please."),
        ("LP then.", "LP then."),
        ("Then vancomycin.", "then vancomycin."),
        ("Thrombolyse.", "thrombolyse."),
        ("CTPA.", "CTPA."),
        ("Cath lab activation.", "cath lab activation."),
        ("ERCP within 24 hours.", "ERCP within 24 hours."),
    ],
)
async def test_a_thing_to_do_in_reply_is_an_order(said: str, told: str) -> None:
    assert await orders("ed: He looks grey and clammy.", f"med: {said}") == [f"MED: {told}"]


@pytest.mark.parametrize("before", ["No ticagrelor, she's had an ICH.", "Give ticagrelor 180."])
async def test_a_dose_in_reply_to_words_on_a_treatment_is_an_order(before: str) -> None:
    assert (await orders(f"ed: {before}", "med: Clopidogrel 300."))[-1] == "MED: clopidogrel 300."


@pytest.mark.parametrize(
    "turns",
    [
        ("ed: What is she on?", "gp: Apixaban 5."),
        ("ed: Bleeding.", "gp: Warfarin 5."),
        ("ed: No heparin.", "gp: Vancomycin 22."),  # a level
        ("ed: Avoid ibuprofen.", "gp: And aspirin 300."),
        ("ed: She is allergic to penicillin.", "gp: Ceftriaxone 2."),
        ("ed: Dissection?", "rad: CT angio now?"),
        ("ed: CT?", "rad: CT head."),
        ("ed: Collapse.", "rad: CT. Clear."),
        ("ed: Rash.", "med: Amoxicillin then."),
        ("ed: Which?", "med: LP or CT now."),
        ("ed: Chest pain.", "card: Cath lab full now."),
        ("ed: He fainted.", "med: STEMI now."),
        ("ed: Hypotensive.", "med: Surgery."),
        ("ed: QT 520.", "med: Citalopram."),
        ("ed: Potassium?", "med: Potassium 4.9 now."),
        ("med: CTPA.",),  # the first words of a case may be its title
    ],
)
async def test_a_thing_that_is_not_asked_for_is_no_order(turns: tuple[str, ...]) -> None:
    assert await orders(*turns) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "**Next step**: prednisolone 60 mg today, do not wait for biopsy.",
            ["prednisolone 60 mg today, do not wait for biopsy."],
        ),
        ("Plan: CT head, then LP.", ["CT head, then LP."]),
        ("Rec: primary PCI.", ["primary PCI."]),
        (
            "Plan:\n- aspirin 300 mg\n- heparin 5000 units\n- primary PCI",
            ["aspirin 300 mg.", "heparin 5000 units.", "primary PCI."],
        ),
        ('{"dx": "DKA", "next": "insulin 0.1 u/kg/h"}', ["insulin 0.1 u/kg/h."]),
    ],
)
async def test_what_stands_under_a_plan_is_an_order(said: str, told: list[str]) -> None:
    assert await orders(f"card: {said}") == [f"The card: {each}" for each in told]


@pytest.mark.parametrize(
    "said",
    [
        "Plan: discuss PCI vs CABG.",
        "Plan:\n- aspirin given\n- CT done\n- troponin 45",
        "Plan: no thrombolysis.",
        "Plan: sepsis from the urine.",
        "Previous plan: primary PCI.",
        "Next: home meds aspirin 75 mg.",
        "Options: primary PCI.",
    ],
)
async def test_what_a_plan_leaves_open_forbids_or_has_done_is_no_order(said: str) -> None:
    assert await orders(f"card: {said}") == []

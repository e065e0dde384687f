"""Alarms on orders that meet a hazard: only what nobody has put together, once, and in few words."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.words.hazard_sentences import item_of
from lab.yamlfile import read_yaml

Said = tuple[tuple[str, str], ...]
MISSED: Final = frozenset({"a06", "a30", "a33", "a58", "a63"})
"""Scenes of the table that do not alarm and should."""
SCENES: Final[list[dict[str, Any]]] = [
    scene
    for scene in read_yaml(Path(__file__).parents[1] / "gold" / "alarm_scenes.yaml")
    if scene["kind"] == "hazard" and scene["id"] not in MISSED
]
LIST: Final = "Drug list from the ambulance: verapamil 240 mg, bisoprolol 2.5 mg, ramipril 10 mg."


async def alarms(*said: tuple[str, str]) -> list[str]:
    """Return the alarms on orders, each turn by its agent."""
    exaim, told = EXAIM(), list[str]()
    for number, (agent, text) in enumerate(said):
        updates = [*await exaim.feed(Delta(agent, text, 2 * number + 1, 5.0 * number))]
        updates += await exaim.turn_end(agent, 2 * number + 2, 5.0 * number + 0.5)
        told += [item.text for update in updates for item in update.items if item.critical_key]
    for update in await exaim.finish(5.0 * len(said)):
        told += [item.text for item in update.items if item.critical_key]
    return [each for each in told if each.startswith("Check, ")]


LABETALOL: Final = ("doctor0", "Give labetalol 20 mg IV now.")
METFORMIN: Final = ("doctor0", "Continue metformin 1 g twice daily.")


@pytest.mark.parametrize(
    ("said", "count"),
    [
        # the sentence that states the hazard says that the drug is its cause, or keeps the drug from the patient
        ((LABETALOL, ("nurse", "BP 160/104 but HR 44 after the labetalol.")), 0),
        ((METFORMIN, ("renal", "Answer: metformin-associated lactic acidosis.")), 0),
        (
            (
                ("doctor0", "Continue dapagliflozin 10 mg."),
                ("endo", "It is DKA, which shouts SGLT2 inhibitor."),
            ),
            0,
        ),
        ((("doctor0", "Give ondansetron 4 mg IV."), ("pharm", "No ondansetron: QTc this morning 526.")), 0),
        # it says nothing of the drug, lists it, or the drug is another of its class
        ((LABETALOL, ("nurse", "BP 160/104 but HR 44.")), 1),
        ((METFORMIN, ("renal", "Answer: lactic acidosis.")), 1),
        ((LABETALOL, ("nurse", "History of asthma, atrial fibrillation, labetalol at home.")), 1),
        ((LABETALOL, ("nurse", "She has asthma, and bisoprolol was given for years.")), 1),
        ((("doctor0", "Start heparin 5000 units IV."), ("haem", "Heparin-induced thrombocytopenia.")), 1),
        ((("doctor0", "Give amoxicillin 1 g IV."), ("nurse", "She is allergic to amoxicillin.")), 1),
        # the drug is ordered with it, or after it
        ((("doctor0", "Give metoprolol 5 mg IV, he is the one with asthma."),), 1),
        (
            (
                LABETALOL,
                ("nurse", "HR 44 after the labetalol."),
                ("doctor0", "Give labetalol 20 mg IV again."),
            ),
            1,
        ),
        ((("nurse", "HR 44 after the labetalol."), LABETALOL), 1),
        # a later word of the same hazard is no news, a drug that joins it is
        ((LABETALOL, ("nurse", "HR 44 after the labetalol."), ("itu", "The heart rate is 44.")), 0),
        ((LABETALOL, ("nurse", "HR 44 after the labetalol."), ("itu", "Give diltiazem 20 mg IV.")), 2),
    ],
)
async def test_what_the_speaker_puts_together_is_no_alarm_until_it_is_ordered(said: Said, count: int) -> None:
    told = await alarms(*said)
    assert len(told) == count, told


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("I withdraw lactic acidosis, and with it the dialysis.", 0),
        ("Lactic acidosis is rejected.", 0),
        ("I was wrong about lactic acidosis.", 0),
        ("I withdraw sepsis. It is lactic acidosis.", 1),
        ("I was worried about lactic acidosis and it is lactic acidosis.", 1),
    ],
)
async def test_a_hazard_that_its_speaker_gives_up_is_none(said: str, count: int) -> None:
    told = await alarms(METFORMIN, ("renal", said))
    assert len(told) == count, told


@pytest.mark.parametrize(
    ("entry", "count"),
    [
        ("- Salbutamol: tremor only. Side effect, not an allergy.", 0),
        ("- Salbutamol: tremor. That was a side effect.", 0),
        ("- Salbutamol: tremor, a side effect.", 0),
        ("- Salbutamol: rash in 2010. Tolerated since.", 0),
        ("- Salbutamol: rash. Genuine, do not re-expose.", 1),
        ("- Salbutamol: intolerance, throat swelling.", 1),
        ("- Salbutamol: anaphylaxis. Not a side effect.", 1),
    ],
)
async def test_a_side_effect_under_allergies_is_no_allergy(entry: str, count: int) -> None:
    said = (
        ("pharm", f"## Allergies\n{entry}\n- Latex: rash."),
        ("doctor0", "Give salbutamol 5 mg nebulised."),
    )
    told = [each for each in await alarms(*said) if ". The pharm: allergies" in each]
    assert len(told) == count, told


async def test_what_somebody_calls_allergy_and_was_an_infusion_reaction_is_none() -> None:
    chart, order = ("doctor0", "Chart allergy: vancomycin."), ("doctor0", "Give vancomycin 2 g over 4 hours.")
    was = ("micro", "What the family calls allergy was an infusion reaction; slow it down.")
    assert await alarms(chart, was, order) == []
    assert len(await alarms(chart, ("micro", "The family calls it an allergy; slow down."), order)) == 1


async def test_drugs_of_one_list_that_meet_one_fact_are_one_short_alarm() -> None:
    told = await alarms(("lead", f"Pulse 32, BP 74/40, drowsy. {LIST}"))
    assert told == ["Check, verapamil and bisoprolol. The lead: pulse 32."]


async def test_an_alarm_on_two_drugs_stands_until_both_are_stopped() -> None:
    said = ("lead", f"Pulse 32, BP 114/70. {LIST}")
    assert await _standing(said, ("lead", "Stop verapamil."))
    assert not await _standing(said, ("lead", "Stop verapamil and bisoprolol."))


async def _standing(*said: tuple[str, str]) -> bool:
    """Return whether the status still names the two drugs with what they meet."""
    exaim = EXAIM()
    for number, (agent, text) in enumerate(said):
        await exaim.feed(Delta(agent, text, 2 * number + 1, 5.0 * number))
        await exaim.turn_end(agent, 2 * number + 2, 5.0 * number + 0.5)
    [*_, last] = await exaim.finish(5.0 * len(said))
    return "verapamil and bisoprolol with pulse 32" in last.summary.status_action


async def test_a_home_drug_has_one_alarm_until_it_is_ordered() -> None:
    listed = ("lead", "Drugs: metformin 1 g bd, ramipril 10 mg.")
    lactate, ketones = ("nurse", "The lactate is 9.8."), ("endo", "It is diabetic ketoacidosis.")
    assert len(await alarms(listed, lactate, ketones)) == 1
    assert len(await alarms(listed, lactate, ("lead", "Give metformin 1 g now."))) == 2
    assert len(await alarms(("lead", "Give metformin 1 g now."), lactate, ketones)) == 2


async def test_what_stands_under_stop_now_meets_nothing() -> None:
    orders = ("doctor0", "Give ramipril 5 mg."), ("nurse", "The potassium is 6.8.")
    assert await alarms(orders[0], ("pharm", "## Stop now\nRamipril, naproxen."), orders[1]) == []
    assert len(await alarms(orders[0], ("pharm", "## Stop now\nNaproxen."), orders[1])) == 1
    assert len(await alarms(orders[0], ("pharm", "## Stop now\nRamipril if hypotensive."), orders[1])) == 1


async def test_what_is_treated_as_something_is_no_order() -> None:
    bleeds = ("nurse", "He is bleeding.")
    assert await alarms(("a", "I'd still treat the apixaban as fuel on the fire."), bleeds) == []
    assert len(await alarms(("a", "I'd still treat him with apixaban 5 mg now."), bleeds)) == 1


@pytest.mark.parametrize(
    ("text", "words", "item"),
    [
        (LIST.rstrip("."), "bisoprolol", "bisoprolol 2.5 mg"),
        ("Gas: pH 7.11, bicarbonate 7, K 3.1, lactate 11.8", "K 3.1", "K 3.1"),
        ("VBG 21:40 > pH 7.09, pCO2 18, K 3.1, anion gap 27", "K 3.1", "K 3.1"),
        ("pH 7.08, potassium 3.1, creatinine 188 (was 92)", "potassium 3.1", "potassium 3.1"),
        ("metformin 1 g bd; dapagliflozin 10 mg, stopped five days ago", "metformin", "metformin 1 g bd"),
        ("Myasthenia gravis (AChR+), prednisolone 15 mg", "Myasthenia gravis", "Myasthenia gravis (AChR+)"),
        # what else is said may be of whom or of when
        ("metformin 1 g bd; ramipril 5 mg; all stopped on admission", "metformin", ""),
        ("metformin 1 g bd, ramipril 5 mg, stopped on admission", "metformin", ""),
        ("Her husband's drugs: verapamil 240 mg, digoxin 125 µg", "verapamil", ""),
        ("Yesterday's gas: pH 7.11, K 3.1", "K 3.1", ""),
        ("pH 7.11, K 3.1, haemolysed", "K 3.1", ""),
        ("pH 7.11, K 3.1, all from bed 7", "K 3.1", ""),
        ("K 3.1", "K 3.1", ""),
    ],
)
def test_of_a_plain_list_its_item_is_told_and_of_another_nothing_is_cut(
    text: str, words: str, item: str
) -> None:
    assert item_of(text, (words,)) == item


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene["id"])
async def test_a_scene_by_another_author_alarms_or_not(scene: dict[str, Any]) -> None:
    turns = [(agent, text.strip()) for agent, _, text in (each.partition(":") for each in scene["turns"])]
    told = await alarms(*turns)
    assert any(str(scene["about"]).lower() in each.lower() for each in told) == scene["alarm"], told


@pytest.mark.parametrize(
    ("hazard", "order", "heard"),
    [
        # what is akin to the drug that is met is heard with it, whether the sentence asks for it in known words or not
        ("Heparin-induced thrombocytopenia.", "Flush the line with heparin and give dalteparin.", "flush the line"),
        # each drug of a list meets an allergy of a list
        ("Allergic to sulfonamides and penicillin.", "Sulfasalazine 1 g and flucloxacillin 1 g.", "flucloxacillin"),
        ("Allergic to penicillin, ibuprofen and latex.", "Ketorolac 30 mg and flucloxacillin 1 g.", "ketorolac"),
    ],
)  # fmt: skip
async def test_no_drug_that_may_be_met_is_left_out(hazard: str, order: str, heard: str) -> None:
    """Short as an alarm is, it names every drug of the order that the hazard may be about."""
    assert heard in " ".join(await alarms(("nurse", hazard), ("doctor0", order)))


@pytest.mark.parametrize(
    "hazard",
    [
        "She had anaphylaxis after penicillin and ibuprofen.",
        "She is allergic to penicillin, and ibuprofen was given.",
        "She is allergic to penicillin and takes ibuprofen.",
    ],
)
async def test_what_only_stands_behind_an_allergy_is_none(hazard: str) -> None:
    assert await alarms(("nurse", hazard), ("doctor0", "Ketorolac 30 mg now.")) == []


async def test_the_rest_of_an_order_is_not_lost_to_its_alarm() -> None:
    """The alarm names one drug of a bare list; the whole list is kept for a silence."""
    exaim, kept = EXAIM(), list[str]()
    said = (("nurse", "Allergic to penicillin."), ("doctor0", "Morphine 5 mg and flucloxacillin 1 g."))
    for number, (agent, text) in enumerate(said):
        updates = [*await exaim.feed(Delta(agent, text, 2 * number + 1, 5.0 * number))]
        updates += await exaim.turn_end(agent, 2 * number + 2, 5.0 * number + 0.5)
        kept += [item.text for update in updates for item in (*update.items, *update.spare)]
    kept += [item.text for update in await exaim.finish(10.0) for item in (*update.items, *update.spare)]
    assert any("morphine 5 mg" in each.lower() for each in kept)


@pytest.mark.parametrize(
    ("order", "hazard"),
    [
        ("Start metformin 1 g twice daily.", "eGFR 12 with metformin charted."),
        ("Start metformin 1 g twice daily.", "eGFR 12, no metformin level available."),
        ("Start citalopram 40 mg.", "QTc 590, citalopram not yet given."),
        ("Give alteplase now.", "INR 4.8, alteplase not stopped."),
        ("Give metoprolol 5 mg IV.", "Heart rate 34 before the metoprolol."),
    ],
)
async def test_a_drug_on_its_way_is_not_put_together_with_the_hazard(order: str, hazard: str) -> None:
    """Named beside the hazard as charted, due or not stopped, the drug still reaches the patient."""
    assert len(await alarms(("doctor0", order), ("nurse", hazard))) == 1


@pytest.mark.parametrize(
    ("said", "meets"),
    [
        ("I put an alert on for amoxicillin as well.", False),
        ("There is a flag on for amoxicillin.", False),
        ("Started a warning about amoxicillin on the chart.", False),
        ("Put her on amoxicillin.", True),
        ("Sepsis alert on, give amoxicillin 1 g.", True),
        ("Alert for sepsis, give amoxicillin 1 g.", True),
        ("Despite the flag I would give amoxicillin.", True),
    ],
)
async def test_what_warns_of_a_drug_is_no_order_for_it(said: str, meets: bool) -> None:
    assert bool(await alarms(("a", "She is allergic to penicillin."), ("b", said))) is meets

"""Hazards that are told as a story, as what somebody lives on, or as a ban of a class, and orders that meet them."""

from __future__ import annotations

import pytest

from exaim_core import CasePaper
from exaim_core.patient.paper import Allergy
from exaim_core.patient.reaction_stories import blamed
from tests.exaim_core.test_contraindications import alerts
from tests.exaim_core.test_no_allergy import alarms


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("He went grey and needed adrenaline when they gave him cefazolin in 2019.", ["cefazolin"]),
        ("When they gave her cefazolin in 2019 she went grey.", ["cefazolin"]),
        ("Wife says he nearly died from a penicillin injection in 2009.", ["penicillin"]),
        ("Her lips swelled up with naproxen.", ["naproxen"]),
        ("She came out in hives after the trimethoprim.", ["trimethoprim"]),
        ("Penicillin anaphylaxis 2011, intubated.", ["Penicillin"]),
        ("A codeine tablet nearly killed him.", ["codeine"]),
        # the drug was given for it, or is somebody else's
        ("He went grey, so they gave him adrenaline and ceftriaxone.", []),
        ("He arrested and needed CPR; amiodarone 300 mg went in.", []),
        ("He went blue following the seizure, we gave midazolam.", []),
        ("When we gave ketamine she was already grey and needed the tube.", []),
        ("He arrested after the heparin was stopped.", []),
        ("He went grey when, in theatre, they gave cefazolin.", ["cefazolin"]),
        ("He went grey after the operation, when they gave cefazolin.", ["cefazolin"]),
        ("She came out in hives after dinner, when she had taken ibuprofen.", ["ibuprofen"]),
        ("Her sister went grey when they gave her cefazolin.", []),
        ("He never went grey when they gave him cefazolin.", []),
        ("If he went grey after cefazolin, give adrenaline.", []),
        ("Use the penicillin anaphylaxis protocol.", []),
        ("Did she go grey when they gave her cefazolin?", []),
    ],
)
def test_a_story_of_a_reaction_blames_its_drug(text: str, drugs: list[str]) -> None:
    assert [each.word for each in blamed(text)] == drugs


async def test_a_drug_of_the_class_that_a_story_blames_alarms() -> None:
    [told] = await alarms(
        "He went grey and needed adrenaline when they gave him cefazolin in 2019.", "Cefuroxime 1.5 g IV now."
    )
    assert told.startswith("Check, cefuroxime. ")


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("He has been stable on venlafaxine for years, and I would rather not change it.", 1),
        ("She lives on venlafaxine.", 1),
        ("She takes venlafaxine, no allergies.", 1),
        ("The guidance on venlafaxine is clear.", 0),
        ("She took venlafaxine, stopped in May.", 0),
        ("Venlafaxine charted, not given.", 0),
        ("She is no longer on venlafaxine.", 0),
        ("Her mother is stable on venlafaxine.", 0),
    ],
)
async def test_what_somebody_lives_on_meets_an_order(said: str, count: int) -> None:
    assert len(await alarms(said, "Start linezolid 600 mg tonight.")) == count


KETOROLAC = "Give ketorolac 30 mg IV now."


@pytest.mark.parametrize(
    ("said", "count"),
    [
        (("No NSAIDs for him.", KETOROLAC), 1),
        (("NSAIDs are contraindicated.", KETOROLAC), 1),
        (("Avoid NSAIDs: his creatinine is rising.", KETOROLAC), 1),
        # it has a condition or a time, is another's, is of the drug itself, or came after the order
        (("No NSAIDs until the creatinine is back.", KETOROLAC), 0),
        (("No NSAIDs tonight.", KETOROLAC), 0),
        (("No need for NSAIDs.", KETOROLAC), 0),
        (("Stop NSAIDs.", KETOROLAC), 0),
        ((KETOROLAC, "No NSAIDs for him."), 0),
        (("No NSAIDs for him.", "No ketorolac then. Paracetamol 1 g IV now."), 0),
        (("No NSAIDs for him.", "Give paracetamol 1 g IV now."), 0),
    ],
)
async def test_a_drug_of_a_class_that_another_forbade_alarms(said: tuple[str, ...], count: int) -> None:
    assert len(await alarms(*said)) == count


async def test_who_forbade_a_class_may_ask_for_a_drug_of_it() -> None:
    said = (("renal", "No NSAIDs for him."), ("renal", KETOROLAC), ("ortho", KETOROLAC))
    assert await alerts(*said, paper=None) == []
    assert len(await alerts(*said[::2], paper=None)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Home meds: ibuprofen 400 mg.",
        "The ketorolac is still running.",
        "Give ibuprofen 400 mg if the creatinine is normal.",
    ],
)
async def test_a_ban_stands_though_its_agent_names_a_drug_that_it_does_not_ask_for(said: str) -> None:
    assert (
        len(await alerts(("renal", "No NSAIDs for him."), ("renal", said), ("ortho", KETOROLAC), paper=None))
        == 1
    )


async def test_the_sentence_of_a_ban_does_not_lift_it() -> None:
    said = (("renal", "No NSAIDs for him; ketorolac 10 mg IV now."), ("ortho", KETOROLAC))
    assert len(await alerts(*said, paper=None)) == 1


async def test_a_second_drug_of_an_order_that_meets_the_record_is_told() -> None:
    paper = CasePaper(
        case_id="invented",
        history=("Asthma since the age of 6",),
        allergies=(Allergy(substance="penicillin", reaction="anaphylaxis"),),
    )
    order = ("doctor0", "Start bisoprolol 2.5 mg and metoprolol 25 mg now.")
    [told] = await alerts(order, paper=paper)
    assert "bisoprolol and metoprolol" in told and told.endswith("the record says asthma.")
    [told] = await alerts(("doctor0", "Give amoxicillin 1 g and flucloxacillin 2 g now."), paper=paper)
    assert "amoxicillin and flucloxacillin with a known allergy to penicillin" in told

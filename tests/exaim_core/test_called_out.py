"""What a team calls out in a few words, a diagnosis or a result, is told; what is not of this patient now is not."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta


async def told(*turns: str) -> list[str]:
    """Return what is told of turns, each "speaker: words", without the closing."""
    engine, said = EXAIM(), list[str]()
    for at, turn in enumerate(turns):
        speaker, _, words = turn.partition(": ")
        updates = await engine.feed(Delta(speaker, words, 2 * at, 4.0 * at))
        updates += await engine.turn_end(speaker, 2 * at + 1, 4.0 * at + 3)
        said += [item.text for update in updates for item in update.items]
    return said


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ("neuro: That's a subarachnoid.", "leads with subarachnoid"),
        ("cardio: That's an NSTEMI then.", "leads with NSTEMI"),
        ("cons: So it's a GDA stump bleed.", "leads with GDA stump bleed"),
        ("surg: That's a leak then.", "leads with leak"),
        ("surg: We've got a perforation.", "leads with perforation"),
        ("surg: Looks like a leak.", "The surg: looks like a leak."),
        ("surg: That looks like a leak.", "The surg: looks like a leak."),
        ("chair: That's an NSTEMI then.", "The chair: an NSTEMI."),
        ("cons: Pancreatitis then.", "leads with pancreatitis"),
        ("gastro: Crohn's, not UC.", "leads with Crohn's"),
        ("id: Cutaneous anthrax, that.", "leads with cutaneous anthrax"),
        ("renal: We've a vasculitis on our hands.", "leads with vasculitis"),
        ("onc: I'm settling on Addison's.", "leads with Addison's"),
        ("neuro: She's got Guillain-Barré, no question.", "The neuro: Guillain-Barré."),
        ("obs: She's pre-eclamptic.", "she's pre-eclamptic."),
        ("onc: Febrile neutropenia.", "febrile neutropenia."),
    ],
)
async def test_a_diagnosis_pointed_at_is_told_with_its_stance(turn: str, expected: str) -> None:
    said = await told(turn)
    assert any(expected in each for each in said), said


async def test_another_view_behind_a_first_one_changes_none() -> None:
    said = await told("a: I lead with sepsis.", "b: That's an AKI then.")
    assert said == ["Agent A leads with sepsis.", "Agent B: an AKI."]


@pytest.mark.parametrize(
    "turns",
    [
        ("a: Is it a subarachnoid?",),
        ("a: If it's a subarachnoid we'd tap her.",),
        ("a: It's not a subarachnoid.",),
        ("a: Could be a subarachnoid.",),
        ("a: It was an NSTEMI last time.",),
        ("a: That's her sister's lupus.",),
        ("a: That's a good point.",),
        ("a: That's a DNAR then.",),
        ("a: That's a leak in the suction.",),
        ("a: Bed 4's trop is back. That's an NSTEMI then.",),
        ("a: What did his brother have?", "b: That's an NSTEMI."),
        ("a: What's the classic thunderclap cause?", "b: That's a subarachnoid."),
        ("a: Say the trop's 640.", "b: That's an NSTEMI then."),
        ("a: What's his history?", "b: Asthma."),
        ("a: That would be a leak then.",),
        ("a: If that fails, sepsis then.",),
        ("safety: BLOCK.",),
        ("a: Normally that's a PE.",),
        ("a: Suppose the gas is bad. Then it's sepsis.",),
    ],
)
async def test_what_is_asked_denied_supposed_or_of_another_is_no_view(turns: tuple[str, ...]) -> None:
    assert not await told(*turns)


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ("a: Trop's gone from 12 to 640.", "Agent A: trop's gone from 12 to 640."),
        ("lab: Platelets 40, were 180.", "The lab: platelets 40, were 180."),
        ("lab: CRP 240, was 18 on Monday.", "The lab: CRP 240, was 18 on Monday."),
        ("lab: D-dimer 4,200.", "The lab: D-dimer 4,200."),
        ("lab: The troponin came back at 640.", "the troponin came back at 640."),
        ("ed: CT head's clean.", "ED: CT head's clean."),
        ("ed: Pregnancy test's positive.", "ED: pregnancy test's positive."),
        (
            "micro: Blood cultures: gram-positive cocci in clusters, two of two.",
            "The micro: blood cultures: gram-positive cocci in clusters, two of two.",
        ),
        ("rad: There's a blush at the GDA stump.", "RAD: there's a blush at the GDA stump."),
        ("rad: Saddle embolus.", "RAD: saddle embolus."),
        ("rad: RV's bigger than the LV.", "RAD: RV's bigger than the LV."),
        ("rad: No bleed on the CT.", "RAD: no bleed on the CT."),
        ("a: There's fragments on the film.", "there's fragments on the film."),
        ("a: Her creatinine keeps climbing, 140, 190, now 262.", "climbing, 140, 190, now 262."),
        ("nurse: Pressure in the right's 54.", "pressure in the right's 54."),
    ],
)
async def test_a_result_in_a_few_words_is_told_with_all_its_values(turn: str, expected: str) -> None:
    said = await told(turn)
    assert any(expected in each for each in said), said


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (("reg: Hb's back. 81, was 104.",), "REG: Hb: 81, was 104."),
        (("ed: Potassium's back. 6.9.",), "Critical, from ED: potassium 6.9."),
        (("ed: Potassium's back. 6.9, repeat it.",), "Critical, from ED: potassium 6.9."),
        (("a: CT head's back. Clean.",), "Agent A: CT head's back. Clean."),
        (
            ("a: Opening pressure?", "b: 31. Xanthochromia positive."),
            "Agent B: opening pressure: 31. Xanthochromia positive.",
        ),
        (("a: Is the paracetamol level back?", "tox: Above the line."), "paracetamol level: above the line."),
        (("a: What's the LP show?", "b: 340 whites."), "Agent B: LP: 340 whites."),
        (("a: Did the para level come back?", "b: 212 at four hours."), "para level: 212 at four hours."),
        (("a: So the scan. Big stone at the left VUJ.",), "the scan. Big stone at the left VUJ."),
        (("a: What are you all calling it?", "b: Kawasaki."), "Agent B: Kawasaki."),
        (("a: Any word on the CT?", "rad: Clean."), "RAD: CT: clean."),
    ],
)
async def test_what_is_announced_or_asked_for_is_told_with_what_it_shows(
    turns: tuple[str, ...], expected: str
) -> None:
    said = await told(*turns)
    assert any(expected.lower() in each.lower() for each in said), said


@pytest.mark.parametrize(
    "turns",
    [
        ("a: Trop 640?",),
        ("a: Trop 640 would be an NSTEMI.",),
        ("a: Her mum's Hb was 81, from 104.",),
        ("a: Last year his Hb was 81.",),
        ("a: In studies the trop goes from 12 to 640.",),
        ("a: Keep the Hb above 80.",),
        ("a: Hb's back tomorrow.",),
        ("a: The CT's booked.",),
        ("lab: Troponin cut-off 14.",),
        ("lab: Normal Hb 120 to 150.",),
        ("rad: There's a queue at the scanner.",),
        ("rad: Scanner's free.",),
        ("rad: Good catch.",),
        ("rad: Show me the flap.",),
        ("a: Potassium's back. 6.9 last week, 4.1 now.",),
        ("a: Hb's back. 81 year old, by the way.",),
        ("rad: There's a patient on the table.",),
        ("a: CT was clean in June.",),
        ("a: MAP 65 is the target.",),
        ("a: Bed 5's gas is back. 7.1.",),
        ("rad: Bed 4's scan is up. Saddle embolus.",),
        ("a: What about her mother's dimer?", "lab: Negative."),
        ("a: CT tomorrow?", "rad: Clear."),
    ],
)
async def test_what_a_test_would_show_or_shows_of_another_is_no_result(turns: tuple[str, ...]) -> None:
    assert not await told(*turns)


@pytest.mark.parametrize(
    ("turn", "gone"),
    [
        ("a: FAST's positive. No, sorry, negative.", "FAST's positive."),
        ("a: FAST's positive. Scrap that, it's negative.", "FAST's positive."),
        ("a: That's a PE then. Actually no, it's an aspiration.", "leads with"),
        ("rad: Saddle embolus. Sorry, wrong patient.", "saddle embolus."),
        ("a: Trop's gone from 12 to 640. Sorry, wrong patient.", "12 to 640."),
    ],
)
async def test_what_is_taken_back_at_once_is_told_only_with_what_takes_it_back(turn: str, gone: str) -> None:
    said = await told(turn)
    assert not any(each.endswith(gone) or "leads with" in each for each in said)
    assert any(turn.rpartition(". ")[2] in each for each in said)


async def test_an_alarm_stands_when_its_value_is_taken_back_in_doubt() -> None:
    assert any("7.2" in each for each in await told("a: Potassium 7.2. Sorry, wrong patient."))


@pytest.mark.parametrize(
    "turn", ["a: Platelets are here. 2.", "a: Potassium's in. 10.", "a: Glucose is in. 50."]
)
async def test_what_has_come_to_be_given_is_no_result(turn: str) -> None:
    assert not await told(turn)


@pytest.mark.parametrize(
    "turn",
    [
        "lab: Hb 78. LDH 1840. Creatinine 118. Bilirubin 61. Platelets 140.",
        "a: Urine clean.+] Letter recommends oxybutynin 5.",
        "a: eGFR 44, dizzy, 84.",
    ],
)
async def test_values_in_a_long_row_and_broken_text_are_not_called_out(turn: str) -> None:
    assert not await told(turn)


async def test_a_call_with_an_exclamation_mark_is_told_with_one_stop() -> None:
    assert await told("a: Severe asthma!") == ["Agent A: severe asthma."]


@pytest.mark.parametrize(
    "turn", ["a: That's an NSTEMI then. No, wait for the trop.", "a: That's an NSTEMI. Actually, no doubt."]
)
async def test_a_view_that_is_not_taken_back_stands(turn: str) -> None:
    assert any("leads with NSTEMI" in each for each in await told(turn))

"""An answer that leaves out what was asked is read with it, and only if it is plain what was asked."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, Update


async def played(*turns: str) -> list[Update]:
    """Return the updates of turns of two people in turn, but the closing's."""
    engine, updates = EXAIM(), list[Update]()
    for at, words in enumerate(turns):
        speaker = ("Dr Ames", "Nurse Roe")[at % 2]
        updates += await engine.feed(Delta(speaker, words, 2 * at, 4.0 * at))
        updates += await engine.turn_end(speaker, 2 * at + 1, 4.0 * at + 3)
    return updates


async def texts(*turns: str) -> list[str]:
    """Return what is told of the turns."""
    return [item.text for update in await played(*turns) for item in update.items]


@pytest.mark.parametrize(
    ("asked", "answer", "told"),
    [
        ("Potassium?", "6.9.", "Critical, from Nurse Roe: potassium 6.9."),
        ("And what's the potassium now?", "Er, it's back, 6.9.", "Critical, from Nurse Roe: potassium 6.9."),
        (
            "Sats?",
            "Still eighty-one on fifteen litres.",
            "Check, Nurse Roe: sats: still 81 on fifteen litres.",
        ),
        (
            "What's the pressure?",
            "Sixty-two over thirty.",
            "Critical, from Nurse Roe: blood pressure 62/30.",
        ),
        ("Pressure?", "Seventy-four over forty, sats ninety-one.", "blood pressure 74/40."),
        ("GCS?", "Six.", "Critical, from Nurse Roe: Glasgow coma score 6."),
        ("Has he got a pulse?", "I can't feel one.", "Check, Nurse Roe: no pulse: I can't feel one."),
        ("Is she breathing?", "No.", "Critical, from Nurse Roe: respiratory arrest."),
        ("Any allergies?", "Trimethoprim, a rash.", "Caution, Nurse Roe: allergies: Trimethoprim, a rash."),
        ("Allergies?", "Latex.", "Caution, Nurse Roe: allergies: Latex."),
        ("Can she have naproxen?", "Not with that creatinine.", "No naproxen: not with that creatinine."),
        ("Shall I give the amiodarone?", "Yes, three hundred.", "Nurse Roe: give amiodarone: three hundred."),
    ],
)
async def test_it_is_told_with_what_was_asked(asked: str, answer: str, told: str) -> None:
    said = await texts(asked, answer)
    assert any(told.lower() in each.lower() for each in said), said


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What was the potassium last week?", "6.9."),
        ("What potassium would make you dialyse?", "6.9."),
        ("What's her mother's potassium?", "6.9."),
        ("What's the target sodium?", "112."),
        ("Who has the potassium?", "6 has it."),
        ("Potassium and sodium?", "6.9."),
        ("Potassium?", "20 millimoles in the litre bag."),
        ("Any allergies?", "None known."),
        ("Is his brother allergic to anything?", "Penicillin."),
        ("Is he on naproxen?", "No."),
        ("Did you give the naproxen?", "No."),
        ("Can I stop the heparin?", "No."),
        ("Naproxen or paracetamol?", "No."),
        ("Is he on warfarin?", "Yes."),
        ("Has he had any adrenaline?", "Yes, 1 mg."),
        ("Can she have naproxen?", "Not sure."),
        ("Was he breathing?", "No."),
        ("Is he breathing?", "Yes. No stridor."),
        ("Can he have heparin?", "Yes. No loading dose."),
        ("Potassium?", "Haemolysed. 6.9."),
        ("Shall we reverse the warfarin?", "Yes."),
        ("Can we pause the insulin?", "No, never, she's type one."),
        ("Do you want a potassium?", "Yes, now."),
        ("Should I give adrenaline?", "Yes, it's already gone in."),
        ("Can she have ibuprofen?", "No reason why not."),
        ("Should we give adrenaline?", "Never delay it."),
        ("What do we give instead, with her allergy?", "Clindamycin."),
        ("Any allergies?", "Penicillin is fine."),
        ("Repeat potassium when?", "One."),
        ("Add?", "10:55 Pulse 88."),
    ],
)
async def test_nothing_is_made_of_another_question(asked: str, answer: str) -> None:
    assert await texts(asked, answer) == []


async def test_a_value_with_a_name_of_its_own_is_told_with_that_name() -> None:
    assert await texts("Potassium?", "Sodium's 140.") == ["Nurse Roe: sodium's 140."]


async def test_an_allergy_that_was_asked_for_meets_the_order() -> None:
    said = await texts("Any allergies?", "Penicillin.", "Give co-amoxiclav 1.2 g IV.")
    assert any(each.startswith("Check, Dr Ames: give co-amoxiclav") or "Check" in each for each in said), said


async def test_an_order_or_an_alarm_that_answers_stays_one() -> None:
    said = await texts("What did the chest film show?", "Needle it, it's a tension.")
    assert said == ["Check, Nurse Roe: needle it, it's a tension."]
    assert "adrenaline, 0.5 IM, now" in " ".join(
        await texts("Is this an allergic reaction?", "Adrenaline, 0.5 IM, now.")
    )


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ("None known.\nAspirin 75 mg, ramipril 5 mg.", []),
        ("- Penicillin - entered in error", []),
        ("- Use clindamycin", []),
        ("- Penicillin - rash, tolerates cephalosporins", ["Penicillin - rash, tolerates cephalosporins"]),
        ("- latex", ["latex"]),
    ],
)
async def test_what_stands_under_allergies_is_told_as_a_caution(listed: str, told: list[str]) -> None:
    said = await texts(f"# Allergies\n{listed}")
    assert said == [f"Caution, Doctor Ames: allergies: {each}." for each in told]


async def test_a_question_that_somebody_else_has_answered_is_answered_no_more() -> None:
    assert await texts("Potassium?", "Not back yet, the lab is slow.", "Fine.", "6.9 kilos he lost.") == []


async def test_the_question_of_ones_own_is_answered_on_its_line() -> None:
    assert "potassium 6.9" in " ".join(await texts("Potassium? 6.9."))


@pytest.mark.parametrize(
    ("asked", "answer", "told"),
    [
        (
            "Any allergies before I push the rocuronium?",
            "Penicillin.",
            "Caution, Nurse Roe: allergies: Penicillin.",
        ),
        ("Can she have ibuprofen?", "No, she is on apixaban.", "no ibuprofen: no, she is on apixaban"),
    ],
)
async def test_a_drug_of_the_act_or_of_the_reason_hides_nothing(asked: str, answer: str, told: str) -> None:
    assert any(told in text for text in await texts(asked, answer))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Any allergies before I push the rocuronium?", "Rocuronium's in."),
        ("Do we know of any penicillin allergy?", "Amoxicillin has been started."),
        ("Can he have paracetamol?", "Avoid ibuprofen."),
        ("Can he have paracetamol?", "None of the NSAIDs, paracetamol's fine."),
    ],
)
async def test_a_drug_of_another_kind_makes_no_allergy_and_no_ban_of_what_was_asked(
    asked: str, answer: str
) -> None:
    told = " ".join(await texts(asked, answer)).lower()
    assert "allergies:" not in told and "no paracetamol" not in told

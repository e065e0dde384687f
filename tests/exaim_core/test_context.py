from __future__ import annotations

import pytest

from exaim_core.claims.critical import critical_findings
from exaim_core.text.assertion import Status, clauses, statuses_around
from exaim_core.text.sections import Section

CASES = [
    ("There is septic shock.", "septic shock", ""),
    ("There are no signs of sepsis.", "sepsis", "n"),
    ("She is without chest pain.", "chest pain", "n"),
    ("He denies syncope.", "syncope", "n"),
    ("No evidence of pulmonary embolism.", "pulmonary embolism", "n"),
    ("The scan was negative for dissection.", "dissection", "n"),
    ("Dissection was ruled out.", "Dissection", "n"),
    ("Tamponade is unlikely.", "Tamponade", "n"),
    ("There is neither rash nor fever.", "fever", "n"),
    ("The film shows no fracture but there is a pneumothorax.", "pneumothorax", ""),
    ("It does not fit, however there is sepsis.", "sepsis", ""),
    ("Sepsis cannot be excluded.", "Sepsis", "y"),
    ("Not only anaphylaxis was seen.", "anaphylaxis", "y"),
    ("He has a history of myocardial infarction.", "myocardial infarction", "h"),
    ("Previous stroke in 2018.", "stroke", "h"),
    ("Last year her potassium was 6.9.", "potassium", "h"),
    ("A cardiac arrest two years ago.", "cardiac arrest", "h"),
    ("If she develops sepsis, treat at once.", "sepsis", "y"),
    ("This could be meningitis.", "meningitis", "y"),
    ("To rule out pulmonary embolism, order a scan.", "pulmonary embolism", "y"),
    ("There is a risk of cardiac arrest.", "cardiac arrest", "y"),
    ("Consider anaphylaxis.", "anaphylaxis", "y"),
    ("We suspect aortic dissection.", "aortic dissection", "y"),
    ("Monitor for stridor.", "stridor", "y"),
    ("It commonly leads to status epilepticus.", "status epilepticus", "y"),
    ("Is there any sepsis?", "sepsis", "y"),
    ("Her mother had aortic dissection.", "aortic dissection", "f"),
    ("Family history of cardiac arrest.", "cardiac arrest", "f"),
    ("The patient is in cardiac arrest.", "cardiac arrest", ""),
]
MEANT = {"n": Status.NEGATED, "h": Status.PAST, "y": Status.CONDITIONAL, "f": Status.OTHER_PERSON}


@pytest.mark.parametrize(("sentence", "word", "meant"), CASES)
def test_a_word_is_read_in_its_context(sentence: str, word: str, meant: str) -> None:
    start = sentence.index(word)
    found = statuses_around(sentence, start, start + len(word))
    assert (MEANT[meant] in found) if meant else not found


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("The repeat potassium is 6.9 mmol/L.", "potassium=6.9"),
        ("Potassium has risen from 5.1 to 7.0 mmol/L.", "potassium=7"),
        ("potassium 6.5", "potassium=6.5"),
        ("Serum sodium: 112 mmol/L", "sodium=112"),
        ("Lactate 5.2 mmol/L.", "lactate=5.2"),
        ("Glucose is 38 mg/dL.", "glucose=2.1"),
        ("Glucose is 53 mg/dL.", "glucose=2.9"),
        ("Glucose is 2.95 mmol/L.", "glucose=3"),
        ("Haemoglobin has fallen to 52 g/L.", "haemoglobin=52"),
        ("GCS 7 now.", "Glasgow coma score=7"),
        ("Blood pressure is 70/40 mmHg.", "systolic blood pressure=70/40"),
        ("This is septic shock and must be treated now.", "cue:septic shock"),
        ("She is in cardiac arrest, this is an emergency.", "cue:cardiac arrest"),
    ],
)
def test_a_critical_finding_of_this_patient_now_is_found(sentence: str, key: str) -> None:
    assert [found.key for found in critical_findings(sentence)] == [key]


@pytest.mark.parametrize(
    "sentence",
    [
        "Potassium is 6.1 mmol/L.",
        "Glucose is 54 mg/dL.",
        "Glucose is 3.0 mmol/L.",
        "The potassium of 6.8 mmol/L came from a haemolysed sample.",
        "If potassium stays above 6.5 mmol/L, dialyse.",
        "Dialysis is for a potassium over 7.0 mmol/L.",
        "Last year her potassium was 6.9 mmol/L.",
        "Her mother had a potassium of 7.0 mmol/L.",
        "He could develop a potassium of 7.1 mmol/L.",
        "Urine sodium is 8 mmol/L.",
        "Calcium gluconate 10%, 30 mL.",
        "Repeat the lactate at 6 hours.",
        "Heart rate is 44 per minute.",
        "Blood pressure is 92/54 mmHg.",
        "Sepsis is a life-threatening condition.",
        "Anaphylaxis can be life-threatening.",
        "There is no evidence of septic shock now.",
        "An urgent scan is needed.",
        "The CSF glucose was 1.2 mmol/L.",
        "The glucose in his pleural fluid is 1.0 mmol/L.",
    ],
)
def test_what_is_no_critical_finding_raises_no_alarm(sentence: str) -> None:
    assert critical_findings(sentence) == ()


def test_under_a_differential_nothing_alarms() -> None:
    assert critical_findings("Septic shock is here and must be treated now.", Section.DIFFERENTIAL) == ()


def test_what_somebody_cannot_do_is_no_doubt() -> None:
    for sentence in ("I can't see properly out of my left eye.", "I can’t see properly out of my left eye."):
        assert not any(Status.HEDGED in clause.statuses for clause in clauses(sentence))
    assert Status.HEDGED in clauses("I can see how it might be PE.")[0].statuses
    assert Status.HEDGED in clauses("It can't be ruled out, can it be PE.")[0].statuses

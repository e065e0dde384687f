"""What is put to a vote is nobody's order, ban, view or finding; what is decided, ordered or measured is told."""

from __future__ import annotations

import pytest

from tests.exaim_core.test_quotes import told

Turn = tuple[str, str]
SCORES = (
    ("cardio", "P1: 8\nP2: 3\n"),
    ("renal", "P1 – 7\nP2 – 2\n"),
)


async def texts(*turns: Turn) -> str:
    return "\n".join(item.text for item in await told(*turns) if item.kind != "closing").lower()


@pytest.mark.parametrize(
    ("turn", "put"),
    [
        ("Score each 1 to 9:\nS1. Unfractionated heparin starts now.\nS2. Alteplase 50 mg now.\n", "heparin"),
        ("Please rate 1–9:\n- **S1** No apixaban ever again.\n- **S2** Aspirin stops for good.\n", "apixaban"),
        ("Agree or disagree, one line why:\n1. Stop warfarin tonight.\n2. Give vitamin K 5 mg now.\n", "warfarin"),
        ("Everyone rank these, best first.\nA) Intubate now.\nB) Give ketamine 100 mg now.\n", "ketamine"),
        ("Votes, please.\nStatement 1: This is meningitis.\nStatement 2: Stop the aciclovir now.\n", "aciclovir"),
        ("## Options\n- A. Alteplase 50 mg\n- B. Unfractionated heparin 5000 units now\n", "alteplase"),
        ("Tonight is put to the vote.\n(a) Give potassium 40 mmol now.\n(b) Dialysis.\n", "potassium"),
        ("**Statements to be rated**\n1. No ceftriaxone for her, ever.\n2. Meropenem 1 g now.\n", "ceftriaxone"),
        ("Show of hands.\nMotion 1: Amiodarone 300 mg goes in now.\nMotion 2: Stop the digoxin now.\n", "amiodarone"),
        ("Delphi, round 1 of 3.\n1. This is septic shock.\n2. Vasopressin 0.03 units/min now.\n", "vasopressin"),
        ("Rate 0-10 how far you agree.\nQ1 – Methotrexate stops.\nQ2 – Folinic acid 15 mg now.\n", "methotrexate"),
    ],
)  # fmt: skip
async def test_what_is_put_to_a_vote_is_not_told(turn: str, put: str) -> None:
    assert put not in await texts(("chair", turn))


async def test_who_was_answered_by_scores_puts_the_next_one_to_a_vote_too() -> None:
    asks = ("chair", "P1: Dexamethasone 8 mg tonight.\nP2: Lumbar puncture first.\n")
    more = ("chair", "Reworded:\nP3: Stop the apixaban now.\n")
    assert "apixaban" not in await texts(asks, *SCORES, more)
    assert "apixaban" in await texts(asks, more)


@pytest.mark.parametrize(
    ("turn", "ordered"),
    [
        ("Plan:\n1. Stop warfarin now.\n2. Give vitamin K 5 mg now.\n", "warfarin"),
        ("NEWS score 9, heart rate 110 to 120.\n1. Give ceftriaxone 2 g now.\n2. Lactate now.\n", "ceftriaxone"),
        ("Rate control first.\n1. Give bisoprolol 5 mg now.\n2. No digoxin.\n", "bisoprolol"),
        ("We are agreed.\n1. Stop the heparin now.\n2. Argatroban 46 µg/min.\n", "heparin"),
        ("Please rate 1 to 9 in the sheet.\nMeanwhile stop the heparin now, her platelets are 18.\n", "heparin"),
        ("She is devoted to her garden.\nA) Stop the amiodarone now.\nB) Repeat the ECG.\n", "amiodarone"),
        ("Score the GCS every hour.\n1. Give mannitol 20 g now.\n2. Head up.\n", "mannitol"),
        ("## Final result of the vote\n1. Stop the apixaban now.\n2. Octreotide 20 mg monthly.\n", "apixaban"),
        ("My options are few.\nStop the metformin now.\n", "metformin"),
    ],
)  # fmt: skip
async def test_what_is_ordered_is_told(turn: str, ordered: str) -> None:
    assert ordered in await texts(("chair", turn))


async def test_what_is_put_behind_the_results_of_a_round_is_put() -> None:
    turn = "Results of round 1: none agreed.\nPlease rate 1 to 9:\nS5. Stop the apixaban now.\n"
    assert "apixaban" not in await texts(("chair", turn))


async def test_what_was_carried_is_told() -> None:
    asks = ("chair", "Please score 1 to 9.\nP1: Dexamethasone 8 mg tonight.\nP2: Lumbar puncture first.\n")
    final = ("chair", "FINAL REPORT.\n1. Dexamethasone 8 mg tonight.\n2. Stop the apixaban now.\n")
    said = await texts(asks, *SCORES, final)
    assert "dexamethasone" in said
    assert "apixaban" in said


async def test_a_list_from_one_on_is_an_order_though_its_speaker_put_others_to_a_vote() -> None:
    asks = ("chair", "Please score 1 to 9.\nP1: Dexamethasone 8 mg tonight.\nP2: Lumbar puncture first.\n")
    orders = ("chair", "Now, to do:\n1. Stop the apixaban now.\n2. Dexamethasone 8 mg tonight.\n")
    assert "apixaban" in await texts(asks, *SCORES, orders)


async def test_a_value_in_what_is_put_alarms() -> None:
    turn = "Please rate 1 to 9:\nS1. Her potassium is 7.4 mmol/L.\nS2. Calcium gluconate 10 mL now.\n"
    said = await texts(("chair", turn))
    assert "potassium 7.4" in said
    assert "gluconate" not in said


async def test_what_a_voter_says_beside_the_score_is_told() -> None:
    asks = ("chair", "Please score 1 to 9.\nP1: Dexamethasone 8 mg tonight.\nP2: Lumbar puncture first.\n")
    voter = ("cardio", "P1: 8\nP2: 3\nHer pressure is 70/40, give noradrenaline now.\n")
    assert "noradrenaline" in await texts(asks, voter)

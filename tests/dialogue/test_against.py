"""What the record and the talk have against a thing that is asked about, whatever name and whatever question it is."""

from __future__ import annotations

import pytest

from tests.dialogue.asking import Asking, board_of
from tests.dialogue.test_before import said
from tests.dialogue.test_on_record import allergic, paper, shown

_TALK = said(("registrar", "She is stable."))


@pytest.mark.parametrize(
    ("allergy", "question"),
    [
        ("codeine", "can I give co-codamol?"),
        ("sulfonamides", "can I give Septrin?"),
        ("heparin", "enoxaparin?"),
        ("iodinated contrast", "can she have a CTPA?"),
        ("cefalexin", "can I give ceftriaxone?"),
        ("aspirin", "can I give diclofenac?"),
        ("penicillin", "which antibiotics can't I use?"),
    ],
)
async def test_a_recorded_allergy_is_told_of_what_meets_it(allergy: str, question: str) -> None:
    answer = await Asking(_TALK, paper(allergies=allergic(allergy, "kiwi"))).ask(question)
    assert allergy in answer.sentences[0].text


async def test_an_allergy_of_another_group_is_not_told_first() -> None:
    answer = await Asking(_TALK, paper(allergies=allergic("codeine"))).ask("can I give gentamicin?")
    assert answer.text.startswith("I have nothing on gentamicin; that is not a no.")


_RECORD = paper(
    history=["Asthma"],
    medication=[{"drug": "warfarin"}],
    labs=[{"analyte": "potassium", "value": 6.4, "unit": "mmol/L"}],
)


@pytest.mark.parametrize(
    ("question", "met"),
    [
        ("can I give atenalol?", "asthma"),
        ("naproxin?", "warfarin"),
        ("can she have spiro?", "6.4"),
        ("why can't I give ibuprofen?", "warfarin"),
        ("when can she have ibuprofen?", "warfarin"),
    ],
)
async def test_the_thing_is_checked_as_it_was_understood(question: str, met: str) -> None:
    assert met in (await Asking(_TALK, _RECORD).ask(question)).text.lower()


@pytest.mark.parametrize(
    ("question", "met"),
    [
        ("can I give propranolol?", "asthma"),
        ("can I give ibuprofen?", "warfarin"),
        ("can she have ramipril?", "pregnant"),
        ("spironolactone?", "6.9"),
    ],
)
async def test_a_condition_that_was_only_said_is_met_too(question: str, met: str) -> None:
    talk = (
        "doctor1",
        "She has asthma. She takes warfarin. She is 20 weeks pregnant. Potassium is 6.9 mmol/L.",
    )
    assert met in (await Asking(await board_of(talk), None).ask(question)).text


async def test_a_condition_that_was_denied_is_not_met() -> None:
    board = await board_of(("doctor1", "She has no asthma. She is not pregnant. Her mother takes warfarin."))
    for question in ("can I give propranolol?", "can she have ramipril?", "can I give ibuprofen?"):
        assert not (await Asking(board, None).ask(question)).found


@pytest.mark.parametrize(
    ("ban", "question"),
    [
        ("No aminoglycosides.", "gent?"),
        ("No beta-lactams.", "can I give meropenem?"),
        ("No DOACs.", "can I give apixaban?"),
        ("No LMWH.", "can I give enoxaparin?"),
        ("No antibiotics until cultures are taken.", "can I give ceftriaxone?"),
        ("No contrast.", "can she have a CTPA?"),
    ],
)
async def test_a_ban_on_a_class_is_told_of_its_members(ban: str, question: str) -> None:
    answer = await Asking(await board_of(("doctor1", ban)), None).ask(question)
    assert ban.lower().rstrip(".") in answer.sentences[0].text.lower()


async def test_her_medicines_are_checked_each() -> None:
    board = await board_of(("doctor1", "Hold metformin and ramipril."))
    record = paper(medication=[{"drug": "metformin"}, {"drug": "ramipril"}])
    text = (await Asking(board, record).ask("can she have her regular meds?")).text
    assert "hold metformin and ramipril" in text


async def test_of_a_drug_that_nothing_is_known_of_the_list_follows() -> None:
    board = await board_of(("doctor1", "Hold metformin. No intravenous fluids."))
    answer = await Asking(board, paper(allergies=allergic("kiwi"))).ask("can I give tobramycin?")
    assert answer.text.startswith("I have nothing on that; that is not a no. On what must not be given: ")
    assert all(part in shown(answer) for part in ("kiwi", "metformin", "intravenous fluids"))


async def test_another_drug_is_not_told_of_one_that_nobody_knows() -> None:
    board = await board_of(("doctor1", "Hold metformin. Iron is fine."))
    assert "metformin" not in (await Asking(board, None).ask("tobramycin?")).text

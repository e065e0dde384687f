"""Names as a recogniser spells them."""

from __future__ import annotations

import pytest

from tests.dialogue.asking import Asking, at, board_of

HEARD = [
    ("spire on a lack tone", "spironolactone"),
    ("spironalactone", "spironolactone"),
    ("ramapril", "ramipril"),
    ("rammy pril", "ramipril"),
    ("by so pro lol", "bisoprolol"),
    ("bisoprolal", "bisoprolol"),
    ("met for min", "metformin"),
    ("metforman", "metformin"),
    ("try meth a prim", "trimethoprim"),
    ("ibuprophen", "ibuprofen"),
    ("salbutamoll", "salbutamol"),
    ("gentamycin", "gentamicin"),
    ("az tree oh nam", "aztreonam"),
    ("enoxaparine", "enoxaparin"),
    ("atorva statin", "atorvastatin"),
    ("asprin", "aspirin"),
    ("potasium", "potassium"),
    ("pot assium", "potassium"),
    ("soduim", "sodium"),
    ("creatinin", "creatinine"),
    ("creatnine", "creatinine"),
    ("by carb", "bicarbonate"),
    ("tropponin", "troponin"),
    ("lack tate", "lactate"),
    ("hemoglobin", "haemoglobin"),
    ("e g f r", "eGFR"),
    ("E.C.G.", "ECG"),
    ("K", "potassium"),
    ("BP", "blood pressure"),
    ("sats", "oxygen saturation"),
    ("lokelma", "sodium zirconium cyclosilicate"),
    ("alergies", "allergies"),
    ("dialisis", "dialysis"),
]
NOT_HEARD = [
    "what is the weather like",
    "any pets at home",
    "did you see the match",
    "tell me about the hospital",
    "is the consultant around",
    "who won the election",
    "could you open the window",
    "I need a coffee",
    "my phone is ringing",
    "the porter is here",
]


@pytest.mark.parametrize(("heard", "meant"), HEARD)
async def test_a_misheard_name_is_understood(heard: str, meant: str) -> None:
    answer = await (await at()).ask(f"what about the {heard}")
    assert answer.topic == meant, answer.text
    assert answer.found


@pytest.mark.parametrize("talk", NOT_HEARD)
async def test_ordinary_words_are_not_taken_for_names(talk: str) -> None:
    answer = await (await at()).ask(talk)
    assert not answer.found, answer.text


@pytest.mark.parametrize("question", ["vitamin K?", "did she get the vitamin K", "how much vitamin K"])
async def test_a_letter_in_a_longer_name_is_no_other_thing(question: str) -> None:
    board = await board_of(
        ("doctor1", "The potassium is 6.1."), ("doctor2", "Give vitamin K 10 mg intravenously.")
    )
    answer = await Asking(board, None).ask(question)
    assert answer.topic == "vitamin K"
    assert "potassium" not in answer.sentences[0].text and "10 mg" in answer.text, answer.text

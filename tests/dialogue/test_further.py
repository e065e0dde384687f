"""What fills an answer: what was said later of it, what was answered before, what is likest the question."""

from __future__ import annotations

import pytest

from agents.dialogue.shapes import asks_whether
from agents.dialogue.values import MOST_WORDS
from exaim_core.text.wording import word_count
from tests.dialogue.test_before import said
from tests.dialogue.test_likeness import Topics, answered


async def test_a_value_that_is_another_patients_is_told_with_the_sentence_that_says_so() -> None:
    talk = said(
        ("lab", "Neutrophils 0.4, so agranulocytosis."),
        ("nurse", "Is the line in? / We go on."),
        ("lab", "The 0.4 is Mr Lund's. / Hers is 3.1."),
    )
    answer = await answered("are her neutrophils low", talk, None)
    assert "0.4 is mr lund's" in answer.text.lower(), answer.text
    assert "hers is 3.1" in answer.text.lower(), answer.text


async def test_a_figure_that_only_stands_there_again_is_no_word_on_the_first() -> None:
    talk = said(
        ("lab", "Sodium 158."),
        ("nurse", "Bleep 158 for the porter."),
    )
    answer = await answered("whats her sodium", talk, None)
    assert "porter" not in answer.text, answer.text


async def test_what_somebody_answered_to_the_like_question_is_told_second() -> None:
    talk = said(
        ("toxicologist", "Replace potassium if it drops under 2.8."),
        ("toxicologist", "Potassium before you start?"),
        ("caller", "3.4."),
    )
    answer = await answered(
        "whats her potassium", talk, Topics("whats her potassium", "Potassium before you start")
    )
    assert "3.4" in answer.text, answer.text


async def test_of_a_drug_no_answer_about_another_is_taken() -> None:
    talk = said(
        ("doctor", "Gentamicin 320 mg is written."),
        ("nurse", "How much heparin does she get?"),
        ("doctor", "5000 units."),
    )
    answer = await answered(
        "how much gentamicin does she get", talk, Topics("how much gentamicin", "How much heparin")
    )
    assert "5000" not in answer.text, answer.text


async def test_whether_something_is_so_is_answered_with_the_reply_to_it() -> None:
    talk = said(
        ("imaging", "ED requested a CT pulmonary angiogram."),
        ("endocrine", "No, cancel it. / It feeds the gland."),
    )
    answer = await answered("is she getting the CT", talk, None)
    assert "cancel it" in answer.text.lower(), answer.text


@pytest.mark.parametrize(
    ("question", "whether"),
    [
        ("is she getting the ct", True),
        ("and did they take the liver", True),
        ("shes pregnant isn't she", True),
        ("when is the ct", False),
        ("what did the ct show", False),
    ],
)
def test_whether_something_is_so_is_known_by_its_form(question: str, whether: bool) -> None:
    assert asks_whether(question) is whether


async def test_the_page_lists_what_is_nearest_and_the_answer_keeps_its_bound() -> None:
    talk = said(
        ("doctor", "No private car for him."),
        ("nurse", "He may block on the road. / His wife waits below. / The drive takes twenty minutes."),
        ("doctor", " / ".join(f"Point {k} of the plan is long and is read out here." for k in range(20))),
    )
    answer = await answered("can his wife drive him in", talk, Topics("drive him in", "No private car"))
    assert any("drive takes" in one.text for one in answer.on_page) or "drive takes" in answer.text
    assert word_count(answer.text) <= MOST_WORDS, answer.text


async def test_the_page_has_what_looks_like_an_allergy_with_the_drug_beside_it() -> None:
    talk = said(
        ("radiographer", "After the washout scan he had hives all over. / Iohexol."),
        ("doctor", "Penicillin allergy, anaphylaxis in 2019. / So cefuroxime is out for now."),
    )
    answer = await answered("what allergies has he got", talk, None)
    everything = f"{answer.text} {' '.join(one.text for one in answer.on_page)}".lower()
    assert "iohexol" in everything, everything
    assert "cefuroxime" in everything, everything


LISTED_BESIDE = [
    ("Hers is aspirin, and ibuprofen.", "ibuprofen"),
    ("Phenytoin in red, fosphenytoin with it.", "Phenytoin"),
]


@pytest.mark.parametrize(("ban", "thing"), LISTED_BESIDE)
async def test_what_is_near_and_names_a_thing_is_on_the_page_below_the_list(ban: str, thing: str) -> None:
    talk = said(
        ("doctor", "No naproxen."),
        ("pharmacist", ban),
        ("nurse", "Ceftriaxone 2 g every 12 hours. / Visitors are outside."),
    )
    question = "what must she not be given"
    answer = await answered(question, talk, Topics(question, thing, "Ceftriaxone", "Visitors"))
    shown = [one.text for one in answer.on_page]
    assert "naproxen" in answer.text, answer.text
    assert any(thing.lower() in one.lower() for one in shown), shown
    assert not any("Ceftriaxone" in one or "Visitors" in one for one in shown), shown

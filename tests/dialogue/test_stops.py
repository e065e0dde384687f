"""What was withdrawn or forbidden is never told as current; what speaks against a thing comes first."""

# ruff: noqa: E501 - what a team says is read more easily on its one line

from __future__ import annotations

import json

import pytest

from agents.dialogue import Answer
from agents.dialogue.stops import Stops
from exaim_core import CasePaper
from exaim_core.claims.remarks import VALUES
from tests.dialogue.asking import Asking, board_of
from tests.dialogue.test_before import said

_TEAM = (
    ("doctor0", "My leading diagnosis is urosepsis. Start gentamicin 5 mg/kg now. Magnesium is 0.61 mmol/L, so replace it with magnesium sulfate 8 mmol."),
    ("doctor2", "Stop. She has myasthenia gravis and takes pyridostigmine 60 mg four times a day. Gentamicin must not be given. Intravenous magnesium must not be given either.\n\nOptions for the antibiotic:\n1. Meropenem 1 g three times a day: covers it.\n2. Aztreonam 2 g three times a day: no cross-reaction, no cover of Gram-positives."),
    ("doctor0", "I withdraw gentamicin and magnesium. Blood cultures have not been taken yet. Still open: whether to hold pyridostigmine once she is intubated."),
    ("supervisor", "We agree: myasthenic crisis set off by urosepsis.\n1. Call intensive care now; intubate before she tires out.\n2. Blood cultures, then meropenem 1 g, adrenaline at the bedside.\n3. No gentamicin, no intravenous magnesium.\nThe daughter has not been told."),
)  # fmt: skip


async def asking() -> Asking:
    return Asking(await board_of(*_TEAM), None)


def shown(answer: Answer) -> str:
    return " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()


@pytest.mark.parametrize(
    "text",
    ["what's outstanding", "what changed", "who disagrees", "is the tube in yet", "what is the plan", "what did they decide"],
)  # fmt: skip
async def test_an_order_that_was_withdrawn_or_forbidden_is_not_told_as_current(text: str) -> None:
    said = (await (await asking()).ask(text)).text.lower()
    assert "replace it with magnesium" not in said
    assert "start gentamicin" not in said


@pytest.mark.parametrize(
    ("order", "stop", "who"),
    [
        ("Start heparin 5000 units.", "No anticoagulant until the CT is read.", "doctor2"),
        ("Give morphine 10 mg.", "No opioids for her.", "doctor2"),
        ("Give sumatriptan 6 mg.", "No triptan.", "doctor2"),
        ("Start amiodarone 300 mg.", "I withdraw amiodarone.", "doctor1"),
        ("Give diclofenac 75 mg.", "Diclofenac must not be given.", "supervisor"),
    ],
)
async def test_an_order_is_told_with_what_stopped_it_by_name_or_class(
    order: str, stop: str, who: str
) -> None:
    board = await board_of(("doctor1", f"She is in pain. {order}"), (who, stop))
    drug = order.split()[1]
    answer = await Asking(board, None).ask(f"{drug}?")
    assert stop.lower().rstrip(".") in answer.sentences[0].text.lower()
    assert f"says: {order.lower().rstrip('.')}" not in answer.text.lower()


@pytest.mark.parametrize(
    "other",
    ["No aspirin.", "No penicillins.", "Do not stop heparin.", "No bleeding was seen.", "I withdraw enoxaparin."],
)  # fmt: skip
async def test_an_order_stands_where_another_thing_is_stopped(other: str) -> None:
    board = await board_of(("doctor1", "Start heparin 5000 units."), ("doctor2", other))
    answer = await Asking(board, None).ask("heparin?")
    assert "heparin 5000 units" in answer.text.lower()
    assert "not since" not in answer.text.lower()


@pytest.mark.parametrize("text", ["magnesium?", "can I give magnesium", "how much magnesium", "gentamicin?"])
async def test_what_is_a_value_and_a_drug_is_told_with_its_ban_first(text: str) -> None:
    paper = CasePaper.model_validate(
        {"case_id": "case-1", "labs": [{"analyte": "magnesium", "value": 0.61, "unit": "mmol/L"}]}
    )
    answer = await Asking(await board_of(*_TEAM), paper).ask(text)
    assert "no gentamicin, no intravenous magnesium" in answer.sentences[0].text.lower()


@pytest.mark.parametrize(
    ("drug", "condition"),
    [("GTN", "tadalafil"), ("isosorbide mononitrate", "sildenafil"), ("glyceryl trinitrate", "tadalafil")],
)
async def test_the_papers_drug_that_speaks_against_it_is_told_first(drug: str, condition: str) -> None:
    paper = CasePaper.model_validate(
        {
            "case_id": "case-1",
            "medication": [{"drug": condition, "dose": 20, "unit": "mg"}],
            "allergies": [{"substance": "chlorhexidine", "reaction": "anaphylaxis"}],
        }
    )
    answer = await Asking(await board_of(("doctor1", "He has chest pain.")), paper).ask(f"can I give {drug}")
    assert condition in answer.sentences[0].text
    assert "contraindication" in answer.sentences[0].text
    assert "nothing" not in answer.text


async def test_a_condition_of_the_paper_speaks_against_a_drug_and_not_against_another() -> None:
    paper = CasePaper.model_validate({"case_id": "case-1", "history": ["Myasthenia gravis since 2015"]})
    board = await board_of(("doctor1", "She is septic."))
    against = await Asking(board, paper).ask("can I give tobramycin")
    assert "myasthenia gravis" in against.sentences[0].text
    assert "contraindication" not in (await Asking(board, paper).ask("can I give meropenem")).text


@pytest.mark.parametrize("word", ["Stop.", "Never.", "Wait.", "Right.", "Careful."])
async def test_one_word_is_never_joined_to_the_next_sentence(word: str) -> None:
    board = await board_of(
        ("doctor1", "Start gentamicin 5 mg/kg."),
        ("doctor2", f"{word} She has myasthenia gravis and takes pyridostigmine 60 mg four times a day."),
    )
    answer = await Asking(board, None).ask("should we stop the pyridostigmine")
    assert f"{word.lower()} she" not in answer.text.lower()
    assert f"{word.lower()[:-1]}; she" not in answer.text.lower()


@pytest.mark.parametrize("text", ["which antibiotic do they want", "which antibiotic", "what antibiotic do they recommend"])  # fmt: skip
async def test_the_chairs_decision_comes_first_and_a_heading_is_no_answer(text: str) -> None:
    answer = await (await asking()).ask(text)
    assert "meropenem 1 g, adrenaline" in answer.sentences[0].text.lower()
    assert "options for the antibiotic" not in answer.text.lower()


async def test_what_changed_tells_what_was_taken_back() -> None:
    assert "i withdraw gentamicin and magnesium" in (await (await asking()).ask("what changed")).text.lower()


async def test_what_is_outstanding_tells_what_is_open_and_not_done() -> None:
    said = (await (await asking()).ask("what's outstanding")).text.lower()
    for part in (
        "whether to hold pyridostigmine",
        "cultures have not been taken",
        "daughter has not been told",
    ):
        assert part in said
    assert "leads with" not in said


async def test_what_must_not_be_given_lists_nothing_that_may() -> None:
    board = await board_of(
        *_TEAM, ("doctor1", "Hold apixaban. No triptan. The lactate is 4.1 mmol/L, not 1.4.")
    )
    answer = await Asking(board, None).ask("what must not be given")
    assert "hold apixaban" in answer.text.lower() and "no triptan" in answer.text.lower()
    for allowed in ("lactate", "whether to hold", "aztreonam"):
        assert allowed not in answer.text.lower()


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("put it to the neurologist: is it myasthenia?", "the neurologist"),
        ("Please pass this on to the cardiologist", "the cardiologist"),
        ("could you put that to Doctor Nine", "Doctor Nine"),
        ("send the question to the haematologist: may she have heparin", "the haematologist"),
        ("refer it to the renal team", "the renal team"),
    ],
)
async def test_a_question_for_somebody_who_is_not_here_is_said_not_to_be_passed_on(
    text: str, who: str
) -> None:
    answer = await (await asking()).ask(text)
    assert answer.text == f"I passed nothing on: {who} is not one of the agents here."


@pytest.mark.parametrize("text", ["what did they put it down to", "is it due to sepsis", "who took it on"])
async def test_what_only_sounds_like_passing_on_is_answered(text: str) -> None:
    assert "passed nothing on" not in (await (await asking()).ask(text)).text


@pytest.mark.parametrize(
    ("order", "later"),
    [
        ("Give vancomycin 1 g.", "I withdraw my doubt: vancomycin is right."),
        ("Give furosemide 40 mg.", "I withdraw gentamicin, and keep furosemide."),
        ("Start insulin at 6 units an hour.", "I cancel the CT because the insulin is running."),
        ("Give adrenaline 0.5 mg IM now.", "Don't give adrenaline IV."),
        ("I recommend alteplase 0.9 mg/kg.", "If the CT shows blood, no alteplase."),
    ],
)
def test_an_order_stands_beside_what_stops_something_else(order: str, later: str) -> None:
    assert not Stops(said(("doctor1", order), ("doctor1", later))).by


async def test_of_a_line_of_values_only_the_stopped_one_is_left_out() -> None:
    ordered = json.dumps(
        {"recommendations": ["Give ceftriaxone 2 g now", "Give diclofenac 75 mg", "Monitor urine"]}
    )
    board = await board_of(("doctor1", ordered), ("doctor2", "Diclofenac must not be given."))
    lines = [one for one in Stops(board).seen(board).said if one.under == VALUES]
    assert [(one.text, one.past) for one in lines] == [
        ("recommendations: Give ceftriaxone 2 g now, Monitor urine", False)
    ]


async def test_a_value_beside_a_stopped_one_is_not_stopped_with_it() -> None:
    ordered = json.dumps({"plan": ["Give ceftriaxone 2 g now", "No delay for the lumbar puncture"]})
    board = await board_of(("doctor1", ordered), ("doctor2", "No lumbar puncture today."))
    answer = await Asking(board, None).ask("how much ceftriaxone")
    assert "not since" not in answer.text, answer.text


async def test_of_a_record_whose_order_was_stopped_no_dose_is_left_alone() -> None:
    ordered = json.dumps({"order": "Give heparin 5000 units now", "dose": "5000 units", "route": "IV"})
    board = await board_of(("doctor1", ordered), ("doctor2", "Heparin must not be given."))
    lines = [one for one in Stops(board).seen(board).said if one.under == VALUES]
    assert [one.text for one in lines if not one.past] == []


async def test_an_order_that_was_taken_off_is_cut_out_of_no_longer_one() -> None:
    ordered = json.dumps({"recommendations": ["Start alteplase", "Give heparin", "Give heparin 5000 units"]})
    board = await board_of(("doctor1", ordered), ("doctor1", "I withdraw heparin."))
    answer = await Asking(board, None).ask("how much alteplase")
    assert "5000" not in answer.text, answer.text

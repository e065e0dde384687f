"""What sets a condition, what restrains and what was replied come first, found by meaning where no word is shared."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.dialogue import Answer
from agents.dialogue.passages import Passages
from agents.dialogue.people import whom
from agents.dialogue.shapes import asks_leave, sets_condition
from exaim_core import BoardView, CasePaper
from tests.dialogue.asking import Asking, board_of
from tests.dialogue.test_before import said
from tests.dialogue.test_likeness import Topics, answered


async def test_when_is_answered_by_the_sentence_that_sets_the_condition_though_it_names_no_word_of_it() -> (
    None
):
    talk = said(
        ("nurse", "The surgeon rang at two about the drains. / Surgeon is Mr Hale."),
        ("doctor", "No pulse or numb toes: vascular at once."),
    )
    answer = await answered(
        "when do we call the surgeon", talk, Topics("when do we call", "numb toes: vascular")
    )
    assert "numb toes" in answer.sentences[0].text, answer.text


def test_a_condition_that_is_unlike_the_question_is_none_of_it() -> None:
    passages = Passages(said(("nurse", "If the relatives come, they wait outside. / Stop it below 90.")), ())
    question, encoder = "when do we stop the esmolol", Topics("esmolol", "below 90")
    assert not passages.conditional(question)
    passages.liken([encoder.encode(text) for text in (question, *passages.likeness.texts)])
    assert [one.text for one in passages.conditional(question)] == ["Stop it below 90."]


@pytest.mark.parametrize(
    "text",
    [
        "Stop it below 90.",
        "Triggers: a fall in platelets.",
        "Numb toes: vascular at once.",
        "Not till Monday.",
    ],
)
def test_a_condition_is_known_by_its_form(text: str) -> None:
    assert sets_condition(text)


async def test_what_is_no_drug_is_met_by_the_ban_that_is_like_it() -> None:
    talk = said(
        ("wife", "I'll drive him in. / It is twenty minutes."),
        ("doctor", "He needs the cath lab. / No private car. / He may block on the road."),
    )
    answer = await answered("can his wife drive him in", talk, Topics("drive him in", "No private car"))
    assert "no private car" in answer.sentences[0].text.lower(), answer.text


async def test_a_refusal_is_of_the_thing_that_was_named_before_it() -> None:
    talk = said(("nurse", "Diltiazem 240 was raised in August."), ("doctor", "STOP it and never again."))
    answer = await answered("can he go back on the diltiazem", talk, None)
    assert "never again" in answer.sentences[0].text.lower(), answer.text


async def test_the_reason_that_stands_before_a_ban_is_told_with_it() -> None:
    talk = said(("doctor", "His lung pressure is fifty-two. / Please don't, and no biopsy either."))
    answer = await answered("can he have a biopsy", talk, None)
    assert "just before: his lung pressure is fifty-two" in answer.text.lower(), answer.text


async def test_what_was_replied_comes_second() -> None:
    talk = said(
        ("pharmacist", "Argatroban, 2 micrograms per kilo a minute."),
        ("nurse", "With that bilirubin?"),
        ("doctor", "No. / Wrong line of the table, it's 0.5 with that liver."),
        ("nurse", "Argatroban needs a line of its own."),
    )
    like = Topics("argatroban", "it's 0.5")
    answer = await answered("what rate is the argatroban", talk, like)
    assert "0.5 with that liver" in answer.text, answer.text


@pytest.mark.parametrize(
    "question", ["can his wife drive him in", "may she eat", "should the pulses start tonight"]
)
def test_whether_something_may_be_done_asks_for_leave(question: str) -> None:
    assert asks_leave(question)


def test_could_you_tell_me_asks_for_no_leave() -> None:
    assert not asks_leave("could you tell me the sodium")


def test_a_field_in_plain_words_is_somebody() -> None:
    view = said(("renal agent", "Fluids. / More of them."), ("nurse", "Yes."))
    assert whom("what did the kidney doctor say", view, frozenset()).agent == "renal agent"
    assert whom("what did the heart doctor say", view, frozenset()).absent == "the heart doctor"
    assert whom("what does dermatology say", view, frozenset()).absent == "dermatology"
    assert whom("what does radiology say", view, frozenset()).absent is None


_TENTHS = st.lists(st.integers(20, 70), min_size=2, max_size=3, unique=True)


def _paper(tenths: list[int]) -> CasePaper:
    labs = [
        {"analyte": "potassium", "value": value / 10, "unit": "mmol/L", "reported_at": f"{8 + hour:02d}:00"}
        for hour, value in enumerate(tenths)
    ]
    return CasePaper.model_validate({"case_id": "c", "labs": labs})


@settings(max_examples=8, deadline=None)
@given(_TENTHS)
def test_of_several_values_the_newest_is_told_with_the_one_before(tenths: list[int]) -> None:
    answer = asyncio.run(Asking(BoardView(), _paper(tenths)).ask("what is the potassium"))
    *_, before, newest = (f"{value / 10:g} mmol/L" for value in tenths)
    assert 0 <= answer.text.find(newest) < answer.text.find(before), answer.text


@settings(max_examples=5, deadline=None)
@given(_TENTHS)
def test_where_the_paper_and_the_agents_differ_both_are_told_and_named(tenths: list[int]) -> None:
    *recorded, said_since = tenths

    async def asked() -> Answer:
        board = await board_of(("doctor1", f"The potassium is now {said_since / 10:g} mmol/L."))
        return await Asking(board, _paper(recorded)).ask("what is the potassium")

    answer = asyncio.run(asked())
    of_agents = [one.text for one in answer.sentences if one.source.startswith("Doctor One")]
    of_paper = [one.text for one in answer.sentences if one.source.startswith("case paper")]
    assert f"{said_since / 10:g} mmol/L" in of_agents[0] and "Doctor One" in of_agents[0], answer
    assert f"{recorded[-1] / 10:g} mmol/L" in of_paper[0] and "case paper" in of_paper[0], answer


async def test_a_value_with_its_date_is_told_newest_first_and_as_people_say_it() -> None:
    labs = [
        {"analyte": "lactate", "value": value, "unit": "mmol/L", "reported_at": at}
        for value, at in ((1.4, "2026-11-19T23:10:00"), (4.1, "2026-11-20T01:55:00"))
    ]
    paper = CasePaper.model_validate({"case_id": "c", "labs": labs})
    answer = await Asking(BoardView(), paper).ask("what is the lactate")
    assert "4.1 mmol/L at 01:55 on 20 November" in answer.text
    assert "T01:55" not in answer.text
    assert answer.text.find("4.1 mmol/L") < answer.text.find("1.4 mmol/L")


@pytest.mark.parametrize(
    ("at", "told"),
    [
        (
            ("2026-03-01T23:50:00Z", "2026-03-02T06:10:00Z"),
            "4.1 mmol/L at 06:10 on 2 March. Before that, potassium 6.9 mmol/L at 23:50 on 1 March.",
        ),
        (
            ("23:50", "2026-03-02T06:10:00Z"),
            "6.9 mmol/L at 23:50. Before that, potassium 4.1 mmol/L at 06:10",
        ),
        (("2026-03-02T06:10:00+02:00", "2026-03-02T05:00:00+00:00"), "4.1 mmol/L at 05:00 on 2 March."),
        (
            ("2026-03-01", "2026-03-02"),
            "4.1 mmol/L on 2 March. Before that, potassium 6.9 mmol/L on 1 March.",
        ),
        (("2024-03-02T06:10", "2026-03-02T06:10"), "4.1 mmol/L at 06:10 on 2 March 2026."),
        ((None, "2026-03-02"), "4.1 mmol/L on 2 March. Also potassium 6.9 mmol/L."),
    ],
)
async def test_the_newest_value_is_told_by_its_date_and_not_by_its_hour(
    at: tuple[str | None, str], told: str
) -> None:
    labs = [
        {"analyte": "potassium", "value": value, "unit": "mmol/L", "reported_at": when}
        for value, when in zip((6.9, 4.1), at, strict=True)
    ]
    for ordered in (labs, labs[::-1]):
        paper = CasePaper.model_validate({"case_id": "c", "labs": ordered})
        answer = await Asking(BoardView(), paper).ask("what is the potassium")
        assert told in answer.text


async def test_values_of_one_day_are_told_with_the_day_once() -> None:
    labs = [
        {"analyte": name, "value": 4, "unit": "mmol/L", "reported_at": "2026-03-02"}
        for name in ("potassium", "lactate")
    ]
    paper = CasePaper.model_validate({"case_id": "c", "labs": labs})
    answer = await Asking(BoardView(), paper).ask("what are the blood results")
    assert answer.text.endswith("mmol/L, on 2 March."), answer.text
    assert answer.text.count("2 March") == 1

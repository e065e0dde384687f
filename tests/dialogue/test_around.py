"""What was said on from what an answer tells first, and what leaves its thing to the sentence before it."""

from __future__ import annotations

from agents.dialogue.beside import replied
from agents.dialogue.facts import Fact
from agents.dialogue.forbidden_list import listed
from agents.dialogue.later import around
from agents.dialogue.passages import Passages
from exaim_core import BoardView
from tests.dialogue.test_before import said
from tests.dialogue.test_likeness import answered


def _of(board: BoardView, text: str) -> tuple[Passages, tuple[Fact, ...]]:
    passages = Passages(board, ())
    return passages, tuple(passages.fact_of(one) for one in passages.all if one.text == text)[:1]


def _around(board: BoardView, text: str, *, value: bool = False) -> list[str]:
    passages, told = _of(board, text)
    found = around(passages, told, value=value)
    return [" ".join(text for text in fact.rests_on if text.endswith(".")) for fact in found]


async def test_who_takes_it_back_in_the_next_sentence_is_heard() -> None:
    board = said(
        ("cardiologist", "Our letter says vasovagal. / I take that back, the tilt was negative."),
        ("dermatologist", "No spots on the skin."),
    )
    answer = await answered("was it just vasovagal", board, None)
    assert "the tilt was negative" in answer.text, answer.text


async def test_an_allergy_that_was_somebody_elses_is_told_as_that() -> None:
    board = said(
        ("history", "Old letters say an allergy to penicillin. / Mother on phone: that was the brother."),
    )
    answer = await answered("is he allergic to penicillin", board, None)
    assert "that was the brother" in answer.text, answer.text


def test_what_was_said_on_ends_at_a_question() -> None:
    told = "Her scan is at ten."
    board = said(("imaging", told), ("nurse", "She is on the ward. / Is the tube out?"), ("doctor", "No."))
    assert _around(board, told) == ["She is on the ward."]


def test_what_leans_on_a_sentence_is_told_behind_it_or_not_at_all() -> None:
    told = "The chart has a red sticker."
    board = said(
        ("nurse", told), ("records", "That sticker is of bed six. / It is coming off. / Potassium is fine.")
    )
    assert _around(board, told) == ["That sticker is of bed six. It is coming off.", "Potassium is fine."]
    ordered = said(
        ("nurse", told), ("records", "We have given calcium. / It is working. / Potassium is fine.")
    )
    assert _around(ordered, told) == ["Potassium is fine."]


async def test_where_nothing_was_said_on_what_stands_before_it_is_told_as_that() -> None:
    board = said(("doctor", "Her pupil is wide. / The scan is at ten."))
    answer = await answered("when is the scan", board, None)
    assert "just before: her pupil is wide" in answer.text.lower(), answer.text


def test_behind_a_value_nobody_elses_next_words_are_told_unless_they_lean_on_it() -> None:
    other = said(("lab", "Sodium 158."), ("nurse", "Bleep 158 for the porter."))
    assert _around(other, "Sodium 158.", value=True) == []
    leaning = said(("lab", "Sodium 158."), ("nurse", "No, that tube was from bed six."))
    assert _around(leaning, "Sodium 158.", value=True) == ["No, that tube was from bed six."]


async def test_an_allergy_without_its_name_is_told_behind_the_sentence_that_has_it() -> None:
    board = said(
        ("pharmacist", "Anything else to know?"),
        ("anaesthetist", "Diclofenac? / Bronchospasm, 2015. / Only allergy she has."),
    )
    answer = await answered("whats she allergic to", board, None)
    assert "diclofenac? bronchospasm, 2015. only allergy" in answer.text.lower(), answer.text


def test_what_restrains_what_was_named_before_it_is_on_the_page_with_that() -> None:
    board = said(
        (
            "cardiology",
            "For others I'd say aspirin and heparin. / For her neither until the count is over 50.",
        )
    )
    told, page = listed(board, ())
    shown = " ".join(one.text for one in (*told, *page))
    assert "aspirin and heparin. For her neither" in shown, shown


def test_a_reply_behind_a_question_about_something_else_is_none_to_what_is_told() -> None:
    told = "Argatroban, 2 micrograms."
    about = said(
        ("pharmacist", told), ("nurse", "Argatroban with that liver?"), ("doctor", "No, 0.5 is right.")
    )
    other = said(("pharmacist", told), ("nurse", "Did the daughter ring?"), ("doctor", "No, 0.5 is right."))
    assert replied(*_of(about, told), 0.0, number=True)
    assert replied(*_of(other, told), 0.0, number=True) == ()


async def test_what_stands_before_it_gives_way_to_what_was_said_on() -> None:
    on = "Then the surgeon comes down and looks at the wound, and that is well before noon."
    board = said(("doctor", "Her pupil is wide. / The scan is at ten."), ("nurse", on))
    answer = await answered("when is the scan", board, None)
    text = answer.text.lower()
    assert "before noon" in text, text
    assert "pupil" not in text or text.index("before noon") < text.index("pupil"), text


async def test_why_something_is_not_done_stands_beside_who_refused_it() -> None:
    board = said(
        ("metabolic", "Start the insulin straight away, 11 units an hour."),
        ("pharmacy", "Do not start insulin yet. / Potassium is 3.1."),
    )
    text = (await answered("why wasn't the insulin started straight away", board, None)).text.lower()
    assert "potassium is 3.1" in text, text
    assert "11 units" not in text or text.index("do not start") < text.index("11 units"), text

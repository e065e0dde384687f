"""How a sentence is cut into clauses."""

from __future__ import annotations

from itertools import pairwise

import pytest

from exaim_core.text.clauses import parts


def cut(text: str) -> list[str]:
    return [text[each.start : each.end] for each in parts(text)]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("The potassium is 6.9.", ["The potassium is 6.9."]),
        ("The potassium is 6.9, and he is well.", ["The potassium is 6.9", "he is well."]),
        ("Nausea, vomiting and pain.", ["Nausea, vomiting and pain."]),
        ("She is well, thin and pale.", ["She is well, thin and pale."]),
        ("CSF: glucose 1.2; lactate is 9.", ["CSF", "glucose 1.2", "lactate is 9."]),
        ("Without a bolus: 25 mg, then 50.", ["Without a bolus: 25 mg, then 50."]),
        ("Plasma 15 mL/kg, i.e. 1,020 mL.", ["Plasma 15 mL/kg, i.e. 1,020 mL."]),
        ("A clot – no bleeding.", ["A clot", "no bleeding."]),
        ("", [""]),
    ],
)
def test_a_clause_ends_at_a_stop_or_where_both_sides_have_a_verb(
    text: str, clauses: list[str] | None
) -> None:
    assert cut(text) == clauses


@pytest.mark.parametrize(
    "text", ["K 6.9; he is well, and she is ill: no more. So?", "a", "  a; ", "is, is, is."]
)
def test_clauses_are_the_whole_of_a_sentence(text: str) -> None:
    found = parts(text)
    assert found[0].joined == 0
    assert text[found[-1].stopped :].strip() == ""
    assert all(one.stopped == other.joined for one, other in pairwise(found))
    assert all(each.joined <= each.start <= each.end <= each.stopped for each in found)


def test_what_one_says_of_oneself_first_is_no_part_of_the_clause() -> None:
    text = "We want to add that the heart, and the liver are large."
    assert cut(text) == ["the heart, and the liver are large."]
    assert [text[each.joined : each.stopped] for each in parts(text)] == [text]


def test_what_is_set_against_something_is_a_clause_without_a_verb_where_that_is_asked_for() -> None:
    text = "No clot but a bleed, and no shift."
    assert cut(text) == [text]
    assert [text[each.start : each.end] for each in parts(text, fine=True)] == [
        "No clot",
        "a bleed, and no shift.",
    ]


def test_how_a_clause_is_meant_ends_at_any_stop_and_colon() -> None:
    text = "Target: 6.9. His is 7."
    assert [text[each.joined : each.stopped] for each in parts(text, fine=True)] == [
        "Target:",
        " 6.9.",
        " His is 7.",
    ]


def test_segments_are_counted() -> None:
    assert [each.segment for each in parts("If he is ill, he is treated; he is well.")] == [0, 0, 1]

"""Where a sentence is cut into clauses: as it is told, and as each part is meant."""

from __future__ import annotations

import pytest

from exaim_core.text.clauses import meant_apart, segments, told_apart


def told(text: str) -> list[str]:
    found = [span for start, end in segments(text) for span in told_apart(text, start, end)]
    return [text[start:end] for start, end in found]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("The potassium is 6.9.", ["The potassium is 6.9."]),
        ("The potassium is 6.9, and he is well.", ["The potassium is 6.9", "he is well."]),
        ("Nausea, vomiting and pain.", ["Nausea, vomiting and pain."]),
        ("Without a bolus: 25 mg, then 50.", ["Without a bolus: 25 mg, then 50."]),
        ("Plasma 15 mL/kg, i.e. 1,020 mL.", ["Plasma 15 mL/kg, i.e. 1,020 mL."]),
        ("CSF: glucose 1.2; lactate is 9.", ["CSF", "glucose 1.2", "lactate is 9."]),
        ("A clot – no bleeding.", ["A clot", "no bleeding."]),
        ("We want to add that the heart, and the liver are large.", ["the heart, and the liver are large."]),
    ],
)
def test_what_is_told_is_cut_where_both_sides_have_a_verb(text: str, clauses: list[str]) -> None:
    assert told(text) == clauses


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("No clot but a bleed.", ["No clot ", "but a bleed."]),
        ("Target: 6.9. His is 7.", ["Target:", " 6.9.", " His is 7."]),
        ("If you look at it, the potassium is 6.9.", ["If you look at it, ", "the potassium is 6.9."]),
        ("", []),
    ],
)
def test_how_a_clause_is_meant_ends_sooner(text: str, clauses: list[str]) -> None:
    assert [text[start:end] for start, end in meant_apart(text)] == clauses

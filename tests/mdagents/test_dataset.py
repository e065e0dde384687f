"""Rows: the shapes in which they come, and what is told of those that can't be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.teams.mdagents.dataset import OWN, Question, found_at, questions, shuffled
from agents.teams.mdagents.errors import DatasetError, RowError

GOOD: dict[str, Any] = {"question": "Why?", "options": {"A": "x", "B": "y"}, "answer_idx": "B", "answer": "y"}


def rows(tmp_path: Path, *lines: Any, **more: Any) -> list[Question | RowError]:
    path = tmp_path / "test.jsonl"
    path.write_bytes(
        b"".join((each if isinstance(each, bytes) else json.dumps(each).encode()) + b"\n" for each in lines)
    )
    return list(questions(path, **more))


SHAPES = {
    "medqa": (GOOD, {"A": "x", "B": "y"}, "B", "y"),
    "a list of options": (
        {"question": "Why?", "options": ["x", "y"], "answer": "y"},
        {"A": "x", "B": "y"},
        "B",
        "y",
    ),
    "pubmedqa": (
        {"pubid": 7, "question": "Does it?", "context": {"contexts": ["It did."]}, "final_decision": "maybe"},
        {"A": "yes", "B": "no", "C": "maybe"},
        "C",
        "maybe",
    ),
    "medbullets": (
        {"question": "Why?", "opa": "x", "opb": "y", "opc": "z", "answer_idx": "C", "answer": "z"},
        {"A": "x", "B": "y", "C": "z"},
        "C",
        "z",
    ),
    "medbullets with a blank": (
        {"question": "Why?", "opa": "x", "opb": " ", "opc": "y", "opd": "z", "answer_idx": "C"},
        {"A": "x", "C": "y", "D": "z"},
        "C",
        "y",
    ),
    "jama": (
        {
            "question": "What next?",
            "opa": "x",
            "opb": "y",
            "opc": "z",
            "opd": "w",
            "answer_idx": "A",
            "answer": "x",
        },
        {"A": "x", "B": "y", "C": "z", "D": "w"},
        "A",
        "x",
    ),
    "ddxplus": (
        {
            "AGE": 18,
            "SEX": "M",
            "PATHOLOGY": "GERD",
            "INITIAL_EVIDENCE": "cough",
            "EVIDENCES": "['cough', 'burning']",
            "DIFFERENTIAL_DIAGNOSIS": "[['Bronchitis', 0.6], ['GERD', 0.4]]",
        },
        {"A": "Bronchitis", "B": "GERD"},
        "B",
        "GERD",
    ),
    "symcat": (
        {"symptoms": {"fever": True, "rash": False}, "disease": "Flu", "options": ["Cold", "Flu"]},
        {"A": "Cold", "B": "Flu"},
        "B",
        "Flu",
    ),
    "symcat without options": ({"symptoms": ["fever"], "disease": "Flu"}, {}, "", "Flu"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_read_by_its_fields(tmp_path: Path, shape: str) -> None:
    raw, options, label, answer = SHAPES[shape]
    (found,) = rows(tmp_path, raw)
    assert isinstance(found, Question), found
    assert (dict(found.options), found.label, found.answer) == (options, label, answer)
    if shape in ("medqa", "pubmedqa", "medbullets", "jama", "ddxplus", "symcat"):
        assert rows(tmp_path, raw, shape=shape) == [found]


def test_what_a_differential_leaves_out_is_put_among_the_options(tmp_path: Path) -> None:
    raw = {**SHAPES["ddxplus"][0], "DIFFERENTIAL_DIAGNOSIS": [[f"D{at:02d}", 0.1] for at in range(20)]}
    (found,) = rows(tmp_path, raw)
    assert isinstance(found, Question)
    assert len(found.options) == 10 and found.options[found.label] == "GERD"


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({**GOOD, "question": ""}, "question"),
        ({**GOOD, "question": 7}, "question"),
        ({"answer": "x"}, "question"),
        ({key: value for key, value in GOOD.items() if key != "options"}, "options"),
        ({**GOOD, "options": {"A": "x"}}, "options"),
        ({**GOOD, "options": {"A": "x", "B": "X "}}, "options"),
        ({**GOOD, "options": {"A": "x", "BB": "y"}}, "options"),
        ({**GOOD, "options": {"A": "x", "B": ""}}, "options"),
        ({**GOOD, "answer_idx": "E"}, "answer_idx"),
        ({**GOOD, "answer_idx": None, "answer": None}, "answer_idx"),
        ({**GOOD, "answer": "x"}, "answer"),
        ({"question": "Does it?", "context": "", "final_decision": "perhaps"}, "final_decision"),
        ({"question": "Does it?", "context": 7, "final_decision": "yes"}, "context"),
        ({"symptoms": [], "disease": "Flu"}, "symptoms"),
        ({"symptoms": ["x"], "disease": "Flu", "options": ["a", "b"]}, "disease"),
        (
            {"PATHOLOGY": "GERD", "EVIDENCES": "__import__('os')", "DIFFERENTIAL_DIAGNOSIS": "[]"},
            "DIFFERENTIAL_DIAGNOSIS",
        ),
        (b'{"question": "x\\ud800", "options": ["a", "b"], "answer": "a"}', "question"),
        (b'{"question": "x", "options": ["a\\ud800", "b"], "answer": "b"}', "options"),
        (["no", "object"], ""),
        (b"{not json", ""),
        (b'{"question": "\xff\xfe"}', ""),
        (b'{"question": "' + b"x" * 10_000_000 + b'"}', ""),
        (b"[" * 100_000, ""),
    ],
)
def test_a_bad_row_is_told_with_row_and_field_and_the_rest_goes_on(
    tmp_path: Path, line: Any, field: str
) -> None:
    first, bad, last = rows(tmp_path, GOOD, line, {**GOOD, "id": "last"})
    assert isinstance(first, Question) and isinstance(last, Question)
    assert isinstance(bad, RowError)
    assert (bad.row, bad.field) == (2, field)
    assert "row 2" in str(bad) and "xxx" not in str(bad)


def test_an_id_that_comes_twice_is_told(tmp_path: Path) -> None:
    found = rows(tmp_path, {**GOOD, "id": "q"}, {**GOOD, "id": "q"}, GOOD)
    assert [isinstance(each, RowError) for each in found] == [False, True, False]
    assert isinstance(found[1], RowError) and found[1].field == "id"


def test_only_the_first_rows_are_read_and_empty_lines_are_none(tmp_path: Path) -> None:
    found = rows(tmp_path, GOOD, b"", {**GOOD, "id": "b"}, {**GOOD, "id": "c"}, most=2)
    assert [each.question_id for each in found if isinstance(each, Question)] == ["row-1", "b"]


def test_options_are_shuffled_by_seed_and_letters_map_back() -> None:
    first = next(each for each in questions(found_at(OWN)) if isinstance(each, Question))
    seen = set()
    for seed in range(20):
        found = shuffled(first, seed)
        assert list(found.options) == list(first.options)
        assert sorted(found.options.values()) == sorted(first.options.values())
        assert found.options[found.label] == first.answer == found.answer
        assert shuffled(first, seed) == found
        seen.add(found.label)
    assert len(seen) > 1


def test_the_shipped_questions_are_sixty_good_ones() -> None:
    found = list(questions(found_at(OWN)))
    assert len(found) == 60
    assert all(isinstance(each, Question) and len(each.options) == 4 for each in found)


def test_a_data_set_that_is_not_there_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"data/none/test\.jsonl"):
        found_at("none")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "test.jsonl").write_text(json.dumps(GOOD))
    assert found_at("own", within=tmp_path) == tmp_path / "own" / "test.jsonl"
    with pytest.raises(DatasetError, match="no shape"):
        list(questions(tmp_path / "own" / "test.jsonl", shape="odd"))


def test_a_question_that_is_too_long_for_the_agents_is_refused_and_not_cut(tmp_path: Path) -> None:
    found = rows(tmp_path, GOOD | {"question": "x" * 40_001}, GOOD | {"question": "x" * 40_000})
    assert [isinstance(each, RowError) for each in found] == [True, False]
    assert str(found[0]).endswith("has 40,001 characters, and 40,000 can be taken")

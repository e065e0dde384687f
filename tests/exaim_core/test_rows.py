"""Rows of a lexicon are typed and hold against their own examples; what is wrong is said with its place."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import exaim_core
from exaim_core.text.rows import BadRow, Lexicon, lexicon

FOLDER = Path(exaim_core.__file__).parent / "data" / "forms"
FILES = sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.toml"))
ROW = {"pattern": "gout", "example": "It is gout.", "counter": "It is not."}


def made(**table: Any) -> Lexicon:
    """Return the forms of a file that was never written."""
    return Lexicon("room/file", table, {})


def test_there_are_files() -> None:
    assert len(FILES) >= 15


@pytest.mark.parametrize("file", FILES)
def test_every_row_alone_finds_its_example(file: str, used: dict[str, Lexicon]) -> None:
    assert unfit(used[file]) == []


def unfit(forms: Lexicon) -> list[tuple[str, str]]:
    """Return the rows that alone do not find their example, by form."""
    return [
        (form, row.pattern)
        for form, rows in forms.rows().items()
        for row in rows
        if not forms.finds(form, forms.alone(form, row), row.example)
    ]


@pytest.fixture(scope="module")
def used() -> dict[str, Lexicon]:
    """Return the lexica as the modules that ask for them have made them."""
    found = dict[str, Lexicon]()
    for module in pkgutil.walk_packages(exaim_core.__path__, "exaim_core."):
        if module.name.startswith("exaim_core.llm"):
            continue
        owned = vars(importlib.import_module(module.name)).values()
        found |= {forms.file: forms for forms in owned if isinstance(forms, Lexicon)}
    assert sorted(found) == FILES, "a file that no module asks for"
    return found


def test_a_form_finds_what_any_of_its_rows_finds() -> None:
    forms = made(ill=[ROW, ROW | {"pattern": "flu", "example": "Flu."}], frames={"ill": r"\b(?:{rows})\b"})
    assert forms["ill"].findall("gout, flu, flute") == ["gout", "flu"]


def test_a_part_is_put_where_it_is_named() -> None:
    forms = made(parts={"ill": "gout"}, says=[ROW | {"pattern": r"is {ill}\b"}])
    assert forms["says"].pattern == r"is gout\b"


def test_parts_of_other_modules_are_given() -> None:
    assert Lexicon("a/b", {"says": [ROW | {"pattern": "{ill}"}]}, {"ill": "gout"})["says"].pattern == "gout"


def test_letters_count_where_it_is_said() -> None:
    counter = ROW | {"counter": "it is GOUT"}
    assert made(ill=[counter], flags={"ill": ""})["ill"].flags & re.IGNORECASE == 0
    with pytest.raises(BadRow, match=r"forms/room/file.toml, form ill, row 1: its counter-example fits"):
        made(ill=[counter])


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ({"example": "It is flu."}, "row 2: its example does not fit"),
        ({"counter": "No gout."}, "row 2: its counter-example fits"),
        ({"counter": ""}, "row 2: counter is missing"),
        ({"pattern": 3}, "row 2: a row has texts by name"),
        ({"comment": "new"}, "row 2: a row has no comment"),
        ({"pattern": "gout("}, "form ill: no pattern"),
        ({"pattern": "{pain}"}, "form ill: there is no part 'pain'"),
    ],
)
def test_a_wrong_row_is_named(row: dict[str, Any], wrong: str) -> None:
    with pytest.raises(BadRow, match=re.escape(wrong)):
        made(ill=[ROW, ROW | row])


def test_a_frame_of_no_form_is_an_error() -> None:
    with pytest.raises(BadRow, match="form flu: there is no such form"):
        made(ill=[ROW], frames={"flu": "{rows}"})


def test_rows_apart_are_patterns_of_their_own() -> None:
    forms = made(apart=["ill"], ill=[ROW, ROW | {"pattern": "flu", "example": "Flu."}])
    assert [each.pattern for each in forms.each("ill")] == ["gout", "flu"]


def test_a_package_beside_the_engine_keeps_its_own_rows() -> None:
    assert unfit(lexicon("by_kind", "agents.dialogue")) == []


def test_no_file_is_an_error_that_names_it() -> None:
    with pytest.raises(BadRow, match=r"forms/lexicon/none.toml"):
        lexicon("lexicon/none")

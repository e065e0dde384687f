"""Rows of a lexicon are typed and hold against their own examples; what is wrong is said with its place."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
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


def checked(**table: Any) -> Lexicon:
    """Return the forms of a file that was never written, compiled and with their examples tried."""
    forms = made(**table)
    forms.check()
    return forms


def test_there_are_files() -> None:
    assert len(FILES) >= 15


@pytest.mark.parametrize("file", FILES)
def test_every_form_compiles_and_every_row_fits_its_examples(file: str, used: dict[str, Lexicon]) -> None:
    used[file].check()


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
    assert checked(ill=[counter], flags={"ill": ""})["ill"].flags & re.IGNORECASE == 0
    with pytest.raises(BadRow, match=r"forms/room/file.toml, form ill, row 1: its counter-example fits"):
        checked(ill=[counter])


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
        checked(ill=[ROW, ROW | row])


@pytest.mark.parametrize("row", [{"counter": ""}, {"pattern": 3}, {"comment": "new"}])
def test_what_is_no_row_is_named_before_any_form_is_looked_up(row: dict[str, Any]) -> None:
    with pytest.raises(BadRow):
        made(ill=[ROW, ROW | row])


def test_a_form_is_compiled_when_it_is_looked_up_and_once() -> None:
    forms = made(ill=[ROW], well=[ROW])
    assert not forms
    assert forms["ill"] is forms["ill"]
    assert list(forms) == ["ill"]
    forms.compile()
    assert sorted(forms) == ["ill", "well"]


@pytest.mark.parametrize("look_up", [Lexicon.__getitem__, Lexicon.late])
def test_a_form_that_is_not_there_is_an_error_at_once(look_up: Callable[[Lexicon, str], object]) -> None:
    with pytest.raises(KeyError):
        look_up(made(ill=[ROW]), "well")


def test_a_late_form_is_the_form() -> None:
    forms = made(ill=[ROW])
    ill = forms.late("ill")
    assert not forms
    assert ill.search("it is gout") is not None
    assert ill.search == forms["ill"].search


def test_a_part_of_another_module_is_made_when_it_is_needed() -> None:
    asked = list[str]()

    def ill() -> str:
        asked.append("ill")
        return "gout"

    forms = Lexicon("a/b", {"says": [ROW | {"pattern": "{ill}"}]}, {"ill": ill})
    assert not asked
    assert forms["says"].pattern == "gout"


def test_a_frame_of_no_form_is_an_error() -> None:
    with pytest.raises(BadRow, match="form flu: there is no such form"):
        made(ill=[ROW], frames={"flu": "{rows}"})


def test_rows_apart_are_patterns_of_their_own() -> None:
    forms = made(apart=["ill"], ill=[ROW, ROW | {"pattern": "flu", "example": "Flu."}])
    assert [each.pattern for each in forms.each("ill")] == ["gout", "flu"]


def test_a_package_beside_the_engine_keeps_its_own_rows() -> None:
    forms = lexicon("by_kind", "agents.dialogue")
    forms.check()
    assert unfit(forms) == []


def test_no_file_is_an_error_that_names_it() -> None:
    with pytest.raises(BadRow, match=r"forms/lexicon/none.toml"):
        lexicon("lexicon/none")

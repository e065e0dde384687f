"""What a run of the engine is held against: the figures and the lines of a saved one."""

from __future__ import annotations

import pytest

from lab.evaluation import habits
from lab.evaluation.regression import Run, differences, figures, main

BEFORE: Run = {
    "ninth/cite-01": {
        "lines": ["critical: glucose 2.6.", "closing: Finished."],
        "points": 3,
        "offered": 1,
        "right": 1,
    },
    "cases/kidney": {"lines": ["critical: potassium 6.9."]},
}


def test_two_runs_alike_differ_in_nothing() -> None:
    assert [*differences(BEFORE, BEFORE)] == []


def test_a_line_that_differs_is_shown_under_its_source() -> None:
    after = {**BEFORE, "cases/kidney": {"lines": ["critical: potassium 6.9.", "caution: No potassium."]}}
    assert [*differences(BEFORE, after)] == ["== cases/kidney", "+caution: No potassium."]


def test_a_source_that_is_not_there_any_more_differs() -> None:
    after = {name: told for name, told in BEFORE.items() if name.startswith("cases")}
    assert next(iter(differences(BEFORE, after))) == "== ninth/cite-01"


def test_figures_are_added_over_written_discussions() -> None:
    found = figures({**BEFORE, "ninth/cite-02": {"lines": [], "points": 4, "wrong": 1}})
    assert (found["points"], found["offered"], found["right"], found["wrong"]) == (7, 1, 1, 1)


@pytest.mark.parametrize("split", [*habits.SEALED, "one that is not there"])
def test_a_sealed_split_is_not_played(split: str) -> None:
    with pytest.raises(SystemExit):
        main(["--splits", split])


def test_every_split_is_spent_or_sealed() -> None:
    there = {folder.name for folder in habits.FOLDER.iterdir() if folder.is_dir()}
    assert there == set(habits.SPLITS)
    assert not set(habits.SPENT) & set(habits.SEALED)

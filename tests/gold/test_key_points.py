"""When a written discussion's key point counts as told."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.evaluation.discussions import WORDS_PER_S
from lab.evaluation.habits import FOLDER, KeyPoint, files, load

STATED = KeyPoint("Back to seven.", 6.9, (("7", "seven"), ("re-bleed", "rate")), "critical", 3, 6.7)


@pytest.mark.parametrize("text", ["Re-bleed: seven.", "A re bleed, 7.", "Rate back to seven."])
def test_a_term_with_a_hyphen_is_found_with_and_without_it(text: str) -> None:
    assert STATED.met_by(text)


def test_every_term_of_the_sets_can_be_met() -> None:
    for path in files("develop"):
        _, points, _ = load(path)
        for point in points:
            assert all(
                point.met_by(" ".join(group[at % len(group)] for group in point.any_of)) for at in range(4)
            )


@pytest.mark.parametrize(
    ("at_s", "ever", "within_8_s"),
    [(1.7, False, False), (6.65, True, True), (14.9, True, True), (15.0, True, False)],
)
def test_what_is_begun_before_it_was_stated_tells_something_else(
    at_s: float, *, ever: bool, within_8_s: bool
) -> None:
    assert STATED.told_by("Rate seven.", at_s) is ever
    assert STATED.told_by("Rate seven.", at_s, 8.0) is within_8_s


def test_a_point_may_be_told_from_the_first_word_of_its_quote() -> None:
    path = Path(FOLDER / "thirteenth" / "oncall-02.jsonl")
    discussion, points, _ = load(path)
    for point in points:
        before = sum(len(text.split()) for _, text in discussion.turns[: point.turn - 1]) / WORDS_PER_S
        assert before <= point.from_s < point.at_s

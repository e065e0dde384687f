"""The discussions in free prose are whole: every row speaks of what is said, and a third must not be told."""

from __future__ import annotations

from collections import Counter

from tests.gold.acute import Delta
from tests.gold.prose_values import GROUPS, KINDS, discussions
from tests.gold.terms import met


def test_there_are_enough_rows_of_every_kind_and_no_two_have_one_name() -> None:
    points = [row for each in discussions() for row in each.points]
    never = [row for each in discussions() for row in each.never]
    assert len(points) >= 60 and len(never) * 3 >= len(points) + len(never)
    assert {row.group for row in points} == GROUPS and {row.kind for row in never} == KINDS
    names = [row.id for row in points] + [row.id for row in never]
    assert max(Counter(names).values()) == 1


def test_every_row_is_met_by_what_was_said() -> None:
    for each in discussions():
        said = " ".join(text for _, text in each.turns)
        rows = [(row.id, row.terms) for row in each.points] + [(row.id, row.terms) for row in each.never]
        assert [name for name, terms in rows if not met(said, terms)] == []


def test_the_events_say_the_turns() -> None:
    for each in discussions():
        said = "".join(event.text for event in each.events() if isinstance(event, Delta))
        assert said == "".join(text for _, text in each.turns)

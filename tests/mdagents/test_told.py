"""What of scripted teams is heard, measured over all of them as `python -m lab.evaluation.debates` does."""

from __future__ import annotations

import pytest

from agents.shares import Share
from agents.teams.mdagents.debates import TEAM
from agents.teams.scripted import script_names
from lab.debates import FIRST_WORD_S
from lab.evaluation.debates import IN_SPEECH_S, MUST, Row, heard, missed_of, table


def test_a_kind_that_must_be_heard_and_has_no_event_was_missed() -> None:
    rows = [Row(kind, Share(4, 4), 1.0) for kind in MUST if kind != "final"]
    assert missed_of(rows) == ["final"]
    assert missed_of([*rows, Row("final", Share(4, 4), 7.0)]) == ["final"]
    assert missed_of([*rows, Row("final", Share(4, 4), 5.0)]) == []


def test_what_a_clinician_must_hear_of_a_debate_is_told_in_six_seconds_and_a_first_word_in_ten() -> None:
    debates = [heard(name) for name in script_names(TEAM)]
    assert all(each.first_s <= FIRST_WORD_S for each in debates), {
        each.name: each.first_s for each in debates
    }
    rows = {row.kind: row for row in table(debates)}
    assert set(MUST) <= set(rows)
    assert [kind for kind in MUST if rows[kind].longest_s > IN_SPEECH_S] == []
    untold = {kind: rows[kind].share.value for kind in MUST if rows[kind].share.value < MUST[kind]}
    assert untold == {}, "what presses lets a notice pass"


@pytest.mark.parametrize("name", script_names("doctors"))
def test_the_doctors_too_are_heard_within_ten_seconds_of_their_start(name: str) -> None:
    """Not so for `cdss`: it waits in a thread now and then, which a virtual clock can not know of."""
    assert heard(name, "doctors").first_s <= FIRST_WORD_S

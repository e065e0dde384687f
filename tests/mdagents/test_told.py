"""What of the scripted debates is heard, measured over all of them as `python -m lab.evaluation.debates` does."""

from __future__ import annotations

from agents.teams.mdagents.debates import TEAM
from agents.teams.scripted import script_names
from lab.evaluation.debates import IN_SPEECH_S, MUST, heard, table


def test_what_a_clinician_must_hear_of_a_debate_is_told_in_six_seconds() -> None:
    debates = [heard(name) for name in script_names(TEAM)]
    assert all(each.first_s < 10.0 for each in debates), {each.name: each.first_s for each in debates}
    rows = {row.kind: row for row in table(debates)}
    assert set(MUST) <= set(rows)
    assert [kind for kind in MUST if rows[kind].longest_s > IN_SPEECH_S] == []
    shares = {kind: rows[kind].share.value for kind in MUST}
    assert (shares["changed"], shares["minority"], shares["final"]) == (1.0, 1.0, 1.0)
    assert shares["recruited"] >= 0.75, "one may be crowded out by what presses"
    assert shares["round"] >= 0.5, "a round that is over is not told"

from __future__ import annotations

from exaim_core.kept import SUMMARIES, KeptUpdates
from exaim_core.schema import AgentSummary, Update


def update(number: int) -> Update:
    summary = AgentSummary(
        status_action=f"Update {number}.",
        key_findings="None.",
        differential_rationale="None.",
        uncertainty_confidence="None.",
        recommendation_next_step="None.",
        agent_contributions="Doctor Zero.",
    )
    return Update(number=number, path="A", reason="complete", summary=summary, last_delta_at_s=1.0)


def test_only_the_newest_summaries_are_kept_and_a_slow_reader_goes_on_with_the_oldest_of_them() -> None:
    kept = KeptUpdates()
    for number in range(1, SUMMARIES + 4):
        kept.add(update(number))
    assert kept.made == SUMMARIES + 3
    assert len(kept.summaries) == SUMMARIES
    assert kept.after(0) == kept.summaries[0] == update(4).summary
    assert kept.after(kept.made - 1) == update(SUMMARIES + 3).summary


def test_the_newest_are_returned_oldest_first_without_those_that_are_skipped() -> None:
    kept = KeptUpdates()
    for number in range(1, 6):
        kept.add(update(number))
    assert [each.status_action for each in kept.newest(2, skip=1)] == ["Update 3.", "Update 4."]
    assert kept.newest(0) == kept.newest(3, skip=5) == ()

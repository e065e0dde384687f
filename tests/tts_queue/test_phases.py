from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tts_queue import NEXT, IllegalTransition, Phase, advance, is_over

# The specification's table, written out a second time on purpose.
TABLE = {
    "queued": {"speaking", "superseded", "expired", "cancelled", "failed"},
    "speaking": {"held", "spoken", "cut", "failed"},
    "held": {"speaking", "cut", "superseded", "cancelled", "expired", "failed"},
}
phases = st.sampled_from(list(Phase))


def test_the_table_is_the_specified_one() -> None:
    assert {str(p): {str(n) for n in following} for p, following in NEXT.items()} == {
        str(p): TABLE.get(str(p), set()) for p in Phase
    }


@given(phases, phases)
def test_a_listed_pair_is_taken_and_any_other_is_refused(before: Phase, after: Phase) -> None:
    if str(after) in TABLE.get(str(before), set()):
        assert advance(before, after) is after
    else:
        with pytest.raises(IllegalTransition) as refused:
            advance(before, after)
        assert (refused.value.phase_from, refused.value.phase_to) == (before, after)


@given(st.lists(phases, max_size=30))
def test_whatever_is_asked_for_a_phase_that_is_over_stays_over(asked: list[Phase]) -> None:
    phase = Phase.QUEUED
    for wanted in asked:
        was_over = is_over(phase)
        before = phase
        try:
            phase = advance(phase, wanted)
        except IllegalTransition:
            assert phase is before
        assert not was_over or phase is before

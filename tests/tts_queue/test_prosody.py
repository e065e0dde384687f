from __future__ import annotations

import pytest

from tts_queue import Prosody
from tts_queue.prosody import FASTEST, prosody_for


def test_a_critical_is_slower_and_louder_than_a_routine_finding() -> None:
    critical, routine = prosody_for("CRITICAL", "critical"), prosody_for("finding")
    assert critical.rate < routine.rate
    assert critical.volume_db > routine.volume_db


def test_urgency_makes_a_critical_of_any_kind() -> None:
    assert prosody_for("finding", "critical") == prosody_for("critical", "critical")


@pytest.mark.parametrize("kind", ["critical", "correction", "caution", "closing"])
def test_lag_never_hurries_what_must_be_understood_at_once(kind: str) -> None:
    assert prosody_for(kind, lag_s=60.0) == prosody_for(kind)


def test_a_late_routine_item_is_said_faster_up_to_a_bound() -> None:
    rates = [prosody_for("finding", lag_s=lag_s).rate for lag_s in (0.0, 6.0, 9.0, 12.0, 99.0)]
    assert rates == pytest.approx([1.0, 1.0, (1 + FASTEST) / 2, FASTEST, FASTEST])


def test_emphasis_is_carried_for_engines_that_can() -> None:
    assert prosody_for("finding", emphasis=("not",)) == Prosody(pause_before_s=0.4, emphasis=("not",))

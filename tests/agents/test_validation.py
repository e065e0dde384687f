from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agents.recorded import TraceReplayEngine, TraceValidationError, load_trace
from agents.recorded.validation import Severity
from tests.agents.building import CASE, Row, rows, write

# Records of CASE by number: 0 is the head; 1 start, 2-3 deltas, 4 end of turn 1; 5 start, 6-9 deltas, 10 end
# of turn 2.
Breaking = Callable[[list[Row]], None]


def changed(at: int, **fields: object) -> Breaking:
    return lambda records: records[at].update(fields)


def moved(at: int, by_ms: int) -> Breaking:
    """Move a record in time, its own figures in agreement."""

    def move(records: list[Row]) -> None:
        name = "t_ms" if "t_ms" in records[at] else "t_emitted_ms"
        records[at][name] += by_ms
        records[at]["t_rel_ms"] += by_ms

    return move


def removed(*at: int) -> Breaking:
    def remove(records: list[Row]) -> None:
        for each in sorted(at, reverse=True):
            del records[each]

    return remove


def swapped(one: int, other: int) -> Breaking:
    """Swap two records in the file; seq goes with the place."""

    def swap(records: list[Row]) -> None:
        records[one], records[other] = records[other], records[one]
        records[one]["seq"], records[other]["seq"] = records[other]["seq"], records[one]["seq"]

    return swap


BROKEN: dict[str, tuple[Breaking, str]] = {
    "seq stands still": (changed(3, seq=1), "seq_order"),
    "seq falls": (changed(7, seq=0), "seq_order"),
    "time falls": (moved(8, -15), "time_order"),
    "no text": (changed(3, delta_text=""), "empty_text"),
    "t_rel is off": (changed(6, t_rel_ms=999), "t_rel"),
    "t0 is off": (changed(0, t0_emitted_ms=1_760_000_000_001), "t0"),
    "no start": (removed(5), "unpaired"),
    "no end": (removed(10), "unpaired"),
    "no boundaries": (removed(5, 10), "unbounded"),
    "two ends": (changed(5, boundary="end"), "unpaired"),
    "an end before its start": (moved(10, -2_000), "turn_order"),
    "a delta long before the start": (moved(5, 8), "outside"),
    "a delta long after the end": (moved(10, -8), "outside"),
    "two agents in a turn": (changed(7, agent_id="doctor1"), "agents"),
    "other count of deltas": (changed(0, total_deltas=3), "totals"),
    "other count of turns": (changed(0, total_turns=3), "totals"),
}
DOUBTFUL: dict[str, tuple[Breaking, str]] = {
    "a delta 2 ms before the start": (moved(5, 7), "outside"),
    "a delta 1 ms after the end": (moved(10, -6), "outside"),
    "an end filed before a delta": (swapped(9, 10), "outside"),
    "another hash": (changed(10, content_hash="sha256:" + "0" * 64), "content_hash"),
}


def broken(tmp_path: Path, breaking: Breaking) -> Path:
    records = rows(CASE)
    breaking(records)
    return write(tmp_path / "a.trace.jsonl.gz", records)


@pytest.mark.parametrize("name", BROKEN)
def test_a_contradiction_stops_a_strict_reader_and_is_named(tmp_path: Path, name: str) -> None:
    breaking, code = BROKEN[name]
    with pytest.raises(TraceValidationError, match="record it again") as refused:
        load_trace(broken(tmp_path, breaking))
    assert code in {issue.code for issue in refused.value.issues}
    assert all(issue.severity is Severity.ERROR for issue in refused.value.issues)


@pytest.mark.parametrize("name", BROKEN)
def test_every_contradiction_is_a_warning_to_a_lenient_reader_and_the_replay_goes_on(
    tmp_path: Path, name: str
) -> None:
    breaking, code = BROKEN[name]
    engine = TraceReplayEngine(broken(tmp_path, breaking), strict_validation=False)
    assert code in {issue.code for issue in engine.get_warnings()}
    assert len(list(engine.replay_full())) >= 16


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_the_recorder_may_do_is_a_warning(tmp_path: Path, name: str) -> None:
    breaking, code = DOUBTFUL[name]
    trace = load_trace(broken(tmp_path, breaking))
    assert code in {issue.code for issue in trace.warnings}
    assert all(issue.severity is Severity.WARNING for issue in trace.warnings)


def test_a_right_trace_has_no_issue(tmp_path: Path) -> None:
    assert load_trace(broken(tmp_path, lambda _: None)).warnings == ()


def test_a_message_shows_three_issues_and_counts_the_rest(tmp_path: Path) -> None:
    def scramble(records: list[Row]) -> None:
        for each in records[1:]:
            each["seq"] = 0

    with pytest.raises(TraceValidationError, match="and 17 more") as refused:
        load_trace(broken(tmp_path, scramble))
    assert str(refused.value).count("seq does not increase") == 3

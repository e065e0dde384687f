from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agents.recorded import Catalogue, TraceReplayEngine, default_cases, replay
from agents.stream import EventType
from agents.testing import ScriptedSink
from tests.agents.building import CASE, rows

pytestmark = pytest.mark.shared

ROUTING = {"doctor0", "doctor1", "doctor2", "supervisor", "terminate", "unknown", ""}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    folder = Path(__file__).resolve().parents[3] / "shared" / "traces"
    if not folder.is_dir():
        pytest.skip("the reference data folder beside the checkout is absent")
    return Catalogue.open([folder])


def test_all_traces_load_with_the_known_totals(catalogue: Catalogue) -> None:
    entries = catalogue.cases()
    traces = [catalogue.load(case_id) for case_id in catalogue.ids()]
    assert len(entries) == 28
    assert [entry.problem for entry in entries] == [None] * 28
    assert sum(entry.words for entry in entries) == 83_383
    assert sum(len(trace.content_turns) for trace in traces) == 241
    assert sum(len(trace.turns) for trace in traces) == 494
    assert sum(trace.metadata.total_deltas or 0 for trace in traces) == 119_259
    assert sum(len(trace.audit_flags) for trace in traces) == 0
    doubtful = {trace.case_id: {issue.code for issue in trace.warnings} for trace in traces if trace.warnings}
    assert doubtful == {"case-36837600": {"outside", "content_hash"}}


def test_all_traces_play_to_their_end_in_their_own_time_and_say_no_routing_word(
    catalogue: Catalogue, virtual: asyncio.Runner
) -> None:
    for case_id in catalogue.ids():
        trace, sink = catalogue.load(case_id), ScriptedSink()
        begun_s = virtual.get_loop().time()
        virtual.run(replay(trace, sink=sink, session_id="s-1", thread_id="t-1", trace_id=case_id))
        sink.assert_finished()
        assert virtual.get_loop().time() - begun_s == pytest.approx(trace.duration_s, abs=0.001)
        spoken: dict[int, str] = {}
        for event in sink.events:
            if event.type is EventType.TOKEN:
                assert event.turn is not None
                spoken[event.turn] = spoken.get(event.turn, "") + event.data
        assert len(spoken) == len(trace.content_turns)
        assert not [turn for turn, text in spoken.items() if text.strip().lower() in ROUTING], case_id
        assert "".join(spoken.values()) == trace.text


def test_our_case_and_the_traces_built_in_tests_keep_the_published_schema(shared: Path) -> None:
    schema = json.loads((shared / "schemas" / "exaid.trace.schema.json").read_text("utf-8"))
    validator = Draft202012Validator(schema)
    ours = sorted(default_cases().glob("*.trace.jsonl.gz"))
    assert ours
    records = [json.loads(line) for path in ours for line in gzip.open(path, "rt", encoding="utf-8")]
    for record in [*rows(CASE), *records]:
        validator.validate(record)


def test_replay_gives_the_reference_values(catalogue: Catalogue, shared: Path) -> None:
    reference = json.loads((shared / "expected_replay_sample.json").read_text("utf-8"))["cases"]
    assert len(reference) == 5
    for case_id, expected in reference.items():
        engine = TraceReplayEngine(catalogue.get(case_id).path)
        assert counted(engine) == {
            **expected["classification"],
            **{name: expected["replay"][name] for name in REPLAY_VALUES},
            "labels": expected["trace"]["agent_labels"],
            "content_sha256": expected["text"]["content_sha256"],
            "content_words": expected["text"]["content_words"],
        }, case_id


REPLAY_VALUES = (
    "full_events",
    "content_plane_events",
    "control_plane_events",
    "min_virtual_time_ms",
    "max_virtual_time_ms",
    "shifted_max_virtual_time_ms",
)


def counted(engine: TraceReplayEngine) -> dict[str, Any]:
    turns = engine.get_turn_classifications().values()
    full, content = list(engine.replay_full()), list(engine.replay_content_plane())
    times = [event.virtual_time_ms for event in full]
    text = engine.trace.text
    by_reason: dict[str, int] = {}
    for turn in turns:
        by_reason[turn.reason] = by_reason.get(turn.reason, 0) + 1
    return {
        "content_turns": sum(turn.plane == "content" for turn in turns),
        "control_turns": sum(turn.plane == "control" for turn in turns),
        "by_reason": by_reason,
        "control_turn_ids": [turn.turn_id for turn in turns if turn.plane == "control"],
        "audit_flags": len(engine.get_audit_flags()),
        "full_events": len(full),
        "content_plane_events": len(content),
        "control_plane_events": len(full) - len(content),
        "min_virtual_time_ms": min(times),
        "max_virtual_time_ms": max(times),
        "shifted_max_virtual_time_ms": max(times) - min(times),
        "labels": sorted(engine.get_derived_agent_labels()),
        "content_sha256": "sha256:" + hashlib.sha256(text.encode()).hexdigest(),
        "content_words": len(text.split()),
    }

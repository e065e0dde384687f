from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.recorded import TraceReplayEngine
from agents.recorded.classification import SUSPICIOUS, classify
from tests.agents.building import CASE, Turn, case, rows, write

LABELS = frozenset({"doctor0", "doctor1", "supervisor"})


@pytest.mark.parametrize(
    ("text", "plane", "reason"),
    [
        ("Doctor0", "control", "exact_label_match:doctor0"),
        (" \n SUPERVISOR\t", "control", "exact_label_match:supervisor"),
        ("TERMINATE", "control", "terminate_sentinel"),
        ("terminate ", "control", "terminate_sentinel"),
        ("", "control", "empty_turn"),
        (" \n", "control", "empty_turn"),
        ("Ask Doctor0", "content", "default_content"),
        ("Doctor0.", "content", "default_content"),
        ("All agree. TERMINATE", "content", "default_content"),
    ],
)
def test_a_turn_is_routing_only_if_it_is_nothing_else(text: str, plane: str, reason: str) -> None:
    assert classify(text, LABELS)[:2] == (plane, reason)


@pytest.mark.parametrize("text", ["Doctor9", "next_speaker", "x1", " Radiologist ", "_a"])
def test_one_word_that_looks_like_a_label_is_content_with_a_flag(text: str) -> None:
    assert classify(text, LABELS) == ("content", "default_content", (SUSPICIOUS,))


@pytest.mark.parametrize("text", ["42", "Doctor 9", "__", "6.8", "Yes.", "beta-blocker"])
def test_numbers_and_several_words_get_no_flag(text: str) -> None:
    assert classify(text, LABELS) == ("content", "default_content", ())


@given(st.text())
def test_every_text_has_one_plane_and_routing_is_never_said(text: str) -> None:
    plane, _, flags = classify(text, LABELS)
    routing = text.strip().lower() in {*LABELS, "terminate", ""}
    assert (plane == "control") == routing
    assert not (plane == "control" and flags)


@given(st.sampled_from(sorted(LABELS)), st.text(alphabet=" \t\n", max_size=5), st.booleans())
def test_a_label_in_any_case_with_any_blanks_is_routing(label: str, blanks: str, upper: bool) -> None:
    text = blanks + (label.upper() if upper else label) + blanks
    assert classify(text, LABELS)[0] == "control"


def test_names_that_mean_nobody_are_no_labels(tmp_path: Path) -> None:
    turns = [
        Turn("unknown", 0, ("Unknown",)),
        Turn("None", 100, ("none of these",)),
        Turn("Doctor0", 200, ("a b",)),
    ]
    engine = TraceReplayEngine(write(tmp_path / "a.jsonl", rows(turns)))
    assert engine.get_derived_agent_labels() == {"doctor0"}
    assert engine.get_turn_classifications()[1].plane == "content"
    assert [flag.turn_id for flag in engine.get_audit_flags()] == [1]


def test_an_engine_gives_all_records_or_those_of_reasoning(tmp_path: Path) -> None:
    engine = TraceReplayEngine(case(tmp_path))
    full, content = list(engine.replay_full()), list(engine.replay_content_plane())
    assert [event.seq for event in full] == list(range(len(full)))
    assert [event.turn_id for event in content] == [2] * 6 + [4] * 4
    assert (
        "".join(event.delta_text or "" for event in content) == "The potassium is 6.8. Ask Doctor1.I differ."
    )
    assert {event.stream for event in content} == {"content_plane"}
    first, last = content[0], content[5]
    assert (first.type, first.boundary, first.virtual_time_ms) == ("turn_start", "start", 995)
    assert (last.type, last.boundary, last.virtual_time_ms) == ("turn_end", "end", 1_035)
    assert (last.content_hash or "").startswith("sha256:")
    assert content[6].virtual_time_ms == 3_995, "the time of the turn left out stays"


def test_shifted_to_zero_the_first_record_of_all_is_at_zero(tmp_path: Path) -> None:
    engine = TraceReplayEngine(case(tmp_path), shift_to_zero=True)
    assert next(engine.replay_full()).virtual_time_ms == 0
    assert next(engine.replay_content_plane()).virtual_time_ms == 1_000


def test_an_engine_reads_its_file_at_the_first_call_and_once(tmp_path: Path) -> None:
    engine = TraceReplayEngine(tmp_path / "case-1.trace.jsonl.gz")
    path = case(tmp_path)
    assert engine.get_metadata().case_id == "case-1"
    path.unlink()
    assert list(engine.replay_full()) == list(engine.replay_full())
    assert len(engine.get_turn_classifications()) == len(CASE)


def test_what_a_getter_gives_is_a_copy(tmp_path: Path) -> None:
    engine = TraceReplayEngine(case(tmp_path))
    engine.get_turn_classifications().clear()
    assert len(engine.get_turn_classifications()) == len(CASE)

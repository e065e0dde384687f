from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.recorded import (
    StubTraceError,
    TraceEmpty,
    TraceError,
    TraceNotFound,
    TraceSchemaError,
    TraceUnreadable,
    load_trace,
)
from tests.agents.building import CASE, Row, Turn, case, rows, write


def test_a_trace_is_read_packed_and_plain(tmp_path: Path) -> None:
    packed, plain = case(tmp_path), case(tmp_path, "case-1.trace.jsonl")
    first, second = load_trace(packed), load_trace(plain)
    assert first.records == second.records
    assert first.metadata.case_id == "case-1"
    assert first.text == "The potassium is 6.8. Ask Doctor1.I differ."
    assert (first.words, first.agents, first.duration_s) == (7, ("doctor0", "doctor1"), 4.015)
    assert first.warnings == ()


def test_blank_lines_between_records_mean_nothing(tmp_path: Path) -> None:
    text = "\n\n".join(map(json.dumps, rows(CASE))) + "\n \n"
    (tmp_path / "a.jsonl").write_text(text)
    assert len(load_trace(tmp_path / "a.jsonl").turns) == 5


@pytest.mark.parametrize("packed", [True, False])
def test_a_byte_order_mark_means_nothing(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("a.jsonl.gz" if packed else "a.jsonl")
    whole = b"\xef\xbb\xbf" + bytes_of(rows(CASE))
    path.write_bytes(gzip.compress(whole) if packed else whole)
    assert len(load_trace(path).turns) == 5


def bytes_of(records: list[Row]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in records).encode()


BROKEN: dict[str, tuple[str, Callable[[bytes], bytes], type[TraceError], str]] = {
    "plain text named .gz": ("a.jsonl.gz", lambda text: text, TraceUnreadable, "not gzip; compress it"),
    "cut short": ("a.jsonl.gz", lambda text: gzip.compress(text)[:-40], TraceUnreadable, "copy or download"),
    "no trailer": ("a.jsonl.gz", lambda text: gzip.compress(text)[:-1], TraceUnreadable, "copy or download"),
    "a flipped byte": (
        "a.jsonl.gz",
        lambda text: gzip.compress(text)[:60] + b"\x00\xff\x00" + gzip.compress(text)[63:],
        TraceUnreadable,
        "copy or download it again",
    ),
    "nothing packed": ("a.jsonl.gz", lambda _: gzip.compress(b""), TraceEmpty, "record it again"),
    "no bytes": ("a.jsonl.gz", lambda _: b"", TraceEmpty, "record it again"),
    "only its head": ("a.jsonl", lambda text: text.splitlines()[0], TraceEmpty, "record it again"),
    "another encoding": ("a.jsonl", lambda _: "{é}".encode("latin-1"), TraceUnreadable, "UTF-8"),
    "a line that is no JSON": (
        "a.jsonl",
        lambda text: text.replace(b"\n{", b"\n{{", 1),
        TraceUnreadable,
        "line 2: it is not JSON; mend or remove that line",
    ),
    "a line that is no object": (
        "a.jsonl",
        lambda text: text + b"[1]\n",
        TraceUnreadable,
        "not a JSON object",
    ),
    "a huge line": ("a.jsonl", lambda text: text + b" " * 1_000_001, TraceUnreadable, "too long"),
    "a bomb of blank lines": (
        "a.jsonl.gz",
        lambda text: gzip.compress(text + (b" " * 999_990 + b"\n") * 17),
        TraceUnreadable,
        "unpacks to more than",
    ),
    "deep nesting": (
        "a.jsonl",
        lambda text: text + b"[" * 100_000,
        TraceUnreadable,
        "line 23: it is not JSON",
    ),
    "half a character": (
        "a.jsonl",
        lambda text: text.replace(b'"Doc"', b'"\\ud800"'),
        TraceUnreadable,
        "line 3: it is not JSON",
    ),
    "another log": (
        "a.jsonl",
        lambda _: b'{"record_type": "run_meta"}\n',
        TraceSchemaError,
        "no trace_meta; give a trace",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_its_mend(tmp_path: Path, name: str) -> None:
    file, breaking, error, mend = BROKEN[name]
    (tmp_path / file).write_bytes(breaking(bytes_of(rows(CASE))))
    with pytest.raises(error, match=mend) as refused:
        load_trace(tmp_path / file)
    assert file in str(refused.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceNotFound, match="check the path"):
        load_trace(tmp_path / "none.jsonl.gz")
    with pytest.raises(TraceUnreadable, match="file you may read"):
        load_trace(tmp_path)


@pytest.mark.parametrize("version", ["1.5.0", "2.0.1", "3.0.0", None, 2])
def test_another_schema_version_is_refused_by_name(tmp_path: Path, version: object) -> None:
    with pytest.raises(TraceSchemaError, match=r"2\.0\.0 is read here; record the trace again or convert it"):
        load_trace(case(tmp_path, schema_version=version))


WRONG_RECORDS: list[tuple[str, Row, str]] = [
    ("lacks a field", {"seq": ...}, "lacks seq"),
    ("a text as number", {"seq": "1"}, "seq has the wrong type"),
    ("a truth as number", {"turn_id": True}, "turn_id has the wrong type"),
    ("a fraction", {"t_rel_ms": 1.0}, "t_rel_ms has the wrong type"),
    ("no text", {"delta_text": None}, "delta_text has the wrong type"),
    ("more fields", {"mood": 1}, "does not know: mood"),
    ("another kind", {"record_type": "surprise"}, "record_type is none"),
    ("another case", {"case_id": "case-2"}, "another case"),
    ("nobody", {"agent_id": " \t"}, "agent_id is blank"),
    ("a long name", {"agent_id": "x" * 65}, "agent_id has more than 64"),
    ("an escape in a name", {"agent_id": "doctor\x1b[2J"}, "one that is not printed"),
    ("a time without end", {"t_rel_ms": 10**400}, "t_rel_ms is too large"),
    ("below zero", {"seq": -1}, "seq must be 0 or more"),
]


@pytest.mark.parametrize(
    ("changed", "why"), [each[1:] for each in WRONG_RECORDS], ids=[w[0] for w in WRONG_RECORDS]
)
def test_a_record_against_the_schema_is_refused_with_its_line(tmp_path: Path, changed: Row, why: str) -> None:
    records = rows(CASE)
    wrong: dict[str, Any] = {**records[2], **changed}
    records[2] = {name: value for name, value in wrong.items() if value is not ...}
    with pytest.raises(TraceUnreadable, match=why) as refused:
        load_trace(write(tmp_path / "a.jsonl", records))
    assert refused.value.line == 3
    assert "Doc" not in str(refused.value), "no text of the trace in a message"


def test_a_second_head_is_refused(tmp_path: Path) -> None:
    records = rows(CASE)
    with pytest.raises(TraceUnreadable, match="second trace_meta"):
        load_trace(write(tmp_path / "a.jsonl", [*records, records[0]]))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"t0_emitted_ms": "1"}, "t0_emitted_ms"),
        ({"extra": 1}, "extra"),
        ({"case_id": "case-/../x"}, "case_id"),
    ],
)
def test_a_head_against_the_schema_is_refused(tmp_path: Path, changed: Row, why: str) -> None:
    with pytest.raises(TraceUnreadable, match=why):
        load_trace(case(tmp_path, **changed))


def test_a_stub_is_refused_unless_asked_for(tmp_path: Path) -> None:
    path = case(tmp_path, stub_mode=True)
    with pytest.raises(StubTraceError, match="placeholder text"):
        load_trace(path)
    assert load_trace(path, strict_stub_guard=False).metadata.stub_mode


def test_a_trace_of_routing_alone_has_nothing_to_hear(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", rows([Turn("doctor0", 0, ("Doctor0",))]))
    with pytest.raises(TraceEmpty):
        load_trace(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(cut=st.integers(0, 1_500), flip=st.integers(0, 1_500), to=st.integers(0, 255))
def test_a_damaged_file_is_read_or_refused_and_never_crashes(
    tmp_path: Path, cut: int, flip: int, to: int
) -> None:
    packed = bytearray(gzip.compress(bytes_of(rows(CASE)), mtime=0))
    packed[flip % len(packed)] = to
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(bytes(packed[: len(packed) - cut % len(packed)]))
    try:
        load_trace(path)
    except TraceError as error:
        assert ";" in str(error) or ":" in str(error)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(at=st.integers(0, 5_000), noise=st.text(max_size=8))
def test_plain_text_with_noise_in_it_is_read_or_refused(tmp_path: Path, at: int, noise: str) -> None:
    text = bytes_of(rows(CASE)).decode()
    path = tmp_path / "a.jsonl"
    path.write_text(text[: at % len(text)] + noise + text[at % len(text) :], encoding="utf-8")
    try:
        load_trace(path)
    except TraceError:
        return

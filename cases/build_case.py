#!/usr/bin/env python3
"""Build a timed reasoning trace and a case paper from one YAML source.

    python build_case.py sources/hyperkalaemia-aki.yaml .

writes ``<case_id>.trace.jsonl.gz`` (trace format 2.0.0) and ``<case_id>.paper.json``.
The same source always gives the same bytes: all times come from the source and from a
random generator seeded with it, and no clock is read.

Units: every name ending in ``_ms`` is in milliseconds and every name ending in ``_s`` in
seconds, except ``pace_words_per_s``, which is in words per second.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import random
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from case_source import Case, CaseError, Turn, read_case, require

SCHEMA_VERSION = "2.0.0"
MAC_COMMIT = "0" * 40
HASH_INPUT = "UTF-8 bytes of concatenated delta_text in seq order for this turn"
T0_DEFINITION = "t_emitted_ms of first stream_delta record"

MAX_PIECE_CHARS = 8
"""Longest piece of text in one delta, in characters."""
MAX_GAP_IN_TURN_MS = 450
"""Longest silence inside a turn, in milliseconds."""

Record = dict[str, Any]


# ---------------------------------------------------------------- pieces of text

CHUNK = re.compile(
    r"[^\S\n]?[^\W\d_]+"  # a word with the blank before it
    r"|\d{1,3}"  # up to three figures
    r"|[^\S\n]?[^\w\s]+(?:\n+)?"  # marks, with the line end after them
    r"|_+"
    r"|\n+"
    r"|[^\S\n]{1,4}"
)


def split_word(word: str, rng: random.Random) -> list[str]:
    """Cut a long word (its leading blank included) into pieces of 2 to MAX_PIECE_CHARS characters."""
    pieces: list[str] = []
    rest = word
    while len(rest) > MAX_PIECE_CHARS or (len(rest) > 6 and rng.random() < 0.2):
        size = min(4 + int(rng.random() * 4), len(rest) - 2)
        pieces.append(rest[:size])
        rest = rest[size:]
    pieces.append(rest)
    return pieces


def split_text(text: str, rng: random.Random) -> list[str]:
    """Token-like pieces of ``text``; joined with nothing they give it back."""
    pieces: list[str] = []
    for match in CHUNK.finditer(text):
        chunk = match.group()
        if chunk.strip().isalpha():
            pieces.extend(split_word(chunk, rng))
        else:
            step = MAX_PIECE_CHARS
            pieces.extend(chunk[i : i + step] for i in range(0, len(chunk), step))
    require("".join(pieces) == text, f"cannot split this text into pieces: {text[:40]!r}")
    return pieces


# ---------------------------------------------------------------- timing


def piece_offsets_ms(count: int, duration_ms: int, rng: random.Random) -> list[int]:
    """Return the times of ``count`` pieces from the turn's first one, in milliseconds.

    Pieces come in small bursts, as they do from a streaming model; the last one comes
    ``duration_ms`` after the first.
    """
    weights = [burst_weight(rng) for _ in range(count - 1)]
    total = sum(weights)
    offsets = [0]
    reached = 0.0
    for weight in weights:
        reached += weight
        offsets.append(round(duration_ms * reached / total))
    gaps = [later - earlier for earlier, later in pairwise(offsets)]
    require(max(gaps, default=0) <= MAX_GAP_IN_TURN_MS, "pace too slow: a gap inside a turn is too long")
    return offsets


def burst_weight(rng: random.Random) -> float:
    """Relative length of one gap: often almost nothing, sometimes a short hesitation."""
    kind = rng.random()
    if kind < 0.4:
        return 0.02 + 0.04 * rng.random()
    if kind < 0.97:
        return 0.7 + 0.6 * rng.random()
    return 2.5 + 2.5 * rng.random()


def turn_duration_ms(turn: Turn) -> int:
    """Time from a turn's first delta to its last, in milliseconds."""
    if turn.is_control:
        return 1
    return round(1000 * len(turn.text.split()) / turn.pace_words_per_s)


# ---------------------------------------------------------------- records


def delta_record(case: Case, turn_id: int, agent: str, text: str, t_rel_ms: int) -> Record:
    """Make a stream_delta without its seq, ``t_rel_ms`` after the first delta of the case."""
    return {
        "record_type": "stream_delta",
        "case_id": case.case_id,
        "turn_id": turn_id,
        "agent_id": agent,
        "delta_text": text,
        "t_emitted_ms": case.t0_ms + t_rel_ms,
        "t_rel_ms": t_rel_ms,
    }


def boundary_record(case: Case, turn_id: int, agent: str, kind: str, t_rel_ms: int) -> Record:
    """Make a turn_boundary without its seq; ``t_rel_ms`` may be negative for the first start."""
    return {
        "record_type": "turn_boundary",
        "case_id": case.case_id,
        "turn_id": turn_id,
        "agent_id": agent,
        "boundary": kind,
        "t_ms": case.t0_ms + t_rel_ms,
        "t_rel_ms": t_rel_ms,
    }


def content_hash(text: str) -> str:
    """Compute the hash that a turn's end carries for its joined text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def turn_records(case: Case, turn_id: int, turn: Turn, first_ms: int, start_ms: int) -> list[Record]:
    """Start, deltas and end of one turn; ``start_ms`` and ``first_ms`` are times from t0."""
    rng = random.Random(f"{case.case_id}/{case.seed}/{turn_id}")
    pieces = split_text(turn.text, rng)
    offsets = piece_offsets_ms(len(pieces), turn_duration_ms(turn), rng)
    records = [boundary_record(case, turn_id, turn.agent, "start", start_ms)]
    for piece, offset_ms in zip(pieces, offsets, strict=True):
        records.append(delta_record(case, turn_id, turn.agent, piece, first_ms + offset_ms))
    end_ms = first_ms + offsets[-1] + 2 + int(rng.random() * 10)
    end = boundary_record(case, turn_id, turn.agent, "end", end_ms)
    end["content_hash"] = content_hash(turn.text)
    end["content_hash_input"] = HASH_INPUT
    return [*records, end]


def stream_records(case: Case) -> list[Record]:
    """All boundaries and deltas of the case in order, numbered by one seq counter."""
    records: list[Record] = []
    for turn_id, turn in enumerate(case.turns, start=1):
        gap_ms = round(1000 * turn.gap_s)
        require(gap_ms >= 50, f"turn {turn_id}: gap_s must be at least 0.05")
        if records:
            start_ms = int(records[-1]["t_rel_ms"]) + 3
            first_ms = last_delta_ms(records) + gap_ms
        else:
            start_ms, first_ms = -gap_ms, 0
        records.extend(turn_records(case, turn_id, turn, first_ms, start_ms))
    for seq, record in enumerate(records):
        record["seq"] = seq
    return records


def last_delta_ms(records: Sequence[Record]) -> int:
    """Time of the last delta in ``records``, in milliseconds from t0."""
    return max(int(r["t_rel_ms"]) for r in records if r["record_type"] == "stream_delta")


def digest8(value: object) -> str:
    """First eight hex figures of the sha256 of ``value`` as compact JSON with sorted keys."""
    return hashlib.sha256(dump(value).encode("utf-8")).hexdigest()[:8]


def meta_record(case: Case, records: Sequence[Record]) -> Record:
    """Make the trace_meta line for ``records``."""
    decoding = {"max_tokens": None, "seed": case.seed, "temperature": 0.0, "top_p": None}
    run_id = f"mas_{MAC_COMMIT[:8]}_scripted_{digest8(decoding)}_{digest8([case.case_id])}"
    return {
        "record_type": "trace_meta",
        "schema_version": SCHEMA_VERSION,
        "case_id": case.case_id,
        "mas_run_id": run_id,
        "mac_commit": MAC_COMMIT,
        "exaid_commit": "unknown",
        "model": "scripted",
        "decoding": decoding,
        "created_at": case.created_at,
        "t0_emitted_ms": case.t0_ms,
        "t0_definition": T0_DEFINITION,
        "total_turns": len(case.turns),
        "total_deltas": sum(r["record_type"] == "stream_delta" for r in records),
    }


# ---------------------------------------------------------------- writing


def dump(value: object) -> str:
    """Compact JSON with sorted keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def gzip_bytes(data: bytes) -> bytes:
    """Compress ``data`` with no file name and time 0, so that equal data gives equal bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=9, mtime=0) as stream:
        stream.write(data)
    return buffer.getvalue()


def trace_bytes(case: Case) -> bytes:
    """Return the trace of ``case`` as its file has it."""
    records = stream_records(case)
    lines = [dump(meta_record(case, records)), *(dump(record) for record in records)]
    return gzip_bytes(("\n".join(lines) + "\n").encode("utf-8"))


def paper_text(case: Case) -> str:
    """Return the case paper of ``case`` as readable JSON."""
    head = {"case_id": case.case_id, "title": case.title, "summary": case.summary, "fictional": True}
    return json.dumps({**head, **case.paper}, indent=2, ensure_ascii=False) + "\n"


# ---------------------------------------------------------------- verifying


def verify_paper(case: Case) -> None:
    """Hold the paper against the schema that plays it: what would be refused there is not written."""
    root = str(Path(__file__).resolve().parents[1])
    if root not in sys.path:
        sys.path.append(root)
    from pydantic import ValidationError

    from exaim_core import CasePaper
    from exaim_core.patient.paper import said

    try:
        CasePaper.model_validate(json.loads(paper_text(case)))
    except ValidationError as error:
        raise CaseError(f"the paper would be refused: {said(error)}") from None


def verify_trace(written: bytes, case: Case) -> int:
    """Read a trace back, check it against ``case`` and return its duration in milliseconds."""
    lines = gzip.decompress(written).decode("utf-8").removesuffix("\n").split("\n")
    meta, *records = (json.loads(line) for line in lines)
    require(meta["record_type"] == "trace_meta", "the first record is not trace_meta")
    require([r["seq"] for r in records] == list(range(len(records))), "seq is not 0, 1, 2, ...")
    times = [int(r["t_rel_ms"]) for r in records]
    require(times == sorted(times), "record times fall")
    for record in records:
        verify_time(record, int(meta["t0_emitted_ms"]))
    deltas = [r for r in records if r["record_type"] == "stream_delta"]
    require(deltas[0]["t_rel_ms"] == 0, "the first delta is not at 0 ms")
    require(meta["total_deltas"] == len(deltas), "total_deltas is wrong")
    require(meta["total_turns"] == len(case.turns), "total_turns is wrong")
    verify_pairing(records, case)
    duration_ms = int(deltas[-1]["t_rel_ms"])
    low, high = case.duration_range_ms
    require(low <= duration_ms <= high, f"the stream lasts {duration_ms} ms, not {low} to {high} ms")
    return duration_ms


def verify_time(record: Record, t0_ms: int) -> None:
    """Check that a record's two times agree; ``t0_ms`` is the epoch time of the first delta."""
    key = "t_emitted_ms" if record["record_type"] == "stream_delta" else "t_ms"
    require(record[key] - t0_ms == record["t_rel_ms"], f"seq {record['seq']}: times disagree")


def verify_pairing(records: Sequence[Record], case: Case) -> None:
    """Every turn must be one start, its deltas and one end, with the right text and hash."""
    position = 0
    for turn_id, turn in enumerate(case.turns, start=1):
        size = 1
        while records[position + size]["record_type"] == "stream_delta":
            size += 1
        part = records[position : position + size + 1]
        start, end, deltas = part[0], part[-1], part[1:-1]
        require(start.get("boundary") == "start", f"turn {turn_id}: no start")
        require(end.get("boundary") == "end", f"turn {turn_id}: no end")
        owners = {(r["turn_id"], r["agent_id"]) for r in part}
        require(owners == {(turn_id, turn.agent)}, f"turn {turn_id}: mixed with another turn")
        require(all(r["delta_text"] for r in deltas), f"turn {turn_id}: empty delta")
        text = "".join(r["delta_text"] for r in deltas)
        require(text == turn.text, f"turn {turn_id}: text differs from the source")
        require(end["content_hash"] == content_hash(text), f"turn {turn_id}: wrong content_hash")
        position += size + 1
    require(position == len(records), "records after the last turn")


# ---------------------------------------------------------------- command line


def build(source: Path, output: Path) -> str:
    """Verify both files and write them to the folder ``output``; return one line about them."""
    case = read_case(source)
    verify_paper(case)
    trace = trace_bytes(case)
    duration_ms = verify_trace(trace, case)
    output.mkdir(parents=True, exist_ok=True)
    trace_path = output / f"{case.case_id}.trace.jsonl.gz"
    trace_path.write_bytes(trace)
    paper_path = output / f"{case.case_id}.paper.json"
    paper_path.write_text(paper_text(case), encoding="utf-8")
    content = [turn for turn in case.turns if not turn.is_control]
    words = sum(len(turn.text.split()) for turn in content)
    return (
        f"{trace_path}: {len(case.turns)} turns ({len(content)} with content), "
        f"{words} words, {duration_ms / 1000:.2f} s"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; 0 when all is well, 1 when the source is bad."""
    parser = argparse.ArgumentParser(description="Build a case's trace and paper from YAML.")
    parser.add_argument("source", type=Path, help="YAML source of the case")
    parser.add_argument("output", type=Path, help="folder to write to")
    args = parser.parse_args(argv)
    try:
        sys.stdout.write(build(args.source, args.output) + "\n")
    except (CaseError, OSError) as error:
        sys.stderr.write(f"build_case: {args.source}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A recorded case of ten seconds, written by the test that plays it."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CASE_ID = "case-mini"
T0_MS = 1_790_000_000_000
WORDS_PER_S = 14.0
TURNS = (
    ("supervisor", "Doctor0"),
    (
        "doctor0",
        (
            "### Most Likely Diagnosis:\n"
            "**Acute pulmonary embolism** - pleuritic chest pain and an oxygen saturation of 88% after a "
            "long flight point to it, and the right calf is swollen.\n\n"
            "### Recommended Diagnostic Tests:\n1. **CT pulmonary angiogram** - to confirm it today.\n"
        ),
    ),
    ("doctor0", "Doctor1"),
    (
        "doctor1",
        (
            "Thank you, Doctor0. I do not agree with the leading diagnosis.\n\n"
            "### Most Likely Diagnosis:\n"
            "**Community-acquired pneumonia** - there is fever of 38.9 °C and a cough with green sputum. "
            "The patient is allergic to penicillin, so amoxicillin must not be given.\n"
        ),
    ),
    ("doctor1", "Supervisor"),
    (
        "supervisor",
        (
            "### Summary:\n**Acute pulmonary embolism** leads, and a CT pulmonary angiogram comes first.\n\n"
            "TERMINATE"
        ),
    ),
)


def write(
    folder: Path,
    *,
    case_id: str = CASE_ID,
    turns: Sequence[tuple[str, str]] = TURNS,
    words_per_s: float = WORDS_PER_S,
) -> Path:
    """Write a trace of `turns`, an agent and a text each, into `folder` and return its path."""
    records = _records(case_id, turns, words_per_s)
    deltas = [record for record in records if record["record_type"] == "stream_delta"]
    meta = {
        "record_type": "trace_meta",
        "schema_version": "2.0.0",
        "case_id": case_id,
        "mas_run_id": "mas_mini",
        "mac_commit": "0" * 40,
        "model": "scripted",
        "created_at": "2026-01-01T00:00:00+00:00",
        "t0_emitted_ms": T0_MS,
        "t0_definition": "t_emitted_ms of first stream_delta record",
        "total_turns": len(turns),
        "total_deltas": len(deltas),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case_id}.trace.jsonl.gz"
    lines = "".join(json.dumps(record) + "\n" for record in (meta, *records))
    path.write_bytes(gzip.compress(lines.encode(), mtime=0))
    return path


def _records(case_id: str, turns: Sequence[tuple[str, str]], words_per_s: float) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    at_ms = 0.0

    def add(kind: str, turn: int, agent: str, **fields: Any) -> None:
        base = {"record_type": kind, "case_id": case_id, "seq": len(out), "turn_id": turn, "agent_id": agent}
        out.append(base | fields)

    for turn, (agent, text) in enumerate(turns, start=1):
        add("turn_boundary", turn, agent, boundary="start", t_ms=T0_MS + int(at_ms), t_rel_ms=int(at_ms))
        for piece in re.findall(r"\s*\S{1,6}", text) or [text]:
            stamp = {"t_emitted_ms": T0_MS + int(at_ms), "t_rel_ms": int(at_ms)}
            add("stream_delta", turn, agent, delta_text=piece, **stamp)
            at_ms += 1000 / words_per_s / 1.5
        said = "".join(re.findall(r"\s*\S{1,6}", text))
        add(
            *("turn_boundary", turn, agent),
            boundary="end",
            t_ms=T0_MS + int(at_ms),
            t_rel_ms=int(at_ms),
            content_hash="sha256:" + hashlib.sha256(said.encode()).hexdigest(),
        )
        at_ms += 300
    return out

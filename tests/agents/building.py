"""Builds traces for tests, right ones and ones that are broken in one way."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.recorded.validation import content_hash

T0_MS = 1_760_000_000_000
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """One agent's turn; its deltas come `gap_ms` apart, the first at `at_ms` after t0."""

    agent_id: str
    at_ms: int
    pieces: tuple[str, ...]
    gap_ms: int = 10

    @property
    def last_ms(self) -> int:
        """When its last delta comes."""
        return self.at_ms + self.gap_ms * max(0, len(self.pieces) - 1)


def meta(turns: Sequence[Turn], case_id: str = "case-1", **changed: Any) -> Row:
    """Return the first record of a trace."""
    return {
        "record_type": "trace_meta",
        "schema_version": "2.0.0",
        "case_id": case_id,
        "mas_run_id": "mas_00000000_test_00000000_00000000",
        "mac_commit": "0" * 40,
        "model": "test",
        "created_at": "2026-01-01T00:00:00+00:00",
        "t0_emitted_ms": T0_MS,
        "t0_definition": "t_emitted_ms of first stream_delta record",
        "total_turns": len(turns),
        "total_deltas": sum(len(turn.pieces) for turn in turns),
        **changed,
    }


def rows(turns: Sequence[Turn], case_id: str = "case-1", **changed: Any) -> list[Row]:
    """Return all records of a right trace of `turns`; `changed` are fields of its first record."""
    made = [meta(turns, case_id, **changed)]
    for turn_id, turn in enumerate(turns, start=1):
        base = {"case_id": case_id, "turn_id": turn_id, "agent_id": turn.agent_id}
        made.append(boundary(base, "start", turn.at_ms - 5, len(made) - 1))
        for index, piece in enumerate(turn.pieces):
            at_ms = turn.at_ms + index * turn.gap_ms
            made.append(
                {
                    **base,
                    "record_type": "stream_delta",
                    "seq": len(made) - 1,
                    "delta_text": piece,
                    "t_emitted_ms": T0_MS + at_ms,
                    "t_rel_ms": at_ms,
                }
            )
        end = boundary(base, "end", turn.last_ms + 5, len(made) - 1)
        made.append({**end, "content_hash": content_hash("".join(turn.pieces))})
    return made


def boundary(base: Row, side: str, at_ms: int, seq: int) -> Row:
    """Return a turn's start or end."""
    return {
        **base,
        "record_type": "turn_boundary",
        "boundary": side,
        "seq": seq,
        "t_ms": T0_MS + at_ms,
        "t_rel_ms": at_ms,
    }


def write(path: Path, records: Sequence[Row]) -> Path:
    """Write `records` to `path`, packed if it is named .gz."""
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


CASE = (
    Turn("supervisor", 0, ("Doc", "tor0")),
    Turn("doctor0", 1_000, ("The ", "potas", "sium is 6.8.", " Ask Doctor1.")),
    Turn("supervisor", 3_000, (" doctor1\n",)),
    Turn("doctor1", 4_000, ("I ", "differ.")),
    Turn("supervisor", 5_000, ("TERM", "INATE")),
)
"""Two turns of reasoning among three that only route."""


def case(folder: Path, name: str = "case-1.trace.jsonl.gz", **changed: Any) -> Path:
    """Write CASE into `folder`."""
    return write(folder / name, rows(CASE, **changed))

"""Check that the records of a trace agree with each other.

Within 2 ms a boundary on the wrong side of its deltas is a warning: the recorder stamps deltas and
boundaries in two places. A wrong content hash is a warning too: the text is there all the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.recorded.records import Boundary, Delta, Metadata, Record

TOLERANCE_MS: Final = 2  # exaid trace validation, schema 2.0.0


class Severity(StrEnum):
    """Whether an issue stops a strict reader."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Issue:
    """Something that does not fit; `seq` is of the record, None for the whole trace."""

    severity: Severity
    code: str
    what: str
    seq: int | None = None

    def __str__(self) -> str:
        return f"{self.what} (at seq {self.seq})" if self.seq is not None else self.what


def _error(code: str, what: str, seq: int | None = None) -> Issue:
    return Issue(Severity.ERROR, code, what, seq)


def _side(code: str, what: str, seq: int, beyond_ms: int) -> Issue:
    severity = Severity.WARNING if beyond_ms <= TOLERANCE_MS else Severity.ERROR
    return Issue(severity, code, f"{what} by {beyond_ms} ms", seq)


def validate(meta: Metadata, records: Sequence[Record]) -> tuple[Issue, ...]:
    """Return all issues of a trace, those of its order first, then turn by turn, then its totals."""
    turns: dict[int, list[Record]] = {}
    for each in records:
        turns.setdefault(each.turn_id, []).append(each)
    return (
        *_order(records),
        *_clock(meta, records),
        *(issue for turn_id, turn in turns.items() for issue in _turn(turn_id, turn)),
        *_totals(meta, records, len(turns)),
    )


def _order(records: Sequence[Record]) -> Iterator[Issue]:
    last_seq = last_ms = -1
    for each in records:
        if each.seq <= last_seq:
            yield _error("seq_order", "seq does not increase", each.seq)
        last_seq = each.seq
        if isinstance(each, Delta):
            if each.t_emitted_ms < last_ms:
                yield _error("time_order", "a delta is older than the one before", each.seq)
            last_ms = each.t_emitted_ms
            if not each.text:
                yield _error("empty_text", "a delta has no text", each.seq)


def _clock(meta: Metadata, records: Sequence[Record]) -> Iterator[Issue]:
    first = next((each for each in records if isinstance(each, Delta)), None)
    if first is not None and first.t_emitted_ms != meta.t0_emitted_ms:
        yield _error("t0", "t0_emitted_ms is not the time of the first delta", first.seq)
    for each in records:
        at_ms = each.t_emitted_ms if isinstance(each, Delta) else each.t_ms
        if each.t_rel_ms != at_ms - meta.t0_emitted_ms:
            yield _error("t_rel", "t_rel_ms is not the time since t0", each.seq)
        elif isinstance(each, Delta) and each.t_rel_ms < 0:
            yield _error("t_rel", "a delta lies before t0", each.seq)


def _turn(turn_id: int, turn: Sequence[Record]) -> Iterator[Issue]:
    starts = [each for each in turn if isinstance(each, Boundary) and each.boundary == "start"]
    ends = [each for each in turn if isinstance(each, Boundary) and each.boundary == "end"]
    deltas = [each for each in turn if isinstance(each, Delta)]
    if len({each.agent_id for each in turn}) > 1:
        yield _error("agents", f"turn {turn_id} has more than one agent", turn[0].seq)
    if not starts and not ends:
        yield _error("unbounded", f"turn {turn_id} has deltas and no boundaries", turn[0].seq)
    elif len(starts) != 1 or len(ends) != 1:
        yield _error("unpaired", f"turn {turn_id} has no single start and end", turn[0].seq)
    else:
        yield from _bounds(turn_id, starts[0], ends[0], deltas)


def _bounds(turn_id: int, start: Boundary, end: Boundary, deltas: Sequence[Delta]) -> Iterator[Issue]:
    if end.t_ms < start.t_ms:
        yield _error("turn_order", f"turn {turn_id} ends before it starts", end.seq)
    for each in deltas:
        # file order may differ from the order in time by the same 2 ms, so a delta on the wrong side
        # of a boundary in the file is judged by how far it is on the wrong side in time
        early, late = start.t_ms - each.t_emitted_ms, each.t_emitted_ms - end.t_ms
        if early > 0:
            yield _side("outside", f"a delta of turn {turn_id} precedes its start", each.seq, early)
        elif late > 0:
            yield _side("outside", f"a delta of turn {turn_id} follows its end", each.seq, late)
        elif not start.seq < each.seq < end.seq:
            yield _side("outside", f"a delta of turn {turn_id} is filed outside it", each.seq, 0)
    text = "".join(each.text for each in deltas)
    if end.content_hash is not None and end.content_hash != content_hash(text):
        yield Issue(Severity.WARNING, "content_hash", f"turn {turn_id} has another content_hash", end.seq)


def _totals(meta: Metadata, records: Sequence[Record], turns: int) -> Iterator[Issue]:
    deltas = sum(isinstance(each, Delta) for each in records)
    if meta.total_deltas is not None and meta.total_deltas != deltas:
        yield _error("totals", f"total_deltas is {meta.total_deltas}, and there are {deltas}")
    if meta.total_turns is not None and meta.total_turns != turns:
        yield _error("totals", f"total_turns is {meta.total_turns}, and there are {turns}")


def content_hash(text: str) -> str:
    """Return the hash of a turn's text as its end records it."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

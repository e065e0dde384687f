"""Deterministic replay in virtual time, for evaluation and for looking at a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from agents.recorded.classification import AuditFlag, TurnClassification
from agents.recorded.records import Delta, Metadata, Record
from agents.recorded.trace import Trace, load_trace
from agents.recorded.validation import Issue

StreamMode = Literal["full", "content_plane"]


@dataclass(frozen=True, slots=True)
class ReplayEvent:
    """One record at its virtual time, in ms since the first delta (or since the first record, shifted)."""

    type: Literal["delta", "turn_start", "turn_end"]
    virtual_time_ms: int
    stream: StreamMode
    seq: int
    turn_id: int
    agent_id: str
    delta_text: str | None = None
    boundary: Literal["start", "end"] | None = None
    content_hash: str | None = None


class TraceReplayEngine:
    """Yields a trace's events in file order, all of them or those of content turns.

    The file is read at the first call that needs it, and once. What a getter returns can't be changed.
    Every method may raise what `load_trace` raises.
    """

    def __init__(
        self,
        path: Path,
        strict_stub_guard: bool = True,
        strict_validation: bool = True,
        shift_to_zero: bool = False,
    ) -> None:
        self._path = Path(path)
        self._strict_stub_guard, self._strict_validation = strict_stub_guard, strict_validation
        self._shift_to_zero = shift_to_zero

    @cached_property
    def trace(self) -> Trace:
        """The trace itself."""
        return load_trace(
            self._path,
            strict_validation=self._strict_validation,
            strict_stub_guard=self._strict_stub_guard,
        )

    def get_metadata(self) -> Metadata:
        """Return the trace's first record."""
        return self.trace.metadata

    def get_derived_agent_labels(self) -> frozenset[str]:
        """Return the agents' names, lower case."""
        return self.trace.labels

    def get_turn_classifications(self) -> dict[int, TurnClassification]:
        """Return a new mapping of turn ids to what they are."""
        return {turn.turn_id: turn for turn in self.trace.turns}

    def get_audit_flags(self) -> tuple[AuditFlag, ...]:
        """Return content turns that look like labels."""
        return self.trace.audit_flags

    def get_warnings(self) -> tuple[Issue, ...]:
        """Return what is wrong with the trace and did not stop the replay."""
        return self.trace.warnings

    def replay_full(self) -> Iterator[ReplayEvent]:
        """Yield every record."""
        return self._replay(self.trace.records, "full")

    def replay_content_plane(self) -> Iterator[ReplayEvent]:
        """Yield the records of content turns; where a turn is left out, its time stays."""
        return self._replay(self.trace.content_records, "content_plane")

    def _replay(self, records: Iterable[Record], stream: StreamMode) -> Iterator[ReplayEvent]:
        shift_ms = min(each.t_rel_ms for each in self.trace.records) if self._shift_to_zero else 0
        return (_event(each, stream, shift_ms) for each in records)


def _event(each: Record, stream: StreamMode, shift_ms: int) -> ReplayEvent:
    at_ms = each.t_rel_ms - shift_ms
    if isinstance(each, Delta):
        return ReplayEvent("delta", at_ms, stream, each.seq, each.turn_id, each.agent_id, each.text)
    return ReplayEvent(
        "turn_start" if each.boundary == "start" else "turn_end",
        at_ms, stream, each.seq, each.turn_id, each.agent_id,
        boundary=each.boundary, content_hash=each.content_hash if each.boundary == "end" else None,
    )  # fmt: skip

"""A trace: read once, checked, classified; then only looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from agents.recorded.classification import (
    AuditFlag,
    TurnClassification,
    agent_labels,
    classify_turns,
)
from agents.recorded.errors import StubTraceError, TraceEmpty, TraceValidationError
from agents.recorded.reader import read_records
from agents.recorded.records import Delta, Metadata, Record
from agents.recorded.validation import Issue, Severity, validate


@dataclass(frozen=True)
class Trace:
    """A recorded case with at least one content turn.

    `warnings` did not stop the reading; opened leniently, they hold errors too.
    """

    path: Path
    metadata: Metadata
    records: tuple[Record, ...]
    turns: tuple[TurnClassification, ...]
    warnings: tuple[Issue, ...]

    @property
    def case_id(self) -> str:
        """The case's id, as the trace itself has it."""
        return self.metadata.case_id

    @cached_property
    def labels(self) -> frozenset[str]:
        """Names of the agents, lower case."""
        return agent_labels(self.records)

    @cached_property
    def content_turns(self) -> tuple[TurnClassification, ...]:
        """Turns that hold reasoning, in order."""
        return tuple(turn for turn in self.turns if turn.plane == "content")

    @cached_property
    def content_records(self) -> tuple[Record, ...]:
        """Records of content turns, in file order."""
        content = {turn.turn_id for turn in self.content_turns}
        return tuple(each for each in self.records if each.turn_id in content)

    @cached_property
    def text(self) -> str:
        """All content deltas joined with nothing."""
        return "".join(each.text for each in self.content_records if isinstance(each, Delta))

    @cached_property
    def words(self) -> int:
        """Number of words of the content, split at white space."""
        return len(self.text.split())

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Agents that have a content turn, in order of their first."""
        return tuple(dict.fromkeys(turn.agent_id for turn in self.content_turns))

    @cached_property
    def origin_ms(self) -> int:
        """Where playing begins in the trace's time: its first delta, or the first content if earlier."""
        return min(0, self.content_records[0].t_rel_ms)

    @cached_property
    def duration_s(self) -> float:
        """From where playing begins to the last content, at speed 1."""
        last_ms = max(each.t_rel_ms for each in self.content_records)
        return (last_ms - self.origin_ms) / 1000

    @property
    def audit_flags(self) -> tuple[AuditFlag, ...]:
        """Turns that a person should look at; none of them was treated differently."""
        return tuple(
            AuditFlag(turn.turn_id, turn.agent_id, flag) for turn in self.turns for flag in turn.flags
        )


def load_trace(path: Path, *, strict_validation: bool = True, strict_stub_guard: bool = True) -> Trace:
    """Read, check and classify the trace at `path`.

    Without `strict_validation` contradictions between records become warnings. Blocking: 40 ms for a
    recorded case of 4,300 records, so an event loop that speaks calls it in a thread.

    Raises:
        TraceNotFound, TraceUnreadable, TraceSchemaError, TraceEmpty: it can't be read, in any mode.
        TraceValidationError: its records contradict each other.
        StubTraceError: its text is placeholder text.
    """
    path = Path(path)
    meta, records = read_records(path)
    if meta.stub_mode and strict_stub_guard:
        raise StubTraceError(path)
    issues = validate(meta, records)
    errors = [issue for issue in issues if issue.severity is Severity.ERROR]
    if errors and strict_validation:
        raise TraceValidationError(path, errors)
    trace = Trace(path, meta, tuple(records), classify_turns(records), issues)
    if not trace.content_turns:
        raise TraceEmpty(path)
    return trace

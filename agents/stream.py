"""The events of a reasoning system in a session's log, and the port that takes them.

A recorded trace appends `StreamEvent`s to an `EventSink`, a live team's come over HTTP into the same log
(`infra.team_log`); nothing else enters a session. What an event is, is told in `exaim_live.events`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import Field

from exaim_live.events import (
    AGENTS_MAX,
    NAME_MAX,
    PRINTABLE,
    RAW_CHARS,
    ROUNDS_MAX,
    THOUGHT,
    TOLD_MAX,
    AgentName,
    Decision,
    DecisionKind,
    EventType,
    LLMMetadata,
    Progress,
    ProgressKind,
    SentEvent,
    TeamEvent,
    TokenContext,
    TokenType,
    TurnMark,
)

__all__ = [
    "AGENTS_MAX",
    "NAME_MAX",
    "PRINTABLE",
    "RAW_CHARS",
    "ROUNDS_MAX",
    "THOUGHT",
    "TOLD_MAX",
    "AgentName",
    "Decision",
    "DecisionKind",
    "EventSink",
    "EventType",
    "LLMMetadata",
    "Progress",
    "ProgressKind",
    "SentEvent",
    "StreamError",
    "StreamEvent",
    "StreamFenced",
    "StreamFull",
    "StreamUnavailable",
    "TeamEvent",
    "TokenContext",
    "TokenType",
    "TurnMark",
]


class StreamError(Exception):
    """An event could not be taken in.

    StreamError
    ├── StreamFull         the log is at its bound
    ├── StreamFenced       another writer has taken this session over
    └── StreamUnavailable  the log can't be reached now; the same events may be appended again
    """


class StreamFull(StreamError):
    """The session's event log holds as many events as it may; nothing of this call was appended."""

    def __init__(self, bound: int) -> None:
        super().__init__(
            f"the event log is at its bound of {bound} events; shorten the case or raise the bound"
        )
        self.bound = bound


class StreamFenced(StreamError):
    """The writer has lost the session to a successor and must stop; nothing was appended."""


class StreamUnavailable(StreamError):
    """The log gave no answer in time. The events may be there or not; append the same ones again."""


class StreamEvent(TeamEvent):
    """One event of a session's reasoning, as its log holds it."""

    thread_id: str = Field(min_length=1)
    trace_id: str = Field(min_length=1)
    session_id: str = Field(min_length=1)

    @classmethod
    def from_wire(cls, raw: str | bytes) -> StreamEvent:
        """Read what `to_wire` wrote. Raises pydantic.ValidationError."""
        return cls.model_validate_json(raw)


class EventSink(Protocol):
    """Where a reasoning system's events go."""

    async def append(self, events: Sequence[StreamEvent]) -> None:
        """Append `events`, in order of `seq`, all or none; one that is there already is passed over.

        Returns or raises within the sink's own deadline. Cancelling may leave the batch appended;
        appending it again does no harm.

        Raises: StreamFull, StreamFenced, StreamUnavailable.
        """

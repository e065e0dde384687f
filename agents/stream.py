"""The events of a reasoning system, and the port through which every such system speaks.

A recorded trace appends `StreamEvent`s to an `EventSink`, a live team's come over HTTP into the same log
(`infra.team_log`); nothing else enters a session. Names are Python's here and camelCase on the wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel


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


class EventType(StrEnum):
    """What an event is about."""

    TOKEN = "TOKEN"
    METADATA = "METADATA"
    ERROR = "ERROR"
    END = "END"


class TokenContext(StrEnum):
    """Where in the reasoning a token was written."""

    AGENT_THOUGHT = "AGENT_THOUGHT"
    FINAL_SYNTHESIS = "FINAL_SYNTHESIS"
    OTHER = "OTHER"


class TokenType(StrEnum):
    """What a token is: a model's thinking or its response, by the context in which it was written."""

    LLM_THINKING = "LLM_THINKING"
    LLM_RESPONSE = "LLM_RESPONSE"
    AGENT_THOUGHT_LLM_THINKING = "AGENT_THOUGHT_LLM_THINKING"
    AGENT_THOUGHT_LLM_RESPONSE = "AGENT_THOUGHT_LLM_RESPONSE"
    FINAL_SYNTHESIS_LLM_THINKING = "FINAL_SYNTHESIS_LLM_THINKING"
    FINAL_SYNTHESIS_LLM_RESPONSE = "FINAL_SYNTHESIS_LLM_RESPONSE"

    @classmethod
    def of(cls, context: TokenContext = TokenContext.OTHER, *, thinking: bool = False) -> TokenType:
        """Return the type for `context`; a source that marks no thinking writes responses."""
        plain = cls.LLM_THINKING if thinking else cls.LLM_RESPONSE
        return plain if context is TokenContext.OTHER else cls(f"{context}_{plain}")


THOUGHT: Final = frozenset(
    {
        TokenType.LLM_THINKING,
        TokenType.AGENT_THOUGHT_LLM_THINKING,
        TokenType.FINAL_SYNTHESIS_LLM_THINKING,
    }
)
"""What a model thinks on the way to what an agent answers: it is neither judged, nor told, nor shown."""


class TurnMark(StrEnum):
    """The bounds of one agent's turn, carried by METADATA events."""

    TURN_START = "TURN_START"
    TURN_END = "TURN_END"


class TeamEvent(BaseModel):
    """One event of a team's reasoning, as the team knows it: without the ids of the session it goes to.

    `seq` counts a session's events from 0 without a gap, so an event that comes twice is known.
    `source_ms` is the position in the source's own time (a trace's virtual time), not a wall clock;
    it may be negative before the source's zero. `data` is agent text: data, never instructions.
    """

    model_config = ConfigDict(frozen=True, populate_by_name=True, alias_generator=to_camel, extra="forbid")

    v: Literal[1] = 1
    type: EventType
    data: str = ""
    token_type: TokenType | None = None
    seq: int = Field(ge=0)
    agent_id: str | None = None
    run_id: str | None = None
    turn: int | None = None
    mark: TurnMark | None = None
    source_ms: int = 0

    @model_validator(mode="after")
    def _fields_fit_the_type(self) -> Self:
        if self.mark is not None and self.type is not EventType.METADATA:
            raise ValueError("mark belongs to METADATA events")
        if self.token_type is not None and self.type is not EventType.TOKEN:
            raise ValueError("token_type belongs to TOKEN events")
        return self

    def to_wire(self) -> str:
        """Return the event as one line of JSON, names in camelCase, absent fields left out."""
        return self.model_dump_json(by_alias=True, exclude_none=True)


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

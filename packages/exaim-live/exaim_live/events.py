"""The events of a team's reasoning, with Python's names here and camelCase on the wire."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator
from pydantic.alias_generators import to_camel

from exaim_live.stop_reasons import is_cut

NAME_MAX: Final = 128  # characters of a model's name, a reason to stop, an id
RAW_CHARS: Final = 2_000  # of what a provider says of its usage, as JSON
TOLD_MAX: Final = 1_000  # characters of a decision and of the words it rests on
AGENTS_MAX: Final = 64
ROUNDS_MAX: Final = 1_000
SENT_CHARS: Final = 8_000
"""Of one event's words: a page and a half. Longer text comes in several."""
SEQ_MAX: Final = 2**53 - 1
"""The greatest number that the store counts exactly."""
AGENT_NAME_MAX: Final = 64
UNPRINTABLE: Final = r"\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
"""Control characters, and those that turn the order of what stands beside them: neither said nor shown."""
PRINTABLE: Final = rf"^[^{UNPRINTABLE}]+$"
AgentName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=AGENT_NAME_MAX, pattern=PRINTABLE)
]


class EventType(StrEnum):
    """What an event is about."""

    TOKEN = "TOKEN"
    METADATA = "METADATA"
    ERROR = "ERROR"
    END = "END"


class TokenContext(StrEnum):
    """Where in the reasoning a token was written.

    The later names of the same are taken too: `planning` and `execution` are an agent's thought, `synthesis` is
    the final one. Any other name is `OTHER`.
    """

    AGENT_THOUGHT = "AGENT_THOUGHT"
    FINAL_SYNTHESIS = "FINAL_SYNTHESIS"
    OTHER = "OTHER"

    @classmethod
    def named(cls, name: str | None) -> TokenContext:
        """Return the context of a name, in any case."""
        known = (name or "").strip().upper()
        return _LATER_NAMES.get(known) or next((each for each in cls if each == known), cls.OTHER)


_LATER_NAMES: Final = {
    "PLANNING": TokenContext.AGENT_THOUGHT,
    "EXECUTION": TokenContext.AGENT_THOUGHT,
    "SYNTHESIS": TokenContext.FINAL_SYNTHESIS,
}


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
"""What a model thinks on the way to what an agent answers: it is neither judged nor told. The page shows it, folded."""


class TurnMark(StrEnum):
    """The bounds of one agent's turn, carried by METADATA events."""

    TURN_START = "TURN_START"
    TURN_END = "TURN_END"
    TURN_ABORTED = "TURN_ABORTED"  # it broke off and is withdrawn: what it said counts no more


class _Told(BaseModel):
    """What a METADATA event may carry: frozen, camelCase on the wire, nothing unknown."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, alias_generator=to_camel, extra="forbid")


class LLMMetadata(_Told):
    """What one call of a model cost. What a provider does not say is None, never 0."""

    model: str | None = Field(default=None, max_length=NAME_MAX)
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    thinking_tokens: int | None = Field(default=None, ge=0)
    time_to_first_token_ms: int | None = Field(default=None, ge=0)
    total_generation_time_ms: int | None = Field(default=None, ge=0)
    stop_reason: str | None = Field(default=None, max_length=NAME_MAX)
    provider_raw_usage: dict[str, Any] | None = None
    trace_id: str | None = Field(default=None, max_length=NAME_MAX)

    @property
    def is_cut(self) -> bool:
        """Return whether the answer was ended before its end, by its provider or by whoever asked."""
        return is_cut(self.stop_reason)

    @field_validator("provider_raw_usage")
    @classmethod
    def _bounded(cls, raw: dict[str, Any] | None) -> dict[str, Any] | None:
        if raw is not None and len(json.dumps(raw)) > RAW_CHARS:
            raise ValueError(f"providerRawUsage has at most {RAW_CHARS} characters of JSON; leave it out")
        return raw


class DecisionKind(StrEnum):
    """What a team states as its own."""

    LEADING = "leading"  # the diagnosis that an agent holds most likely
    ORDER = "order"  # what is to be done or given
    PROHIBITION = "prohibition"  # what must not be done or given
    FINAL = "final"  # the ruling that ends the discussion


class Decision(_Told):
    """What an agent decided, stated beside its words so that nobody has to guess it from them.

    `rests_on` are the words of the event's turn that say so, as they stand there. It is checked against
    them like any other reading: what they do not bear is told as the team's report, and what presses is
    judged by the words, never by `kind`.
    """

    kind: DecisionKind
    text: str = Field(min_length=1, max_length=TOLD_MAX)
    rests_on: str = Field(min_length=1, max_length=TOLD_MAX)


class ProgressKind(StrEnum):
    """What a team is at, between its agents' words."""

    RECRUITING = "recruiting"
    RECRUITED = "recruited"
    OPINIONS = "opinions"  # experts write theirs, each for itself
    ROUND = "round"  # a round of debate begins
    MESSAGE = "message"  # the first of `agents` wrote to the second
    CHANGED = "changed"  # the first of `agents` changed its view after the second's message
    REVIEW = "review"  # a moderator looks at what was said
    SYNTHESIS = "synthesis"
    MINORITY = "minority"  # `agents` keep another view than the one that was decided
    WAITING = "waiting"  # for `agents`, for long
    FAILED = "failed"  # `agents` can't be asked any more; the rest go on
    BUDGET = "budget"  # so much of it is spent, `share` says how much


class Progress(_Told):
    """A step of a team's work. `agents` are named as in `agent_id`; `text` is for the page."""

    kind: ProgressKind
    agents: tuple[str, ...] = Field(default=(), max_length=AGENTS_MAX)
    text: str = Field(default="", max_length=TOLD_MAX)
    share: float | None = Field(default=None, ge=0, le=1)


class TeamEvent(BaseModel):
    """One event of a team's reasoning, as the team knows it: without the ids of the session it goes to.

    METADATA carries one of `mark`, `llm`, `decision` and `progress`. `round` counts a debate's rounds from 1.
    `in_reply_to` names the message of the clinician (`inbox`) that the turn answers.

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
    round: int | None = Field(default=None, ge=1, le=ROUNDS_MAX)
    mark: TurnMark | None = None
    llm: LLMMetadata | None = None
    decision: Decision | None = None
    progress: Progress | None = None
    in_reply_to: str | None = Field(default=None, max_length=NAME_MAX)
    source_ms: int = 0

    @model_validator(mode="after")
    def _fields_fit_the_type(self) -> Self:
        told = [each for each in (self.mark, self.llm, self.decision, self.progress) if each is not None]
        if told and self.type is not EventType.METADATA:
            raise ValueError("mark, llm, decision and progress belong to METADATA events")
        if len(told) > 1:
            raise ValueError("an event carries one of mark, llm, decision and progress")
        if self.token_type is not None and self.type is not EventType.TOKEN:
            raise ValueError("token_type belongs to TOKEN events")
        return self

    def to_wire(self) -> str:
        """Return the event as one line of JSON, names in camelCase, absent fields left out."""
        return self.model_dump_json(by_alias=True, exclude_none=True)


class SentEvent(TeamEvent):
    """One event as the server takes it. `seq` counts from 0 without a gap."""

    data: str = Field(default="", max_length=SENT_CHARS)
    seq: int = Field(ge=0, le=SEQ_MAX)
    turn: int | None = Field(default=None, ge=-SEQ_MAX, le=SEQ_MAX)
    source_ms: int = Field(default=0, ge=-SEQ_MAX, le=SEQ_MAX)
    run_id: str | None = Field(default=None, max_length=NAME_MAX)
    agent_id: AgentName | None = Field(
        default=None, description="who speaks, as it is to be called: `Doctor Zero`, `cardiologist`"
    )

    @model_validator(mode="after")
    def _tokens_have_an_author(self) -> Self:
        theirs = self.mark is not None or self.decision is not None
        if self.agent_id is None and (self.type is EventType.TOKEN or theirs):
            raise ValueError("a token, the mark of a turn and a decision need agentId")
        return self

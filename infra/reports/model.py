"""The report of a session. Times are ms since the epoch, by the store's clock; durations are in s."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


Heard = Literal["heard", "partly", "not_heard"]


class Offering(_Frozen):
    """One attempt to say an item."""

    utterance_id: str
    phase: str
    reason: str
    heard_s: float
    total_s: float | None = Field(description="null: its sound was never made to its end")
    ended_at_ms: int


class ItemReport(_Frozen):
    """One thing that was worth saying."""

    item_id: str
    text: str
    kind: str
    urgency: str
    priority: str | None = Field(description="null: it never came to the voice")
    agents: tuple[str, ...]
    heard: Heard
    why: str = Field(description="why it was not heard, or not whole; empty if it was")
    listening_s: float
    lag_s: float | None = Field(description="from the agents' last word that it rests on to the ear's end")
    offerings: tuple[Offering, ...]


class SummaryReport(_Frozen):
    """One summary: what the page showed of it, and what of it was heard."""

    number: int
    update_id: str
    path: str = Field(description="the rule that made it: C critical, A complete, B topic shift, end")
    made_at_ms: int
    agents: tuple[str, ...]
    fields: dict[str, str]
    heard: Literal["heard", "partly", "not_heard", "page_only"]
    listening_s: float
    items: tuple[ItemReport, ...]


class CriticalReport(_Frozen):
    """A critical finding, told once, more often, or never."""

    critical_key: str
    text: str
    agents: tuple[str, ...]
    heard: Heard
    times_told: int
    heard_at_ms: int | None
    acknowledged_at_ms: int | None


class SourcedSentence(_Frozen):
    """A sentence of an answer, and where it is from; the source may be unknown."""

    text: str
    source: str


class QuestionReport(_Frozen):
    """What the clinician asked."""

    turn_id: str
    at_ms: int
    via: str
    text: str
    answer: str | None
    sentences: tuple[SourcedSentence, ...]
    found: bool | None = Field(description="null: unknown; false: nothing of the case was told")
    heard: Heard
    open: bool
    why_open: str
    on_page: tuple[SourcedSentence, ...] = Field(default=(), description="counted in the answer, not said")


class DecisionReport(_Frozen):
    """What was made of something that the clinician said or pressed."""

    turn_id: str
    at_ms: int
    via: str
    text: str
    kind: str
    effect: str
    why: str
    confidence: float


class CostReport(_Frozen):
    """What calls of models cost; null: no provider said."""

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    time_ms: int | None = None


class AgentReport(_Frozen):
    """One agent's part in the reasoning. Its model's thinking is not counted in its words."""

    agent_id: str
    name: str
    turns: int
    words: int
    first_at_ms: int
    last_at_ms: int
    cost: CostReport = Field(default=CostReport(), description="of the calls that its team told of")


class Figures(_Frozen):
    """A measure over several items, in seconds; null where nothing was measured."""

    count: int
    p50_s: float | None
    p95_s: float | None
    max_s: float | None


class Latency(_Frozen):
    """How far behind the agents we were."""

    summary: Figures = Field(description="the agents' last word of a summary, to the summary")
    ear: Figures = Field(
        description="the agents' last word of an item, to its end at the ear; first offerings"
    )
    critical: Figures = Field(description="the same, of critical findings")


class Counts(_Frozen):
    """Every utterance in exactly one place; `total` is their sum."""

    heard: int
    superseded: int
    expired: int
    cut: int = Field(description="ended while, or before, it was spoken: skipped, closed, session ended")
    failed: int
    offered_again: int = Field(description="not heard, and said again under another id, counted there")
    waiting: int = Field(description="to be said when the session goes on; only of an abandoned one")
    unaccounted: int
    total: int
    unaccounted_ids: tuple[str, ...] = Field(
        description="what the ledger leaves open, or the updates name and the ledger lacks"
    )


class Moment(_Frozen):
    """Something that happened."""

    at_ms: int
    what: str
    text: str


class Report(_Frozen):
    """What became of a session."""

    v: Literal[1] = 1
    session_id: str
    thread_id: str
    case_id: str
    title: str
    status: str
    reasoning: str
    reopened: int
    record_version: int
    made_by: Literal["rules"] = "rules"
    generated_at_ms: int
    created_at_ms: int
    ended_at_ms: int | None
    duration_s: float
    listening_s: float
    counts: Counts
    unheard: int | None = Field(
        default=None,
        description="items of updates not heard when it ended; null: made before this was counted",
    )
    critical: tuple[CriticalReport, ...]
    questions: tuple[QuestionReport, ...]
    decisions: tuple[DecisionReport, ...]
    summaries: tuple[SummaryReport, ...]
    agents: tuple[AgentReport, ...]
    cost: CostReport = CostReport()
    latency: Latency
    timeline: tuple[Moment, ...]

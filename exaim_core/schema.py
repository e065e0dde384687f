"""The values that leave the engine: deltas in, updates with spoken items and six fields out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from exaim_core.board.shown import BoardView


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of what one agent said, as the event log holds it.

    `seq` is the log's number and strictly increases over all agents; `at_s` is the append time in
    seconds on any clock that never goes back.
    """

    agent_id: str
    text: str
    seq: int
    at_s: float


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


FIELD_LIMITS: Final = {
    "status_action": 150,
    "key_findings": 180,
    "differential_rationale": 210,
    "uncertainty_confidence": 120,
    "recommendation_next_step": 180,
    "agent_contributions": 150,
}
"""The most characters of each field, inclusive."""


def _within(field: str) -> StringConstraints:
    return StringConstraints(max_length=FIELD_LIMITS[field], min_length=1)


class AgentSummary(_Frozen):
    """Six fields for the page, in the order of a clinical handover."""

    status_action: Annotated[str, _within("status_action")]
    key_findings: Annotated[str, _within("key_findings")]
    differential_rationale: Annotated[str, _within("differential_rationale")]
    uncertainty_confidence: Annotated[str, _within("uncertainty_confidence")]
    recommendation_next_step: Annotated[str, _within("recommendation_next_step")]
    agent_contributions: Annotated[str, _within("agent_contributions")]


FIELD_LABELS: dict[str, str] = {
    "status_action": "Status/Action",
    "key_findings": "Key Findings",
    "differential_rationale": "Differential/Rationale",
    "uncertainty_confidence": "Uncertainty/Confidence",
    "recommendation_next_step": "Recommendation/Next",
    "agent_contributions": "Agent Contributions",
}
NO_SUMMARIES: str = "No summaries yet."


def history_line(summary: AgentSummary) -> str:
    """Return `summary` as one line: six labelled fields joined by a bar, in the schema's order."""
    return " | ".join(f"{label}: {getattr(summary, name)}" for name, label in FIELD_LABELS.items())


DISPUTED: Final = "Critical, but check:"
"""How a critical item begins if the case paper contradicts it."""


class SpokenKind(StrEnum):
    """What a spoken item is for; the narrator chooses tone and order by it."""

    CRITICAL = "critical"
    CORRECTION = "correction"
    LEADING = "leading"
    CHANGE = "change"
    DISAGREEMENT = "disagreement"
    AGREEMENT = "agreement"
    FINDING = "finding"
    TEST = "test"
    ACTION = "action"
    CAUTION = "caution"
    CLOSING = "closing"


Urgency = Literal["routine", "important", "critical"]


class Cite(_Frozen):
    """The deltas of one agent that a statement rests on: event-log numbers, both inclusive."""

    agent_id: str
    first_seq: int
    last_seq: int


class Covered(_Frozen):
    """The text of one agent that an update accounts for: event-log numbers, both inclusive."""

    agent_id: str
    first_seq: int
    last_seq: int


class Span(_Frozen):
    """A place in what one agent wrote: characters of all its text, from the first to behind the last."""

    agent_id: str
    start: int
    end: int


class FieldSentence(_Frozen):
    """A sentence of a field, by its place in it, and the agents' words that it rests on."""

    field: str
    start: int
    end: int
    evidence: tuple[Span, ...]


class LeftOut(_Frozen):
    """How many sentences an update leaves out, and why: one of `words.evidence.Reason`."""

    reason: str
    count: int


class Dropped(_Frozen):
    """What grounding refused, and why. Holds no clinical text."""

    text_kind: str
    reason: str


class Fallback(_Frozen):
    """A part of an update that the lexical engine made because a model failed; `reason` is one word."""

    part: Literal["judge", "summarizer", "reader"]
    reason: str


class ReadBy(_Frozen):
    """Which model reads the agents' words, where they go, and what that has cost this case up to now.

    `cost` is in the currency of the prices in the models file; None: none are given there.
    """

    model: str
    host: str = ""
    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class SpokenItem(_Frozen):
    """One sentence to be spoken.

    `item_id` is `<update number, four digits>.<k>`; whoever knows the session puts its own prefix before it. `topic` is
    the clinical problem or entity, normalised; None means unique. `protects` marks an item that holds an allergy, a
    contraindication, a dose limit, a critical value or an open disagreement. `presses` marks an item urgent enough to
    be spoken before all others, answers included: an alarm, a prohibition, a correction, a result that decides, an
    emergency measure, a stated consensus. `critical_key` names the critical finding and its value; one that comes again
    has another. `read`: a model read all that it says, and no rule did. `likely`: for a spare item, how likely it holds
    a key point (0 to 1); 0 also means that it was not estimated. `evidence` are the agents' words that it rests on, at
    most eight places.
    """

    item_id: str
    kind: SpokenKind
    text: str
    brief: str | None = None
    topic: str | None = None
    urgency: Urgency = "routine"
    protects: bool = False
    presses: bool = False
    critical_key: str | None = None
    read: bool = False
    likely: float = 0.0
    agents: tuple[str, ...] = ()
    cites: tuple[Cite, ...] = ()
    evidence: tuple[Span, ...] = ()


class Newer(_Frozen):
    """What was stated since of the value or event that an alarm of an earlier update, or of this one, tells.

    `text` is the alarm with what was stated since beside it; "" if it stands again as it was told. `eased`: no value of
    it is critical any more. `alarms`: the newer value is an alarm of its own, so that the older one need not be told.
    """

    item_id: str
    critical_key: str
    text: str
    eased: bool = False
    alarms: bool = False


class SaidSince(_Frozen):
    """What was said last of a drug that an item names, or the newer values of what it gives one of; no alarm.

    `words` have their speaker's name before them, and are told behind the item if it is told late; "" for nothing.
    """

    item_id: str
    words: str


class Update(_Frozen):
    """One summary of what is new, with the items worth saying (none: for the page only).

    `board` is what the board holds after it, for answering questions; it is not for the page. `number` counts from 1.
    `path` is the rule that triggered it: C critical, A complete, B topic shift, end. `reason` is the gate's reason for
    the release. `last_delta_at_s` is the append time in seconds of the last delta that its items cite (the closing
    aside), else of the last one covered. `engine` is who wrote the fields: `llm` if anything that a model wrote is in
    it. `model` is that model's name, `by_model` the fields that it wrote, in the schema's order; the lexical engine
    wrote the others. `truncated` names fields that were cut: they are never spoken. `judged` is the number of the
    judge's request that brought it, from 1; 0 for the end, which is not judged. `by_reading`: it came after that
    request, when a model had read a segment. `read_by`: which model reads the agents' words, if one does. `sentences`
    are those of the fields, with the words that they rest on. `left_out` counts what was read since the last update and
    stands in neither fields nor items. `withdraws` are items of earlier updates that no longer need to be spoken: they
    rest on a turn which is withdrawn, or on words that their speaker has revised since. `spare` are items for a silence
    of the voice, in their speakers' own words, numbered after `items`. `newer` are alarms on values and events of which
    others were stated since, `said_since` is what was said of the drugs that other items name.
    """

    v: Literal[1] = 1
    number: int
    path: Literal["A", "B", "C", "end"]
    reason: str
    summary: AgentSummary
    items: tuple[SpokenItem, ...] = ()
    spare: tuple[SpokenItem, ...] = ()
    covers: tuple[Covered, ...] = ()
    last_delta_at_s: float
    dropped: tuple[Dropped, ...] = ()
    board: BoardView | None = None
    engine: Literal["lexical", "llm"] = "lexical"
    model: str = ""
    by_model: tuple[str, ...] = ()
    withdraws: tuple[str, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    truncated: tuple[str, ...] = ()
    judged: int = 0
    sentences: tuple[FieldSentence, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    by_reading: bool = False
    read_by: ReadBy | None = None
    newer: tuple[Newer, ...] = ()
    said_since: tuple[SaidSince, ...] = ()

"""The messages to clients on `exaim.state`: one model each, and their envelope."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from realtime.protocol.base import MAX_STATE_BYTES, RTP_MODULUS, Message
from realtime.protocol.commands import ClockKind


class Agent(Message):
    """A reasoning agent, with the name that the voice uses."""

    id: str
    name: str


class ReaderBody(Message):
    """Which model reads the agents' words, by the operator's name for it, and the host to which they go."""

    name: str
    model: str
    host: str


class Hello(Message):
    """The first message of an epoch: what session this is.

    Without a case paper (`has_paper`) numbers and orders are checked against no record, and a page says so.
    `which_case` is what the greeting says of it: live, recorded or simulated, age and sex, title.
    `reader` is the model that reads the agents' words; null: rules read, and no word leaves.
    `grace_s`: how long the session waits for a clinician whose line is lost, in seconds from the last beat.
    """

    session_id: str
    case_id: str
    title: str
    which_case: str = ""
    reader: ReaderBody | None = None
    agents: tuple[Agent, ...]
    sample_rate_hz: int
    track_sid: str
    has_paper: bool
    grace_s: float
    protocol: Literal[1] = 1


class Reasoning(Message):
    """How far the reasoning is."""

    phase: Literal["waiting", "thinking", "finished", "failed"]
    detail: str = ""


class StepBody(Message):
    """A step of the team's work, or a decision that it states (`kind` of either), for the page's list.

    `text` is how the voice tells of a step, "" where it says nothing; `detail` is the team's own, unchecked.
    `count`: how many messages of the first of `agents` to the second it stands for; else 1.
    """

    step_id: str
    kind: str
    text: str
    detail: str = ""
    agents: tuple[str, ...] = ()
    round: int | None = None
    share: float | None = None
    count: int = 1


class TraceItem(Message):
    """A piece of what an agent said, to be appended.

    `start` is its place in all that this agent said, in characters (Unicode code points).
    """

    agent_id: str
    name: str
    turn: int
    text: str
    start: int = 0


class ThoughtItem(TraceItem):
    """A piece of an agent's model's thinking. Nobody said it, and no update rests on it.

    `start` is its place in all that was thought for this agent.
    """


class Trace(Message):
    """The agents' own words as they come, or (`thoughts`) what was thought on the way to them.

    A message holds either. No snapshot repeats thoughts.
    """

    items: tuple[TraceItem, ...] = ()
    thoughts: tuple[ThoughtItem, ...] = ()


class SummaryBody(Message):
    """The six fields of a summary; limits in characters as in `exaim_core.AgentSummary`."""

    status_action: str
    key_findings: str
    differential_rationale: str
    uncertainty_confidence: str
    recommendation_next_step: str
    agent_contributions: str


class ItemBody(Message):
    """One thing of an update that may be said aloud."""

    item_id: str
    kind: str
    text: str
    topic: str | None
    urgency: str


class FallbackBody(Message):
    """A part of an update that rules made because a model could not; `reason` is one word."""

    part: Literal["judge", "summarizer", "reader"]
    reason: str


class EvidenceBody(Message):
    """The agents' own words that an update rests on, by their place; short, since a snapshot holds many.

    A span is an index of `agents` and two places in what that agent said, as `TraceItem.start` counts them:
    of the first character and behind the last. `items` are the update's items in order, each with the indexes
    of its spans. `fields` are sentences of a field: where in its text one begins and ends, and its spans.
    `left_out` counts what was read and not told, by a word for the reason.
    """

    agents: tuple[str, ...] = ()
    spans: tuple[tuple[int, int, int], ...] = ()
    items: tuple[tuple[int, ...], ...] = ()
    fields: dict[str, tuple[tuple[int, int, tuple[int, ...]], ...]] = Field(default_factory=dict)
    left_out: dict[str, int] = Field(default_factory=dict)


class ReadBody(Message):
    """What reading has cost this case up to now; `cost` null: no price is known."""

    model: str
    host: str = ""
    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class UpdateBody(Message):
    """A summary, as the page shows it, and who wrote it.

    `model` is the name of the model, if one wrote any of it (`engine` is then `llm`), and `by_model` are the
    fields that it wrote; rules wrote the others. `truncated` are the fields that were cut to fit. `read_by`: the model
    that reads the agents' words, and what that has cost; null: none does.
    """

    update_id: str
    number: int
    path: Literal["A", "B", "C", "end"]
    summary: SummaryBody
    items: tuple[ItemBody, ...]
    engine: Literal["lexical", "llm"] = "lexical"
    model: str = ""
    by_model: tuple[str, ...] = ()
    fallbacks: tuple[FallbackBody, ...] = ()
    truncated: tuple[str, ...] = ()
    evidence: EvidenceBody = EvidenceBody()
    read_by: ReadBody | None = None


class UtteranceBody(Message):
    """One utterance and its phase; sent at each change."""

    utterance_id: str
    update_id: str | None
    item_id: str | None
    kind: str
    priority: str
    text: str
    phase: str
    cause: str | None = None
    reason: str = ""
    critical_key: str | None = None
    acknowledged: bool = False
    replays: str | None = None


class Word(Message):
    """A word as it is read, timed in samples at 48 kHz as it is spoken."""

    text: str
    start_sample: int
    end_sample: int


class SegmentBody(Message):
    """One clause, sent when its first sample leaves."""

    utterance_id: str
    index: int
    of: int
    start_sample: int
    samples: int
    words: tuple[Word, ...]


class ClockBody(Message):
    """The constant between a listener's clock and the session's."""

    clock: ClockKind
    zero: Annotated[int, Field(ge=0, lt=RTP_MODULUS)]


class NoticeBody(Message):
    """Something that the clinician should know."""

    code: str
    text: str


class TurnBody(Message):
    """Something that the clinician said, or asked by hand, and what came of it.

    While it is `listening` or `deciding` only `turn_id`, `phase` and `via` say anything. `forgotten`: its
    words were not said to us, and are to be shown no more. `kind`, `effect`
    and `why` are the words of `realtime.interruption`; `resumed`: speech came back after a pause. `reply`: the few
    words that the voice says to it at once, as why nobody can be asked.
    """

    turn_id: str
    phase: Literal["listening", "deciding", "decided", "forgotten"]
    via: Literal["voice", "button", "text"] = "voice"
    text: str = ""
    kind: str = ""
    effect: str = ""
    why: str = ""
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    duration_ms: int = 0
    resumed: bool = False
    reply: str = ""


class ModeBody(Message):
    """How the voice stands, how many utterances wait, and what it asks, if it does.

    `wrong_case`: confirmed to be the wrong one; nothing is said until `right_case`.

    `rate` and `volume_db` are what the listener asked for: a factor of the usual pace, and decibels on top.
    """

    mode: Literal["free", "quiet", "waiting", "asking", "noisy", "away", "wrong_case"] = "free"
    waiting: int = 0
    question: str = ""
    asks: Literal["", "stop_or_go_on", "ready", "wrong_case", "to_team", "approval"] = ""
    rate: float = 1.0
    volume_db: float = 0.0
    verbosity: Literal["brief", "normal", "full"] = "normal"


class EarsBody(Message):
    """What the agent has of the clinician's microphone."""

    state: Literal["none", "on", "muted", "silent", "failed"] = "none"
    text: str = ""


class AnswerSentence(Message):
    """One sentence of an answer, and where it is from."""

    text: str
    source: str


class AnswerBody(Message):
    """A question and its answer; `utterance_id` is what speaks it.

    `model` is the name of the model that chose what is told; empty: rules did. `on_page` is what the answer counts
    ("And two more on the page.") and does not say.

    `outcome` says why there is none: `not_in_time`, or `gone_on` (another question came, or it was let go of before it
    was there; then `utterance_id` is empty). Empty: there is one.
    """

    turn_id: str
    utterance_id: str
    question: str
    found: bool
    topic: str | None
    sentences: tuple[AnswerSentence, ...]
    model: str = ""
    on_page: tuple[AnswerSentence, ...] = ()
    outcome: Literal["", "not_in_time", "gone_on"] = ""


class CostBody(Message):
    """What one agent's calls of models cost up to now; null: its provider does not say."""

    agent_id: str
    name: str
    calls: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None


class CostsBody(Message):
    """What the agents' models cost up to now, by agent; replaces what was told before."""

    agents: tuple[CostBody, ...] = ()


class Ended(Message):
    """The session is over. `failed` is reserved: a voice that breaks off has a successor."""

    reason: Literal["ended_by_clinician", "abandoned", "failed"]


class Snapshot(Message):
    """All that the client should have; replaces what it has.

    It is in `parts` messages: this one, with what presses and what sounds, and for the rest a `Past` each.
    `earlier`: how many updates of the session are in none of them. `notices`: those that are still true.
    """

    reasoning: Reasoning
    updates: tuple[UpdateBody, ...]
    utterances: tuple[UtteranceBody, ...]
    trace: tuple[TraceItem, ...]
    clock: ClockBody | None = None
    segments: tuple[SegmentBody, ...] = ()
    turns: tuple[TurnBody, ...] = ()
    answers: tuple[AnswerBody, ...] = ()
    mode: ModeBody = ModeBody()
    ears: EarsBody = EarsBody()
    costs: CostsBody = CostsBody()
    steps: tuple[StepBody, ...] = ()
    parts: int = 1
    earlier: int = 0
    notices: tuple[NoticeBody, ...] = ()


class Past(Message):
    """A further part of the newest snapshot, 2 to `of`; each holds older things than the one before.

    It adds to what the client has. What comes again, by its id, takes the place of the former. `trace` goes before
    all that the parts before held of it.
    """

    part: int
    of: int
    updates: tuple[UpdateBody, ...] = ()
    utterances: tuple[UtteranceBody, ...] = ()
    trace: tuple[TraceItem, ...] = ()
    segments: tuple[SegmentBody, ...] = ()
    turns: tuple[TurnBody, ...] = ()
    answers: tuple[AnswerBody, ...] = ()
    steps: tuple[StepBody, ...] = ()


Body = (
    Hello
    | Snapshot
    | Past
    | Reasoning
    | Trace
    | UpdateBody
    | UtteranceBody
    | SegmentBody
    | ClockBody
    | NoticeBody
    | TurnBody
    | ModeBody
    | EarsBody
    | AnswerBody
    | CostsBody
    | StepBody
    | Ended
)

TYPE_NAMES: Final[dict[type[Message], str]] = {
    Hello: "hello",
    Snapshot: "snapshot",
    Past: "past",
    Reasoning: "reasoning",
    Trace: "trace",
    UpdateBody: "update",
    UtteranceBody: "utterance",
    SegmentBody: "segment",
    ClockBody: "clock",
    NoticeBody: "notice",
    TurnBody: "turn",
    ModeBody: "mode",
    EarsBody: "ears",
    AnswerBody: "answer",
    CostsBody: "costs",
    StepBody: "step",
    Ended: "ended",
}


class StateMessage(Message):
    """The envelope of everything on `exaim.state`."""

    v: Literal[1] = 1
    seq: Annotated[int, Field(ge=1)]
    epoch: int
    type: str
    at_ms: int
    body: dict[str, Any]


def encode_state(body: Body, *, seq: int, epoch: int, at_ms: int) -> str:
    """Return `body` in its envelope, as JSON. Raises: ValueError: longer than `MAX_STATE_BYTES`."""
    message = StateMessage(
        seq=seq, epoch=epoch, type=TYPE_NAMES[type(body)], at_ms=at_ms, body=body.model_dump(mode="json")
    )
    text = message.model_dump_json()
    if len(text.encode()) > MAX_STATE_BYTES:
        raise ValueError(
            f"a {message.type} message of {len(text)} characters is over {MAX_STATE_BYTES} bytes"
        )
    return text

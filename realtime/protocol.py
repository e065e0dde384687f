"""Every message between a client and the agent, and the only place that parses them.

`docs/protocol.md` is the prose; the JSON Schemas in `docs/schemas/` are generated from these models
by `python -m realtime.schemas`. A client's message that does not fit raises `BadMessage`.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

RPC_METHOD: Final = "exaim.command"
BEAT_TOPIC: Final = "exaim.beat"
STATE_TOPIC: Final = "exaim.state"
TRANSCRIPTION_TOPIC: Final = "lk.transcription"  # LiveKit's own name for captions
CHAT_TOPIC: Final = "lk.chat"  # and for what people type
AGENT_STATE_ATTRIBUTE: Final = "lk.agent.state"
TRACK_NAME: Final = "voice"

MAX_COMMAND_BYTES: Final = 4 * 1024
MAX_BEAT_BYTES: Final = 512
MAX_STATE_BYTES: Final = 60 * 1024  # a text stream is cut into chunks of 15 kB: at most four of them
RTP_MODULUS: Final = 2**32
MAX_QUESTION_CHARS: Final = 300  # typed: two long sentences
NOT_TAKEN: Final = f"That message was not taken. One has at most {MAX_QUESTION_CHARS} characters."
MAX_COUNT: Final = 2**53 - 1  # what every JSON reader keeps exact; above it a number is a mistake


class BadMessage(ValueError):
    """A client sent something that is not in the protocol; `code` goes back to it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


# --- what a client says ---------------------------------------------------------------------------


class CommandKind(enum.StrEnum):
    """What a client may ask for."""

    READY = "ready"
    END = "end"
    STOP = "stop"
    WAIT = "wait"
    GO_ON = "go_on"
    NEXT = "next"
    REPEAT = "repeat"
    SLOWER = "slower"
    FASTER = "faster"
    LOUDER = "louder"
    SOFTER = "softer"
    USUAL_PACE = "usual_pace"
    USUAL_VOLUME = "usual_volume"
    PREVIOUS = "previous"
    BRIEF = "brief"
    FULL = "full"
    USUAL_DETAIL = "usual_detail"
    WRONG_CASE = "wrong_case"
    CONFIRM_WRONG_CASE = "confirm_wrong_case"
    RIGHT_CASE = "right_case"
    ACKNOWLEDGE = "acknowledge"
    ASK = "ask"
    SEND_TO_TEAM = "send_to_team"
    KEEP_FROM_TEAM = "keep_from_team"


_Seq = Annotated[int, Field(ge=1, le=MAX_COUNT)]
_Position = Annotated[int, Field(ge=0, le=MAX_COUNT)]


class ClientCommand(_Message):
    """One RPC call; `seq` counts this client's commands from 1."""

    v: Literal[1]
    seq: _Seq
    kind: str
    args: dict[str, Any] = Field(default_factory=dict)


class ReadyArgs(BaseModel):
    """On which device: a random name that a browser, or a program, keeps for itself."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    device: Annotated[str, Field(min_length=1, max_length=64)] | None = None


class AcknowledgeArgs(BaseModel):
    """Which critical finding was taken note of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    critical_key: Annotated[str, Field(min_length=1, max_length=200)]


class AskArgs(BaseModel):
    """A typed question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]


class CommandError(_Message):
    """Why a command was refused, in a word for programs and a sentence for people."""

    code: Literal["bad_message", "unknown_kind", "not_allowed", "too_late"]
    message: str


class CommandAnswer(_Message):
    """The answer to an RPC call."""

    v: Literal[1] = 1
    ok: bool
    error: CommandError | None = None


class ClockKind(enum.StrEnum):
    """Which clock a listener reports on; both run at 48,000 a second."""

    RTP = "rtp"
    SAMPLES = "samples"


class Beat(_Message):
    """What a listener has played, on its own clock.

    `track_sid` names the track that this is of, None while nothing is attached. It is for whoever reads
    along: the voice has one track, and does not look at it.
    """

    v: Literal[1]
    seq: _Seq
    track_sid: Annotated[str, Field(max_length=64)] | None = None
    clock: ClockKind
    position: _Position | None = None
    onset: _Position | None = None
    hidden: bool = False


def parse_command(payload: str) -> ClientCommand:
    """Return the command in `payload`. Raises: BadMessage: too long, no JSON, or not a command."""
    if len(payload.encode("utf-8", "surrogatepass")) > MAX_COMMAND_BYTES:
        raise BadMessage("bad_message", f"a command has at most {MAX_COMMAND_BYTES} bytes")
    try:
        return ClientCommand.model_validate_json(payload)
    except ValidationError as error:
        raise BadMessage("bad_message", _first_fault(error)) from error


def ready_args(command: ClientCommand) -> ReadyArgs:
    """Return the arguments of a `ready`. Raises: BadMessage: they don't fit."""
    try:
        return ReadyArgs.model_validate(command.args)
    except ValidationError as error:
        raise BadMessage("bad_message", _first_fault(error)) from error


def parse_beat(payload: bytes) -> Beat:
    """Return the beat in `payload`. Raises: BadMessage: too long, no JSON, or not a beat."""
    if len(payload) > MAX_BEAT_BYTES:
        raise BadMessage("bad_message", f"a beat has at most {MAX_BEAT_BYTES} bytes")
    try:
        return Beat.model_validate_json(payload)
    except ValidationError as error:
        raise BadMessage("bad_message", _first_fault(error)) from error


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in fault["loc"]) or "message"
    return f"{where}: {fault['msg']}"


# --- what a client hears --------------------------------------------------------------------------


class Agent(_Message):
    """A reasoning agent, with the name that the voice uses."""

    id: str
    name: str


class ReaderBody(_Message):
    """Which model reads the agents' words, by the operator's name for it, and the host to which they go."""

    name: str
    model: str
    host: str


class Hello(_Message):
    """The first message of an epoch: what session this is.

    Without a case paper (`has_paper`) numbers and orders are checked against no record, and a page says so.
    `which_case` is what the greeting says of it: live, recorded or simulated, age and sex, title.
    `reader` is the model that reads the agents' words; null: rules read, and no word leaves.
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
    protocol: Literal[1] = 1


class Reasoning(_Message):
    """How far the reasoning is."""

    phase: Literal["waiting", "thinking", "finished", "failed"]
    detail: str = ""


class StepBody(_Message):
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


class TraceItem(_Message):
    """A piece of what an agent said, to be appended.

    `start` is its place in all that this agent said, in characters (Unicode code points).
    """

    agent_id: str
    name: str
    turn: int
    text: str
    start: int = 0


class ThoughtItem(TraceItem):
    """A piece of what an agent's model thought on the way to its words. Nobody said it, and nothing rests on it.

    `start` is its place in all that was thought for this agent.
    """


class Trace(_Message):
    """The agents' own words as they come, or (`thoughts`) what was thought on the way to them.

    A message holds either. No snapshot repeats thoughts.
    """

    items: tuple[TraceItem, ...] = ()
    thoughts: tuple[ThoughtItem, ...] = ()


class SummaryBody(_Message):
    """The six fields of a summary; limits in characters as in `exaim_core.AgentSummary`."""

    status_action: str
    key_findings: str
    differential_rationale: str
    uncertainty_confidence: str
    recommendation_next_step: str
    agent_contributions: str


class ItemBody(_Message):
    """One thing of an update that may be said aloud."""

    item_id: str
    kind: str
    text: str
    topic: str | None
    urgency: str


class FallbackBody(_Message):
    """A part of an update that rules made because a model could not; `reason` is one word."""

    part: Literal["judge", "summarizer", "reader"]
    reason: str


class EvidenceBody(_Message):
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


class ReadBody(_Message):
    """What reading has cost this case up to now; `cost` null: no price is known."""

    model: str
    host: str = ""
    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class UpdateBody(_Message):
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


class UtteranceBody(_Message):
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


class Word(_Message):
    """A word as it is read, timed in samples at 48 kHz as it is spoken."""

    text: str
    start_sample: int
    end_sample: int


class SegmentBody(_Message):
    """One clause, sent when its first sample leaves."""

    utterance_id: str
    index: int
    of: int
    start_sample: int
    samples: int
    words: tuple[Word, ...]


class ClockBody(_Message):
    """The constant between a listener's clock and the session's."""

    clock: ClockKind
    zero: Annotated[int, Field(ge=0, lt=RTP_MODULUS)]


class NoticeBody(_Message):
    """Something that the clinician should know."""

    code: str
    text: str


class TurnBody(_Message):
    """Something that the clinician said, or asked by hand, and what came of it.

    While it is `listening` or `deciding` only `turn_id`, `phase` and `via` say anything. `forgotten`: its
    words were not said to us, and are to be shown no more. `kind`, `effect`
    and `why` are the words of `realtime.interruption`; `resumed`: speech came back after a pause.
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


class ModeBody(_Message):
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


class EarsBody(_Message):
    """What the agent has of the clinician's microphone."""

    state: Literal["none", "on", "muted", "silent", "failed"] = "none"
    text: str = ""


class AnswerSentence(_Message):
    """One sentence of an answer, and where it is from."""

    text: str
    source: str


class AnswerBody(_Message):
    """A question and its answer; `utterance_id` is what speaks it.

    `model` is the name of the model that chose what is told; empty: rules did.
    """

    turn_id: str
    utterance_id: str
    question: str
    found: bool
    topic: str | None
    sentences: tuple[AnswerSentence, ...]
    model: str = ""


class CostBody(_Message):
    """What one agent's calls of models cost up to now; null: its provider does not say."""

    agent_id: str
    name: str
    calls: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None


class CostsBody(_Message):
    """What the agents' models cost up to now, by agent; replaces what was told before."""

    agents: tuple[CostBody, ...] = ()


class Ended(_Message):
    """The session is over. `failed` is reserved: a voice that breaks off says nothing and has a successor."""

    reason: Literal["ended_by_clinician", "abandoned", "failed"]


class Snapshot(_Message):
    """All that the client should have; replaces what it has."""

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


Body = (
    Hello
    | Snapshot
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

TYPE_NAMES: Final[dict[type[_Message], str]] = {
    Hello: "hello",
    Snapshot: "snapshot",
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


class StateMessage(_Message):
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

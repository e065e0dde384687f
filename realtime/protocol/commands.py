"""A client's messages: commands by RPC, and beats. Only this module parses them."""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from realtime.protocol.base import (
    MAX_BEAT_BYTES,
    MAX_COMMAND_BYTES,
    MAX_COUNT,
    MAX_QUESTION_CHARS,
    BadMessage,
    Message,
)


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
_Args = TypeVar("_Args", bound=BaseModel)
_Position = Annotated[int, Field(ge=0, le=MAX_COUNT)]


class ClientCommand(Message):
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
    """Which critical finding is acknowledged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    critical_key: Annotated[str, Field(min_length=1, max_length=200)]


class AskArgs(BaseModel):
    """A typed question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]


class CommandError(Message):
    """Why a command was refused, in a word for programs and a sentence for people."""

    code: Literal["bad_message", "unknown_kind", "not_allowed", "too_late"]
    message: str


class CommandAnswer(Message):
    """The answer to an RPC call."""

    v: Literal[1] = 1
    ok: bool
    error: CommandError | None = None


class ClockKind(enum.StrEnum):
    """Which clock a listener reports on; both run at 48,000 a second."""

    RTP = "rtp"
    SAMPLES = "samples"


class Beat(Message):
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


def args_of(model: type[_Args], command: ClientCommand) -> _Args:
    """Return the arguments of a command. Raises: BadMessage: they don't fit; it names the one, and why."""
    try:
        return model.model_validate(command.args)
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
    return f"{where}: {_why(fault)}"


def _why(fault: ErrorDetails) -> str:
    """Return why a value does not fit; for a text of the wrong length, how long it may be."""
    bounds = fault.get("ctx", {})
    if fault["type"] == "string_too_long":
        return f"at most {bounds['max_length']} characters"
    if fault["type"] == "string_too_short":
        return f"at least {bounds['min_length']} character"
    return fault["msg"]

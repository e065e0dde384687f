"""The records of a trace, schema 2.0.0, read strictly: one JSON object a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic_core import from_json  # a third of the time of json.loads, and refuses lone surrogates

from exaim_live.events import AGENT_NAME_MAX, SEQ_MAX, UNPRINTABLE

SCHEMA_VERSION: Final = "2.0.0"
_NO_NAME: Final = re.compile(f"[{UNPRINTABLE}]")


class BadRecord(ValueError):
    """A line is no record of schema 2.0.0; the message says why, and quotes no text of the trace."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The first record of a trace; `t0_emitted_ms` is ms since the epoch."""

    case_id: str
    mas_run_id: str
    mac_commit: str
    model: str
    created_at: str
    t0_emitted_ms: int
    exaid_commit: str | None = None
    decoding: Mapping[str, Any] | None = None
    t0_definition: str | None = None
    stub_mode: bool = False
    total_turns: int | None = None
    total_deltas: int | None = None
    schema_version: str = SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of one agent's text. `t_emitted_ms` since the epoch, `t_rel_ms` since the first delta."""

    seq: int
    turn_id: int
    agent_id: str
    text: str
    t_emitted_ms: int
    t_rel_ms: int


@dataclass(frozen=True, slots=True)
class Boundary:
    """Start or end of a turn. `t_ms` since the epoch; `t_rel_ms` may be negative before the first delta."""

    seq: int
    turn_id: int
    agent_id: str
    boundary: Literal["start", "end"]
    t_ms: int
    t_rel_ms: int
    content_hash: str | None = None


Record = Delta | Boundary

_CASE_ID: Final = re.compile(r"case-[a-zA-Z0-9-]+")  # as the schema has it; it becomes part of a file name

_META_FIELDS: Final[Mapping[str, tuple[type | tuple[type, ...], bool]]] = {
    # name: (types, required)
    "schema_version": (str, True),
    "case_id": (str, True),
    "mas_run_id": (str, True),
    "mac_commit": (str, True),
    "model": (str, True),
    "created_at": (str, True),
    "t0_emitted_ms": (int, True),
    "exaid_commit": (str, False),
    "decoding": (dict, False),
    "t0_definition": (str, False),
    "stub_mode": (bool, False),
    "total_turns": (int, False),
    "total_deltas": (int, False),
}
_DELTA_FIELDS: Final[Mapping[str, type]] = {
    "case_id": str,
    "seq": int,
    "turn_id": int,
    "agent_id": str,
    "delta_text": str,
    "t_emitted_ms": int,
    "t_rel_ms": int,
}
_BOUNDARY_FIELDS: Final[Mapping[str, type]] = {
    "case_id": str,
    "seq": int,
    "turn_id": int,
    "agent_id": str,
    "boundary": str,
    "t_ms": int,
    "t_rel_ms": int,
}
_BOUNDARY_EXTRAS: Final = frozenset({"content_hash", "content_hash_input"})


def json_object(line: str) -> dict[str, Any]:
    """Return the JSON object on `line`. Raises BadRecord."""
    try:
        found = from_json(line)
    except ValueError as error:
        raise BadRecord("it is not JSON") from error
    if not isinstance(found, dict):
        raise BadRecord("it is not a JSON object")
    return found


def metadata(found: dict[str, Any]) -> Metadata:
    """Read the first record, whose record_type and schema_version were looked at. Raises BadRecord."""
    body = {name: value for name, value in found.items() if name != "record_type"}
    for name, (types, required) in _META_FIELDS.items():
        if name not in body:
            if required:
                raise BadRecord(f"trace_meta lacks {name}")
        elif not _is(body[name], types):
            raise BadRecord(f"{name} of trace_meta has the wrong type")
        elif types is int and abs(body[name]) > SEQ_MAX:
            raise BadRecord(f"{name} of trace_meta is too large")
    if unknown := body.keys() - _META_FIELDS.keys():
        raise BadRecord(f"trace_meta has fields that the schema does not know: {_names(unknown)}")
    if not _CASE_ID.fullmatch(body["case_id"]):
        raise BadRecord("case_id of trace_meta is not case- and letters, digits or hyphens")
    return Metadata(**body)


def record(found: dict[str, Any], case_id: str) -> Record:
    """Read a delta or a boundary of case `case_id`. Raises BadRecord."""
    match found.get("record_type"):
        case "stream_delta":
            _check(found, _DELTA_FIELDS, frozenset())
            made: Record = Delta(
                found["seq"], found["turn_id"], found["agent_id"], found["delta_text"],
                found["t_emitted_ms"], found["t_rel_ms"],
            )  # fmt: skip
        case "turn_boundary":
            _check(found, _BOUNDARY_FIELDS, _BOUNDARY_EXTRAS)
            if found["boundary"] not in ("start", "end"):
                raise BadRecord("boundary is neither start nor end")
            if not isinstance(found.get("content_hash", ""), str):
                raise BadRecord("content_hash has the wrong type")
            made = Boundary(
                found["seq"], found["turn_id"], found["agent_id"], found["boundary"],
                found["t_ms"], found["t_rel_ms"], found.get("content_hash"),
            )  # fmt: skip
        case "trace_meta":
            raise BadRecord("it is a second trace_meta")
        case _:
            raise BadRecord("its record_type is none of a trace")
    if found["case_id"] != case_id:
        raise BadRecord("it belongs to another case")
    if not found["agent_id"].strip():
        raise BadRecord("agent_id is blank")
    if len(found["agent_id"]) > AGENT_NAME_MAX or _NO_NAME.search(found["agent_id"]):
        raise BadRecord(f"agent_id has more than {AGENT_NAME_MAX} characters, or one that is not printed")
    if found["seq"] < 0 or found["turn_id"] < 1:
        raise BadRecord("seq must be 0 or more, turn_id 1 or more")
    return made


def _check(found: dict[str, Any], fields: Mapping[str, type], extras: frozenset[str]) -> None:
    for name, kind in fields.items():
        if name not in found:
            raise BadRecord(f"it lacks {name}")
        if type(found[name]) is not kind:
            raise BadRecord(f"{name} has the wrong type")
        if kind is int and abs(found[name]) > SEQ_MAX:
            raise BadRecord(f"{name} is too large")
    if len(found) > len(fields) + 1:
        unknown = found.keys() - fields.keys() - extras - {"record_type"}
        if unknown:
            raise BadRecord(f"it has fields that the schema does not know: {_names(unknown)}")


def _is(value: object, types: type | tuple[type, ...]) -> bool:
    return isinstance(value, types) and not (types is int and isinstance(value, bool))


def _names(unknown: set[str]) -> str:
    return ", ".join(sorted(name[:40] for name in unknown)[:5])

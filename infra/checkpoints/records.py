"""Records as they lie in the store: msgpack lists that begin with the version of their schema.

A serializer gives pairs of type and bytes. What it made is never looked into here, so it may be
encrypted; names, ids and the epoch are in the clear.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Final

import ormsgpack

from infra.checkpoints.errors import CorruptRecord
from infra.store import readable

SCHEMA: Final = 1
_LENGTH: Final = struct.Struct(">I")

Typed = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Row:
    """A checkpoint without its channels' values.

    `parent` and `run` are ids, or "" for none. `blobs` names the values that it needs, all of them:
    one that is missing is a loss. `epoch` is of the fence under which it was written, 0: none.
    """

    parent: str
    run: str
    blobs: tuple[str, ...]
    checkpoint: Typed
    metadata: Typed
    epoch: int = 0

    def packed(self) -> bytes:
        """Return the record: a head, which the scripts read by place, its length before it, and a body.

        Redis' msgpack knows no bytes, and need not go through what it has no use for.
        """
        head = ormsgpack.packb([SCHEMA, self.epoch, self.parent, self.run, self.blobs])
        return _LENGTH.pack(len(head)) + head + ormsgpack.packb([*self.checkpoint, *self.metadata])


@dataclass(frozen=True, slots=True)
class Write:
    """One value that a task wrote to a channel; `path` is the task's place in its step."""

    path: str
    channel: str
    value: Typed

    def packed(self) -> bytes:
        """Return the record."""
        return ormsgpack.packb([SCHEMA, self.path, self.channel, *self.value])


def pack_blob(value: Typed) -> bytes:
    """Return the record of a channel's value."""
    return ormsgpack.packb([SCHEMA, *value])


def unpack_row(raw: bytes) -> Row:
    """Read a checkpoint. Raises: CorruptRecord, NewerSchema."""
    what = "a checkpoint"
    if len(raw) < _LENGTH.size:
        raise CorruptRecord(what, "it is too short")
    body_at = _LENGTH.size + _LENGTH.unpack_from(raw)[0]
    epoch, parent, run, blobs = _versioned(what, raw[_LENGTH.size : body_at], (int, str, str, list))
    if not all(isinstance(name, str) for name in blobs):
        raise CorruptRecord(what, "a name in it is none")
    kind, checkpoint, metadata_kind, metadata = _fields(what, raw[body_at:], (str, bytes, str, bytes))
    return Row(parent, run, tuple(blobs), (kind, checkpoint), (metadata_kind, metadata), epoch)


def unpack_write(raw: bytes) -> Write:
    """Read a task's write. Raises: CorruptRecord, NewerSchema."""
    path, channel, kind, data = _versioned("a task's write", raw, (str, str, str, bytes))
    return Write(path, channel, (kind, data))


def unpack_blob(raw: bytes) -> Typed:
    """Read a channel's value. Raises: CorruptRecord, NewerSchema."""
    kind, data = _versioned("a channel's value", raw, (str, bytes))
    return kind, data


def _versioned(what: str, raw: bytes, types: tuple[type, ...]) -> list[Any]:
    """Return the fields after the version; the version is judged before their number and types."""
    found = _list(what, raw)
    if not found or type(found[0]) is not int:
        raise CorruptRecord(what, "it has no version")
    readable(what, found[0], SCHEMA)
    return _checked(what, found[1:], types)


def _fields(what: str, raw: bytes, types: tuple[type, ...]) -> list[Any]:
    return _checked(what, _list(what, raw), types)


def _list(what: str, raw: bytes) -> list[Any]:
    try:
        found = ormsgpack.unpackb(raw)
    except ormsgpack.MsgpackDecodeError as error:
        raise CorruptRecord(what, "it is not msgpack") from error
    if not isinstance(found, list):
        raise CorruptRecord(what, "it is no list")
    return found


def _checked(what: str, fields: list[Any], types: tuple[type, ...]) -> list[Any]:
    if len(fields) != len(types) or not all(map(isinstance, fields, types)):
        raise CorruptRecord(what, "its fields are others")
    return fields

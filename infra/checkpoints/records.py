"""Records as they lie in the store: msgpack lists that begin with the version of their schema.

A serializer gives pairs of type and bytes. What it made is never looked into here, so it may be
encrypted; names, ids and the epoch are in the clear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import ormsgpack

from infra.checkpoints.errors import CorruptRecord
from infra.store import readable

SCHEMA: Final = 1

CHECKPOINT: Final = "a checkpoint"
VALUE: Final = "a channel's value"
WRITE: Final = "a task's write"
"""How the errors name the records."""

Typed = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Head:
    """What the scripts read of a checkpoint, by place. It holds no bytes: Redis' msgpack knows none.

    `epoch` is of the fence under which it was written, 0: none. `parent` and `run` are ids, or "" for
    none. `blobs` names the values that it needs, all of them: one that is missing is a loss.
    """

    epoch: int
    parent: str
    run: str
    blobs: tuple[str, ...]

    def packed(self) -> bytes:
        """Return the record."""
        return ormsgpack.packb([SCHEMA, self.epoch, self.parent, self.run, self.blobs])


@dataclass(frozen=True, slots=True)
class Body:
    """A checkpoint without its channels' values, and its metadata."""

    checkpoint: Typed
    metadata: Typed

    def packed(self) -> bytes:
        """Return the record."""
        return ormsgpack.packb([SCHEMA, *self.checkpoint, *self.metadata])


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


def unpack_head(raw: bytes) -> Head:
    """Read the first half of a checkpoint. Raises: CorruptRecord, NewerSchema."""
    epoch, parent, run, blobs = _fields(CHECKPOINT, raw, (int, str, str, list))
    if not all(isinstance(name, str) for name in blobs):
        raise CorruptRecord(CHECKPOINT, "a name in it is none")
    return Head(epoch, parent, run, tuple(blobs))


def unpack_body(raw: bytes) -> Body:
    """Read the second half of a checkpoint. Raises: CorruptRecord, NewerSchema."""
    kind, checkpoint, metadata_kind, metadata = _fields(CHECKPOINT, raw, (str, bytes, str, bytes))
    return Body((kind, checkpoint), (metadata_kind, metadata))


def unpack_write(raw: bytes) -> Write:
    """Read a task's write. Raises: CorruptRecord, NewerSchema."""
    path, channel, kind, data = _fields(WRITE, raw, (str, str, str, bytes))
    return Write(path, channel, (kind, data))


def unpack_blob(raw: bytes) -> Typed:
    """Read a channel's value. Raises: CorruptRecord, NewerSchema."""
    kind, data = _fields(VALUE, raw, (str, bytes))
    return kind, data


def _fields(what: str, raw: bytes, types: tuple[type, ...]) -> list[Any]:
    """Return the fields after the version; the version is judged before their number and types."""
    try:
        found = ormsgpack.unpackb(raw)
    except ormsgpack.MsgpackDecodeError as error:
        raise CorruptRecord(what, "it is not msgpack") from error
    if not isinstance(found, list) or not found or type(found[0]) is not int:
        raise CorruptRecord(what, "it has no version")
    if found[0] != SCHEMA:
        readable(what, found[0], SCHEMA)
    fields = found[1:]
    if tuple(map(type, fields)) != types:
        raise CorruptRecord(what, "its fields are others")
    return fields

"""The names of a thread's checkpoint keys, and of what lies in them.

All are in the hash slot of the thread's sessions (`infra.keys`): the braces are the hash tag. The
parts of a field are parted by NUL, so fields of one namespace, and of one checkpoint in it, have a
prefix of their own and sort as their parts do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_PREFIX: Final = "exaim:checkpoints:"
NUL: Final = "\0"
_NAMES: Final = ("heads", "bodies", "blobs", "writes", "ids", "pending")
"""heads, bodies: hashes, checkpoint -> the two halves of its record. blobs: hash, a channel's value at a
version. writes: hash, task write of a checkpoint. ids, pending: sorted sets of the names in heads and in
writes, which is how they are found in order."""


@dataclass(frozen=True, slots=True)
class ThreadKeys:
    """Keys of one thread: `exaim:checkpoints:{<thread_id>}:<name>`."""

    thread_id: str

    def __post_init__(self) -> None:
        if not self.thread_id or "{" in self.thread_id or "}" in self.thread_id:
            raise ValueError("a thread id must not be empty and holds no braces")

    @property
    def declared(self) -> tuple[str, ...]:
        """All keys, in the order in which `lua/prelude.lua` names them."""
        return _declared(self.thread_id)


@lru_cache(maxsize=256)
def _declared(thread_id: str) -> tuple[str, ...]:
    prefix = f"{_PREFIX}{{{thread_id}}}:"
    return tuple([prefix + name for name in _NAMES])


THREADS: Final = _PREFIX + "{*}:ids"
"""Pattern of the one key that each thread with a checkpoint has."""


def thread_of(ids_key: str) -> str:
    """Return the thread id in a key that `THREADS` matches."""
    return ids_key.removeprefix(_PREFIX + "{").removesuffix("}:ids")


def member(ns: str, checkpoint_id: str) -> str:
    """Name a checkpoint. Raises ValueError: a part holds a NUL."""
    return _bare(f"{ns}{NUL}{checkpoint_id}", nuls=1)


def checkpoint_of(name: str) -> tuple[str, str]:
    """Return namespace and id of a checkpoint's name."""
    ns, _, checkpoint_id = name.partition(NUL)
    return ns, checkpoint_id


def blobs(ns: str, versions: Mapping[str, object]) -> dict[str, str]:
    """Name each channel's value at its version; return the channels by these names. Raises ValueError."""
    named = {f"{ns}{NUL}{channel}{NUL}{version}": channel for channel, version in versions.items()}
    _bare("".join(named), nuls=2 * len(named))
    return named


def channel_of(blob_name: str) -> str:
    """Return the channel in a blob's name."""
    return blob_name.split(NUL)[1]


def write(ns: str, checkpoint_id: str, task_id: str, idx: int) -> str:
    """Name a task's write; LangGraph's special writes have an `idx` below 0. Raises ValueError."""
    return _bare(f"{ns}{NUL}{checkpoint_id}{NUL}{task_id}{NUL}{idx}", nuls=3)


def write_of(name: str) -> tuple[str, int]:
    """Return task id and index of a write's name."""
    _, task_id, idx = name.rsplit(NUL, 2)
    return task_id, int(idx)


def _bare(named: str, nuls: int) -> str:
    if named.count(NUL) != nuls:
        raise ValueError("a namespace, a channel, an id or a version must not hold a NUL")
    return named

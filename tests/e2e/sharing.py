"""One stack for all processes of a test run: who wants it first starts it, and ends it in the end."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO


@dataclass(frozen=True, slots=True)
class UpStack:
    """A running `exaim up`."""

    api_url: str
    redis_url: str
    run_dir: Path
    sent_dir: Path
    pids: dict[str, int]
    pid: int
    engines_socket: Path


Starter = Callable[[Path], AbstractContextManager[UpStack]]


@contextmanager
def shared_stack(folder: Path, start: Starter) -> Iterator[UpStack]:
    """Yield the stack that is noted in `folder`, or start one there.

    Who started it waits at the end until no other process uses it. All of them hold a lock on `users`, which
    the kernel takes from a process that dies.
    """
    folder.mkdir(exist_ok=True)
    note = folder / "running.json"
    with (folder / "users").open("w") as users, ExitStack() as owned:
        with _alone(folder / "starting"):
            fcntl.flock(users, fcntl.LOCK_SH)  # waits while one that nobody used is being ended
            if note.exists():
                running = _read(note)
            else:
                running = owned.enter_context(start(folder))
                note.write_text(json.dumps(asdict(running), default=str), encoding="utf-8")
                owned.callback(_until_unused, users, note)
        yield running


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _until_unused(users: TextIO, note: Path) -> None:
    fcntl.flock(users, fcntl.LOCK_EX)
    note.unlink()


def _read(note: Path) -> UpStack:
    found = json.loads(note.read_text(encoding="utf-8"))
    paths = {name: Path(found[name]) for name in ("run_dir", "sent_dir", "engines_socket")}
    return UpStack(**{**found, **paths})

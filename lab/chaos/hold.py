"""The running stack's processes, to be killed, stopped and let go on. Linux: reads /proc."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass, field
from pathlib import Path

from app.recording import recordings


class NoSuchProcess(Exception):
    """The part to be hit is not there; the message names it."""


@dataclass(slots=True)
class Hold:
    """Finds parts by the stack's own note, which is written anew at each restart.

    A session's job is the process that has a recording of the session open (`EXAIM_RECORD_DIR`), so that no
    knowledge of how the worker starts its jobs is needed.
    """

    run_dir: Path
    record_dir: Path
    hit: set[int] = field(default_factory=set)  # stopped, or killed and perhaps not reaped yet

    def pid(self, part: str) -> int:
        """Return the pid of a part now. Raises: NoSuchProcess."""
        try:
            noted = json.loads((self.run_dir / "stack.json").read_text(encoding="utf-8"))
            pid = int(noted["pids"][part])
        except (OSError, ValueError, KeyError):
            raise NoSuchProcess(f"the stack's note names no {part}") from None
        if pid in self.hit or not alive(pid):
            raise NoSuchProcess(f"{part} is not running")
        return pid

    def supervisor(self) -> int:
        """Return the pid of `exaim up` itself. Raises: NoSuchProcess."""
        try:
            noted = json.loads((self.run_dir / "stack.json").read_text(encoding="utf-8"))
            pid = int(noted["pid"])
        except (OSError, ValueError, KeyError):
            raise NoSuchProcess("the stack's note names no exaim up") from None
        if not alive(pid):
            raise NoSuchProcess("exaim up is not running")
        return pid

    def up(self) -> bool:
        """Return whether `exaim up` itself is running."""
        try:
            return bool(self.supervisor())
        except NoSuchProcess:
            return False

    def job(self, session_id: str) -> int:
        """Return the pid of the process that is a session's voice. Raises: NoSuchProcess."""
        wanted = {str(path.resolve()) for path in recordings(self.record_dir, session_id)}
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) not in self.hit and _has_open(folder, wanted):
                return int(folder.name)
        raise NoSuchProcess(f"no process speaks for {session_id}")

    def send(self, pid: int, number: signal.Signals) -> None:
        """Send a signal. Raises: NoSuchProcess: it has ended."""
        if number in (signal.SIGKILL, signal.SIGSTOP):
            self.hit.add(pid)
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            raise NoSuchProcess(f"process {pid} has ended") from None
        if number is signal.SIGCONT:
            self.hit.discard(pid)


def alive(pid: int) -> bool:
    """Return whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _has_open(folder: Path, wanted: set[str]) -> bool:
    try:
        return any(os.readlink(each) in wanted for each in (folder / "fd").iterdir())
    except OSError:  # it ended meanwhile, or is somebody else's
        return False

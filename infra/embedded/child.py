"""A process that does not outlive the one that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_TETHER: Final = Path(__file__).with_name("tether.py")
_POLL_S = 0.02
_REAP_S = 5.0  # a killed process is gone in milliseconds; longer means stuck in the kernel


@dataclass(frozen=True, slots=True)
class Child:
    """A started process, leader of its own process group, with its output in `log`."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        """The process (the program itself: the tether became it)."""
        return self.process.pid

    def exit_status(self) -> int | None:
        """Return None while it runs, else its exit code; -N if signal N ended it."""
        return self.process.poll()

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the process; a process that has ended is left alone."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def kill_group(self) -> None:
        """End the process and all that it started in its group, at once, and reap it."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            pass
        self.process.wait(timeout=_REAP_S)

    def stop(self, grace_s: float = 3.0) -> None:
        """Ask it to stop, wait up to `grace_s`, then end what is left. Blocks; idempotent."""
        self.ask_to_stop()
        until_s = time.monotonic() + grace_s
        while self.exit_status() is None and time.monotonic() < until_s:
            time.sleep(_POLL_S)
        self.kill_group()

    def last_words(self, lines: int = 8) -> str:
        """Return the end of its log, for a message that says why it died."""
        return last_words(self.log, lines)


def last_words(log: Path, lines: int = 8) -> str:
    """Return the end of a log, or an empty text: it can't be read."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def spawn(
    name: str,
    argv: Sequence[str | Path],
    *,
    environ: Mapping[str, str],
    log: Path,
    stdin: int = subprocess.DEVNULL,
) -> Child:
    """Start `argv`, tied to this process, with stdout and stderr into `log` (made anew, 0600), always at its end.

    Call it from the main thread: the tie is to the thread that starts it. A program that can't be
    run shows as exit status 127.
    """
    command = [sys.executable, "-I", "-S", str(_TETHER), str(os.getpid()), *map(str, argv)]
    log.unlink(missing_ok=True)
    made = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "wb") as output:
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environ),
            start_new_session=True,
        )
    return Child(name, process, log)

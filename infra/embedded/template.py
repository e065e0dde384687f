"""Run a template process: it loads what others need, which are forked from it to share memory. Linux.

A fork is there in some ten milliseconds, with all loaded. The template itself does nothing but wait. If it
dies, the kernel ends its forks with it; `start` then starts another.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
import socket
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from infra.embedded.child import Child, last_words, spawn
from infra.embedded.forking import ORDER_BYTES, ForkOrder

_REAP_S: Final = 5.0
_ENDS_S: Final = 0.02  # a look at who has ended, while one that was killed is waited for


class CantFork(OSError):
    """The template could not make a process; the message says why."""


@dataclass(frozen=True, slots=True)
class Forked:
    """A fork of the template, leader of its own process group, with its output in `log`. As `Child`."""

    name: str
    pid: int
    log: Path
    template: Template

    def exit_status(self) -> int | None:
        """Return None while it runs, else its exit code; -N if signal N ended it."""
        return self.template.status(self.pid)

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the process; a process that has ended is left alone."""
        if self.exit_status() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def kill_group(self) -> None:
        """End the process and all that it started in its group, at once."""
        if self.exit_status() is None:  # it may not lead its group yet
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        until_s = time.monotonic() + _REAP_S
        while self.exit_status() is None and time.monotonic() < until_s:
            self.template.wait(_ENDS_S)

    def last_words(self, lines: int = 8) -> str:
        """Return the end of its log, for a message that says why it died."""
        return last_words(self.log, lines)


class Template:
    """Starts the template process, and processes from it. For one event loop, and its thread."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], log: Path) -> None:
        """`argv` is a program that takes its orders on stdin: `infra.embedded.forking`."""
        self._argv, self._environ, self._log = tuple(argv), dict(environ), log
        self._child: Child | None = None
        self._control: socket.socket | None = None
        self._asked: deque[asyncio.Future[int]] = deque()
        self._living: set[int] = set()
        self._ended: dict[int, int] = {}

    @property
    def pid(self) -> int | None:
        """The template's, while it lives."""
        return None if self._child is None else self._child.pid

    def begin(self) -> None:
        """Start the template if none lives; it loads meanwhile. Raises: OSError."""
        if self._child is not None:
            return
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            ours.setblocking(False)
            self._child = spawn(
                "template", self._argv, environ=self._environ, log=self._log, stdin=its.fileno()
            )
        except OSError:
            ours.close()
            raise
        finally:
            its.close()
        self._control = ours
        asyncio.get_running_loop().add_reader(ours, self._read)

    async def start(
        self, name: str, module: str, options: Sequence[str], *, environ: Mapping[str, str], log: Path
    ) -> Forked:
        """Fork a process that runs a module's `run()`, with stdout and stderr into `log` (made anew, 0600).

        Waits until the template has loaded. Raises: CantFork.
        """
        self.begin()
        log.unlink(missing_ok=True)
        os.close(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        order = ForkOrder(name, module, tuple(options), dict(environ), str(log))
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        assert self._control is not None
        self._control.send(json.dumps(asdict(order)).encode())
        self._asked.append(answer)
        return Forked(name, await answer, log, self)

    def status(self, pid: int) -> int | None:
        """Return a fork's exit code, or None while it runs."""
        return self._ended.get(pid)

    def wait(self, within_s: float) -> None:
        """Wait for news of who has ended. Blocks, `within_s` at most."""
        if self._control is not None and select.select([self._control], [], [], within_s)[0]:
            self._read()

    def end(self) -> None:
        """End the template, and so what is left of its forks. Idempotent."""
        if self._child is not None:
            self._child.kill_group()
            self._gone()

    def _read(self) -> None:
        while self._control is not None:
            try:
                message = self._control.recv(ORDER_BYTES)
            except BlockingIOError:
                return
            except ConnectionError:
                message = b""
            if message:
                self._told(json.loads(message))
            else:
                self._gone()

    def _told(self, news: Mapping[str, Any]) -> None:
        if "ended" in news:
            self._living.discard(news["ended"])
            self._ended[news["ended"]] = news["status"]
            return
        answer = self._asked.popleft()
        if "error" in news:
            if not answer.done():
                answer.set_exception(CantFork(news["error"]))
            return
        self._living.add(news["pid"])
        self._ended.pop(news["pid"], None)  # an id that the kernel gave again
        if answer.done():  # whoever asked has given up
            os.kill(news["pid"], signal.SIGKILL)
        else:
            answer.set_result(news["pid"])

    def _gone(self) -> None:
        """The template is dead, and all its forks with it."""
        assert self._child is not None
        assert self._control is not None
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        self._child.kill_group()
        self._ended |= dict.fromkeys(self._living, -int(signal.SIGKILL))
        words = self._child.last_words()
        self._child = self._control = None
        self._living.clear()
        while self._asked:
            answer = self._asked.popleft()
            if not answer.done():
                answer.set_exception(CantFork(f"the template ended. Its log, {self._log}, ends:\n{words}"))

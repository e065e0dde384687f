"""Runs `python -m module` as a fork of a process that has imported it already: to import takes longer than to run.

One such process a test process, which the session's fixture `forks` ends: itself a fork of the tests' template, where
there is one (tests/workers.py). Each fork has a keeper, a small fork too, which waits for it and tells how it ended.
Linux.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

from infra.embedded.forking import tie
from tests import workers

ROOT: Final = Path(__file__).resolve().parent.parent
_ORDER_BYTES: Final = 1 << 20
_SERVE: Final = (
    "import os, socket; from tests import forks; os.setpgid(0, 0); forks.serve(socket.socket(fileno=0))"
)


class Fork:
    """One that was started. What it writes can be read from `output`, unless it was to write where we do."""

    def __init__(self, news: int, output: int | None) -> None:
        self._news, self._told = news, b""
        self.output = output

    @property
    def pid(self) -> int:
        """Its id; waits until it has been forked."""
        while b"\n" not in self._told:
            self._read()
        return int(self._told.split(b"\n", 1)[0])

    @property
    def returncode(self) -> int | None:
        """How it ended, -N by signal N; None while it runs."""
        while select.select([self._news], [], [], 0)[0] and self._read():
            pass
        lines = self._told.split(b"\n")
        return int(lines[1]) if len(lines) > 2 else None

    def send(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):  # it has ended, and the word of that is on its way
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send(signal.SIGKILL)

    def wait(self) -> int:
        """Wait until it has ended. Blocks; the test's time-out holds."""
        while (code := self.returncode) is None:
            select.select([self._news], [], [])
        return code

    async def ended(self) -> int:
        """Wait until it has ended; return how."""
        loop, news = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._news, news.set)
        try:
            while (code := self.returncode) is None:
                news.clear()
                await news.wait()
        finally:
            loop.remove_reader(self._news)
        return code

    async def reader(self) -> asyncio.StreamReader:
        """Return what reads its output, line by line. To be asked for once."""
        assert self.output is not None
        reader = asyncio.StreamReader()
        file, self.output = os.fdopen(self.output, "rb"), None
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
        return reader

    def said(self) -> str:
        """Return all that it writes until it has ended. Blocks."""
        assert self.output is not None
        with os.fdopen(self.output, "rb") as file:
            self.output = None
            return file.read().decode()

    def close(self) -> None:
        """End it, if it runs, and let its pipes go."""
        self.kill()
        self.wait()
        for fd in (self._news, self.output):
            if fd is not None:
                os.close(fd)

    def _read(self) -> bool:
        found = os.read(self._news, 100)
        assert found or b"\n" in self._told, "nothing could be forked"
        if not found and self._told.count(b"\n") == 1:  # its keeper is dead, and it with it
            found = b"-9\n"
        self._told += found
        return bool(found)


class Forks:
    """The process that is forked; it is started by the first order, and imports what an order names."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._forked: socket.socket | None = None
        self._control: socket.socket | None = None

    def start(
        self,
        module: str,
        *options: str,
        environ: Mapping[str, str],
        cwd: Path = ROOT,
        piped: bool = True,
        loaded: Sequence[str] = (),
    ) -> Fork:
        """Run a module with `options` as `python -m` would.

        `piped`: what it writes is read by us; `loaded`: modules that it would load later, and finds loaded.
        """
        if self._control is None:
            self._control = self._begin()
        news, tell = os.pipe()
        output, write = os.pipe() if piped else (None, os.dup(1))
        order = {"module": module, "options": options, "environ": dict(environ), "cwd": str(cwd)}
        order["loaded"] = list(loaded)
        socket.send_fds(self._control, [json.dumps(order).encode()], [tell, write])
        os.close(tell)
        os.close(write)
        return Fork(news, output)

    def end(self) -> None:
        """End the process, and so what is left of its forks."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.wait()
        if self._forked is not None:
            self._forked.recv(1)
            self._forked.close()

    def _begin(self) -> socket.socket:
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            self._forked = workers.fork(os.environ.get(workers.TEMPLATE, ""), _SERVE, (its.fileno(), 1, 2))
            if self._forked is not None:
                return ours
            self._process = subprocess.Popen(
                (sys.executable, "-m", "tests.forks"),
                cwd=ROOT,
                env={
                    **os.environ,
                    "OPENBLAS_NUM_THREADS": "1",
                },  # a fork has none of the threads of its parent
                stdin=its.fileno(),
                process_group=0,
            )
        return ours


def serve(control: socket.socket) -> NoReturn:
    """Fork for each order, until nobody gives any."""
    while True:
        message, fds, _, _ = socket.recv_fds(control, _ORDER_BYTES, 2)
        _reap()
        if not message:
            os._exit(0)
        order = json.loads(message)
        for module in (order["module"], *order["loaded"]):
            import_module(module)
        gc.freeze()
        parent = os.getpid()
        if os.fork() == 0:
            tell, write = fds
            _keep(order, tell, write, parent, control)
        for fd in fds:
            os.close(fd)


def _reap() -> None:
    """Let the keepers go whose work is done."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _keep(order: Mapping[str, Any], tell: int, write: int, parent: int, control: socket.socket) -> NoReturn:
    """Fork once more, and tell who it is and how it ended."""
    control.close()
    tie(parent)
    keeper = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(tell)
        tie(keeper)
        _become(order, write)
    os.close(write)
    os.write(tell, b"%d\n" % pid)
    os.write(tell, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os._exit(0)


def _become(order: Mapping[str, Any], write: int) -> NoReturn:
    """Be what was ordered; never return."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for fd in (1, 2):
        os.dup2(write, fd)
    os.close(write)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["environ"])
    sys.argv = [order["module"], *order["options"]]
    faulthandler.enable()
    del sys.modules[order["module"]]  # as with `python -m`, the program is not the module of that name
    code: Any = 0
    try:
        runpy.run_module(order["module"], run_name="__main__", alter_sys=True)
    except SystemExit as ending:
        code = ending.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    serve(socket.socket(fileno=0))

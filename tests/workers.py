"""pytest-xdist's processes as forks of one that has imported the tests: to import them is what each would begin with.

The controller starts that template with its own command line. It collects, and so imports, and forks for each process
that asks. Who asks is this file as a program, which execnet starts in the place of an interpreter: it hands its pipes
on, and waits. Where no template answers, it becomes that interpreter, and imports for itself. Linux.
"""

from __future__ import annotations

import atexit
import gc
import os
import secrets
import shlex
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    import execnet
    import pytest

TEMPLATE: Final = "EXAIM_TESTS_TEMPLATE"
"""By this its forks know the template, in their environment: they may have others forked."""
_LINE_BYTES: Final = 1 << 16
_PIPES: Final = 3
ANSWERS_WITHIN_S: Final = 300.0
"""Until the template has collected and forked: some 20 s on a quiet machine."""
ENDS_WITHIN_S: Final = 10.0
"""From the template's SIGTERM to its end; a busy machine needs a part of a second."""


# --- the controller's side


class Template:
    """The process that is forked, as long as the controller needs it."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.name = f"exaim-tests-{os.getpid()}-{secrets.token_hex(8)}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
            asked.bind(f"\0{self.name}")
            asked.listen()  # who asks early waits; once the template is dead, who asks is told so
            self._process = subprocess.Popen(
                (sys.executable, "-m", "tests.workers", self.name, *arguments),
                stdin=asked.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def command(self) -> str:
        """Return what execnet runs for a process, in its spelling."""
        return shlex.join((sys.executable, "-S", "-E", __file__, self.name))

    def end(self) -> None:
        """End it, and so what is left of its forks. It waits for each: what they took is in the run's sum."""
        self._process.terminate()
        try:
            self._process.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def fork_from_template(config: pytest.Config, specs: Sequence[execnet.XSpec]) -> None:
    """Start the template where more than one process would import the same, and have them ask it."""
    ours = [spec for spec in specs if spec.popen and not spec.python]
    if sys.platform == "linux" and len(ours) > 1:
        template = Template(config.invocation_params.args)
        config.add_cleanup(template.end)  # xdist has ended its processes by then
        for spec in ours:
            spec.python = template.command()


# --- the template


def collect_and_serve(name: str, asked: socket.socket, arguments: Sequence[str]) -> NoReturn:
    """Import what these arguments of pytest name, then fork for each that asks."""
    import pytest

    from infra.embedded.forking import tie

    tie(os.getppid())
    template = os.getpid()
    quiet = ("-n", "0", "--collect-only", "-qq", "--capture", "no", "-p", "no:cacheprovider")
    pytest.main([*arguments, *quiet])
    os.environ[TEMPLATE] = name
    _compile_for_all()
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    forks: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: _leave(forks))
    while True:
        client, _ = asked.accept()
        line, pipes, _, _ = socket.recv_fds(client, _LINE_BYTES, _PIPES)
        if len(pipes) == _PIPES:
            pid = os.fork()
            if pid == 0:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                asked.close()
                tie(template)
                client.send(b"1")
                _work(line.decode(), pipes)
            forks.append(pid)
        for fd in pipes:
            os.close(fd)
        client.close()


def _compile_for_all() -> None:
    """Compile what the engine leaves for its first use, if a test has imported it: each fork would do it anew."""
    if patterns := sys.modules.get("exaim_core.text.patterns"):
        patterns.compile_all()


def _leave(forks: Sequence[int]) -> NoReturn:
    for pid in forks:  # none is waited for before, so each id is still its own
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    os._exit(0)


def _work(line: str, pipes: Sequence[int]) -> NoReturn:
    """Be the interpreter that execnet wanted, with all that is imported. `client` stays open until its end."""
    for number, fd in enumerate(pipes):
        os.dup2(fd, number)
        os.close(fd)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(0, "r", closefd=False),
        os.fdopen(1, "w", closefd=False),
        os.fdopen(2, "w", closefd=False, buffering=1),
    )
    sys.argv = ["-c"]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        exec(line, {"__name__": "__main__"})
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(0)


# --- who asks


def fork(name: str, line: str, pipes: Sequence[int]) -> socket.socket | None:
    """Have the template of that name fork, and run a line of Python with these as stdin, stdout and stderr.

    Returns what reads as ended once the fork has; None: there is no template. Raises: TimeoutError: it hangs.
    """
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.settimeout(ANSWERS_WITHIN_S)
    try:
        client.connect(f"\0{name}")
        socket.send_fds(client, [line.encode()], pipes)
        if client.recv(1) == b"1":
            client.settimeout(None)
            return client
    except TimeoutError:  # whoever took its place would share its pipes once it goes on
        raise TimeoutError("the process that has imported the tests does not answer") from None
    except OSError:
        pass
    client.close()
    return None


def ask(name: str, interpreter: Sequence[str]) -> None:
    """Have a fork do what an interpreter with these options would, and wait for its end; or become it."""
    forked = fork(name, interpreter[-1], range(_PIPES))
    if forked is None:
        os.execv(sys.executable, [sys.executable, *interpreter])
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in range(_PIPES):
        os.dup2(nowhere, fd)  # so that the fork's end is the end of its pipes
    forked.recv(1)


if __name__ == "__main__":
    if __spec__ is None:
        ask(sys.argv[1], sys.argv[2:])
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the controller ends it
        waiting = socket.socket(fileno=os.dup(0))
        os.dup2(1, 0)
        collect_and_serve(sys.argv[1], waiting, sys.argv[2:])

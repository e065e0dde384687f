"""The template's side of forking: take orders, fork a process for each, tell who has ended. Linux.

One message a datagram on a Unix socket (SEQPACKET), JSON both ways:

    {"name": …, "module": …, "options": […], "environ": {…}, "log": …}   →   {"pid": n} or {"error": "…"}, in turn
    {"ended": pid, "status": code}, when a fork has ended; -N: signal N ended it

At the socket's end whoever gave the orders is gone: the template ends, and the kernel ends its forks.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, NoReturn

ORDER_BYTES: Final = 1 << 20
_PR_SET_PDEATHSIG: Final = 1  # <linux/prctl.h>
_PR_SET_NAME: Final = 15
_PARENT_GONE: Final = 127


@dataclass(frozen=True, slots=True)
class ForkOrder:
    """What a fork is to become: `run()` of a module, as a process of its own group with its own log."""

    name: str
    module: str
    options: tuple[str, ...]
    environ: dict[str, str]
    log: str


def serve(control: socket.socket, before: Callable[[], None] = lambda: None) -> NoReturn:
    """Take orders until the socket's end; call it where no thread of this process is needed by a fork.

    `before` is called in each fork first.
    """
    template = os.getpid()
    awake, wake = _wake_pipe()
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        selector.register(awake, selectors.EVENT_READ)
        while True:
            if any(key.fileobj == awake for key, _ in selector.select()):
                os.read(awake, ORDER_BYTES)
                _tell_ended(control)
            order = _next(control)
            if order is None:
                continue
            try:
                pid = os.fork()
            except OSError as error:
                _tell(control, {"error": error.strerror or type(error).__name__})
                continue
            if pid == 0:
                for fd in (awake, wake):
                    os.close(fd)
                control.close()
                selector.close()
                before()
                _leave(_become(order, template))
            _tell(control, {"pid": pid})


def _wake_pipe() -> tuple[int, int]:
    """Have SIGCHLD wake the selector."""
    awake, wake = os.pipe()
    os.set_blocking(awake, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    return awake, wake


def _next(control: socket.socket) -> ForkOrder | None:
    """Return the next order, or None: there is none yet. Ends the process at the socket's end."""
    try:
        message = control.recv(ORDER_BYTES, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return None
    except ConnectionError:
        message = b""
    if not message:
        os._exit(0)
    order: dict[str, Any] = json.loads(message)
    return ForkOrder(**{**order, "options": tuple(order["options"])})


def _tell_ended(control: socket.socket) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _tell(control, {"ended": pid, "status": os.waitstatus_to_exitcode(status)})


def _tell(control: socket.socket, message: dict[str, Any]) -> None:
    try:
        control.send(json.dumps(message).encode())
    except ConnectionError:
        os._exit(0)


def _become(order: ForkOrder, template: int) -> int:
    """Be what was ordered; return its exit code."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    tie(template)
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_NAME, order.name.encode()[:15])
    log = os.open(order.log, os.O_WRONLY | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    os.environ.clear()
    os.environ.update(order.environ)
    sys.argv = [order.module, *order.options]
    try:
        return int(import_module(order.module).run() or 0)
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1


def tie(parent: int) -> None:
    """Have the kernel end this process when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before we could ask
        os._exit(_PARENT_GONE)


def _leave(code: int) -> NoReturn:
    """End without the C libraries' own last acts: they would wait for threads that the template had."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

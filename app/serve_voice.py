"""The voice worker's process: `python -m app.serve_voice`, or a fork of `app.preloaded`.

Jobs' processes are forks of one process that has all loaded (multiprocessing's fork server). Of a worker that is a
fork itself that process is one more: nothing is loaded again, and what is loaded is in memory once. Else it is
started here, and left alone the framework would start it after this process has loaded its own half; started first,
the two load side by side on two cores. A job's process imports this module again, so it imports little.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from multiprocessing import connection, forkserver, get_all_start_methods
from typing import Any, Final

from app.process import run_until_signalled, settings_or_exit

PRELOADED: Final = ("app.voice", "app.compiled", "numpy", "redis.asyncio", "livekit.rtc")
"""What a job needs: loaded once, shared by all jobs."""

BLOCKED_LOOP: Final = "LIVEKIT_AGENTS_LOOP_BLOCK_WARN_MS"
"""The framework's watch over a blocked loop: a hundred wake-ups a second in each job, those that wait for a
session too. Off unless somebody sets it: the track's own log says for how long it was starved."""

FRAMEWORKS: Final = ("livekit.agents.ipc._preload", "livekit.agents.ipc._preload_freeze")
"""The framework's own, in its order; it gives them to a fork server that it starts itself. The second comes
last: it spares the garbage collector's marks on shared pages. Names that are gone are passed over."""


def start_template() -> None:
    """Start the template process, and return while it loads."""
    if "forkserver" in get_all_start_methods():
        forkserver.set_forkserver_preload([*PRELOADED, *FRAMEWORKS])
        forkserver.ensure_running()


def fork_template() -> None:
    """Have multiprocessing's fork server be a fork of this process, which has no thread and all loaded.

    It would start a Python of its own, that loads all of it once more; there is no public way to hand it one.
    """
    server: Any = forkserver._forkserver  # what is set of it below is private
    with socket.socket(socket.AF_UNIX) as listener:
        address = connection.arbitrary_address("AF_UNIX")  # type: ignore[attr-defined]
        listener.bind(address)
        os.chmod(address, 0o600)
        listener.listen()
        stays, alive = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(alive)
            logging.getLogger().handlers.clear()  # a job's lines reach the log by the worker, which has them twice else
            forkserver.main(listener.detach(), stays, [])
        os.close(stays)
    server._forkserver_address, server._forkserver_alive_fd, server._forkserver_pid = address, alive, pid


def run() -> None:
    """Be the worker until a signal."""
    settings = settings_or_exit()
    os.environ["LIVEKIT_AGENTS_PRELOAD_LOCAL_INFERENCE"] = "0"  # 250 MB of models that we have no use for
    os.environ.setdefault(BLOCKED_LOOP, "0")
    if "app.worker" in sys.modules:  # a fork of the template
        fork_template()
    else:
        start_template()
    from app.worker import main  # after the template's start: this takes as long as the template's loading

    run_until_signalled(main(settings))


if __name__ == "__main__":
    run()

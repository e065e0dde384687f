"""The voice worker's process: `python -m app.serve_voice`.

Jobs' processes are forks of one template process (multiprocessing's fork server). Left alone, the framework
starts it after this process has loaded its own half; started first, the two load side by side on two cores,
and a worker that was killed is back sooner. A job's process imports this module again, so it imports little.
"""

from __future__ import annotations

import os
import time
from multiprocessing import forkserver, get_all_start_methods
from pathlib import Path
from typing import Final

from app.process import run_until_signalled, settings_or_exit
from app.restarts import GO_FILE, GO_LOOK_S

PRELOADED: Final = ("app.voice", "numpy", "redis.asyncio", "livekit.rtc")
"""What a job needs: loaded once, shared by all jobs."""

BLOCKED_LOOP: Final = "LIVEKIT_AGENTS_LOOP_BLOCK_WARN_MS"
"""The framework's watch over a blocked loop: a hundred wake-ups a second in each job, those that wait for a
session too. Off unless somebody sets it: the track's own log says for how long it was starved."""

FRAMEWORKS: Final = ("livekit.agents.ipc._preload", "livekit.agents.ipc._preload_freeze")
"""The framework's own, in its order; it gives them to a fork server that it starts itself. The second comes
last: it spares the garbage collector's marks on shared pages. Names that are gone are passed over."""


def start_template() -> None:
    """Start the template process, and return while it loads."""
    os.environ["LIVEKIT_AGENTS_PRELOAD_LOCAL_INFERENCE"] = "0"  # 250 MB of models that we have no use for
    os.environ.setdefault(BLOCKED_LOOP, "0")
    if "forkserver" in get_all_start_methods():
        forkserver.set_forkserver_preload([*PRELOADED, *FRAMEWORKS])
        forkserver.ensure_running()


def run() -> None:
    """Be the worker until a signal; a spare loads all of it, and begins when it is told to."""
    settings = settings_or_exit()
    go = os.environ.get(GO_FILE)
    if not go:
        start_template()
    from app.worker import main  # after the template's start: this takes as long as the template's loading

    if go:  # one after the other: nobody waits for a spare, and the other core is somebody's
        start_template()
        while not Path(go).exists():
            time.sleep(GO_LOOK_S)
    run_until_signalled(main(settings))


if __name__ == "__main__":
    run()

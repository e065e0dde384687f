"""The template of our processes: `python -m app.preloaded [options of app.engines]`.

It loads what engines, worker, a session's voice, reasoner and teams need, then waits, and is forked for each of
them (`infra.embedded.forking`). What is loaded here is in memory once, and a part that died is back without
loading. It runs nothing, opens no connection and reads no secret. What a fork could not use is left to the forks:
the SDK's runtime and CTranslate2, whose threads would be missing there. The libraries are told to make none
(`SINGLE`): Moonshine then takes half of the processor time for a turn, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import mmap
import socket
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Final

from infra.embedded.forking import serve

SINGLE: Final = {"OPENBLAS_NUM_THREADS": "1", "MOONSHINE_ORT_SINGLE_THREAD": "1"}

ENVIRON: Final = {**SINGLE, "PYTHONUNBUFFERED": "1", "LIVEKIT_AGENTS_PRELOAD_LOCAL_INFERENCE": "0"}
"""The template's own: its output is its forks' at first; of the framework's models (250 MB) none is of use here."""

MODULES: Final = (
    "app.serve_voice",
    "app.worker",
    "app.voice",
    "livekit.agents.ipc._preload",  # the framework's own: what its jobs load first
    "app.reasoner",
    "app.our_teams",
    "app.compiled",  # the last: what it compiles is of those before it
)


def load(options: list[str]) -> None:
    """Load everything; the engines' models in a thread beside the modules, which are mostly Python."""
    from app import engines

    models = threading.Thread(target=engines.load_ahead, args=(options,), name="models")
    models.start()
    for module in MODULES:
        import_module(module)
    from agents import dialogue
    from realtime.ears.silero import SileroVad

    SileroVad()
    dialogue.warm()
    models.join()
    engines.give_back()
    let_go_of_files()
    gc.freeze()  # a collection in a fork would write to what is shared


def let_go_of_files() -> None:
    """Drop the pages of files that loading has read: code, and models whose weights were copied.

    The template waits, and needs none of them. The system's cache has them for whoever does. Writable mappings and
    the data of libraries stay, as dropping their pages would undo what was written to them. Without Linux's list of
    mappings nothing is done.
    """
    with contextlib.suppress(OSError, AttributeError):
        advise = ctypes.CDLL(None).madvise
        for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
            place, mode, _, _, _, *file = line.split(maxsplit=5)
            if file and file[0].startswith("/") and (mode == "r-xp" or _is_model(mode, file[0])):
                start, end = (int(each, 16) for each in place.split("-"))
                advise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_DONTNEED)


def _is_model(mode: str, file: str) -> bool:
    return mode == "r--p" and file.endswith(".ort")


def main() -> None:
    """Load, then serve the orders that come on stdin."""
    gc.disable()  # what is loaded stays
    load(sys.argv[1:])
    control = socket.socket(fileno=0)
    serve(control, gc.enable)


if __name__ == "__main__":
    main()

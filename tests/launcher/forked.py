"""A template that has nothing loaded, for tests: its forks are scripted processes."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Final

from infra.embedded.forking import serve
from infra.embedded.template import Template
from tests.launcher.processes import SCRIPT

ROOT: Final = Path(__file__).resolve().parents[2]
NAME: Final = "tests.launcher.forked"


def template(folder: Path, *, command: tuple[str, ...] = (sys.executable, "-m", NAME)) -> Template:
    """Return a template that was not begun yet, with its log in `folder`."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "lib")))
    return Template(command, {**os.environ, "PYTHONPATH": path}, folder / "template.log")


def run() -> None:
    """Do what the options say, as `scripted` does."""
    exec(SCRIPT, {})


if __name__ == "__main__":
    serve(socket.socket(fileno=0))

"""Sets up everything on a fresh machine, then starts it or tests it. Runs on the system's Python.

    python3 tools/bootstrap.py COMMAND [arguments for it]
    COMMAND: setup | run | demo | bench | chaos | evaluate | test | check | live-check | lock

Every step is done once and again only when what it depends on changes; independent steps run side by side.
Exit codes of the set-up: tools/facts.py (50 wrong Python, 51 no Go, 52 no Node, 53 no network, 54 a step
failed, 55 no browser under CI, 56 a check failed, 130 stopped); after it, those of `exaim up --help`.

This file is written so that an older Python can read it and say what is missing.
"""

from __future__ import annotations

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FITTING = ("python3.13", "python3.12", "python3.11")
FROM, BELOW = (3, 11), (3, 14)  # pocketsphinx and others have no wheels for 3.14 yet
HANDED_ON = "EXAIM_PYTHON_CHOSEN"


def python_fits(version: tuple[int, ...]) -> bool:
    """Return whether the locks hold for this Python."""
    return FROM <= version[:2] < BELOW


def choose_python() -> None:
    """Go on with this Python if it fits, else become one on PATH that does, else say what is missing."""
    if python_fits(sys.version_info[:2]):
        return
    for name in () if os.environ.get(HANDED_ON) else FITTING:
        try:
            if subprocess.call([name, "-c", "import venv, ensurepip"], stderr=subprocess.DEVNULL) == 0:
                os.environ[HANDED_ON] = name
                os.execvp(name, [name] + sys.argv)  # noqa: RUF005 - for an older Python
        except OSError:
            continue
    sys.stderr.write(
        "This is Python %d.%d, and EXAIM Voice runs on 3.11, 3.12 and 3.13.\n"  # noqa: UP031
        "  mend: install one of them, or name one: make run PYTHON=/path/to/python3.12\n"
        % sys.version_info[:2]
    )
    sys.exit(50)


def main() -> int:
    """Do what the command line says; return the exit code."""
    choose_python()
    sys.path[0] = ROOT
    from tools.commands import perform

    return perform(sys.argv[1:], ROOT)


if __name__ == "__main__":
    sys.exit(main())

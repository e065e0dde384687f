"""What the command line writes."""

from __future__ import annotations

import sys

from app import exits


def say(line: str) -> None:
    """Write a line to standard output at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def complain(message: str, code: exits.Exit) -> int:
    """Write what is wrong to standard error; return the exit code as a number."""
    sys.stderr.write(f"\n{message}\n  exit code: {code.value} ({code.name})\n")
    return code.value

"""Write the command line's output."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from app import exits


def say(line: str) -> None:
    """Write a line to standard output at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextmanager
def without_log_of_calls() -> Iterator[None]:
    """Let no log line of a model's call on the screen: what comes of it is said there, once."""
    loggers = [logging.getLogger(name) for name in ("agents", "chat_models")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def complain(message: str, code: exits.Exit) -> int:
    """Write an error to standard error; return the exit code as a number."""
    sys.stderr.write(f"\n{message}\n  exit code: {code.value} ({code.name})\n")
    return code.value

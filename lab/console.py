"""How the laboratory's commands end: a measurement is run, and its result is the exit code."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, Never

import typer

from app.console import complain
from app.exits import Exit
from infra.settings import SettingsError


def finish(measuring: Coroutine[Any, Any, bool]) -> Never:
    """Run a measurement to its end and leave: with 0 if its aims were met, else with the code that says why not.

    Raises: typer.Exit, always.
    """
    from lab.demo.listener import ListenerError  # here: `exaim up` does not wait for these imports
    from lab.demo.stackproc import StackFailed

    try:
        met = asyncio.run(measuring)
    except SettingsError as error:
        raise typer.Exit(complain(str(error), Exit.SETTINGS)) from None
    except (StackFailed, ListenerError) as error:
        raise typer.Exit(complain(str(error), Exit.CHECK_FAILED)) from None
    raise typer.Exit(Exit.STOPPED if met else Exit.CHECK_FAILED)


def argument(command: str, what: str) -> str:
    """Return the one word behind `python -m command`; without it, leave with how it is used."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: python -m {command} {what}")
    return sys.argv[1]

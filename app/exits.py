"""The exit codes of `exaim`: one table, from which the help and the documentation are written."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class Exit(enum.IntEnum):
    """Why `exaim up` ended, with 0 to 26; the other commands end with 0, 2 or 30, `tries` with 0, 1 or 2."""

    STOPPED = 0
    SETTINGS = 2
    MISSING = 10
    PORT_IN_USE = 11
    NO_CASE = 12
    STORE = 13
    SFU = 14
    ALREADY_UP = 15
    NOT_READY = 16
    DATABASE = 17
    STORE_DIED = 20
    SFU_DIED = 21
    ENGINES_DIED = 22
    API_DIED = 23
    REASONER_DIED = 24
    WORKER_DIED = 25
    TEAMS_DIED = 26
    CHECK_FAILED = 30


MEANING: Final[Mapping[Exit, str]] = {
    Exit.STOPPED: "stopped as asked (Ctrl-C, SIGTERM), everything ended",
    Exit.SETTINGS: "an option or a variable can't be used",
    Exit.MISSING: "a part is not on this machine (server, page): `make setup`",
    Exit.PORT_IN_USE: "the page's port is taken: another `--port`",
    Exit.NO_CASE: "CASES names nothing that can be played",
    Exit.STORE: "the store at REDIS_URL can't be reached or used",
    Exit.SFU: "the SFU at LIVEKIT_URL can't be reached, or refuses the key",
    Exit.ALREADY_UP: "another `exaim up` uses this run folder",
    Exit.NOT_READY: "a part was not ready in time (the message names it)",
    Exit.DATABASE: "the database at DATABASE_URL can't be reached or used",
    Exit.STORE_DIED: "the embedded store died at start-up, or too often later",
    Exit.SFU_DIED: "the embedded livekit-server died at start-up, or too often later",
    Exit.ENGINES_DIED: "the engines process died at start-up, or too often later",
    Exit.API_DIED: "the API died at start-up, or too often later",
    Exit.REASONER_DIED: "the reasoner died at start-up, or too often later",
    Exit.WORKER_DIED: "the voice worker died at start-up, or too often later",
    Exit.TEAMS_DIED: "the process of the teams died at start-up, or too often later",
    Exit.CHECK_FAILED: (
        "of demo, bench, chaos, evaluate: a check failed, an aim was missed, no stack came up; "
        "of team: it broke off; of paper: the model made none; of mdagents: not all is done"
    ),
}


class CantStart(Exception):
    """`exaim up` can't go on; the message names the mend, `exit` is its exit code."""

    def __init__(self, exit_code: Exit, message: str) -> None:
        super().__init__(message)
        self.exit = exit_code


def table() -> str:
    """Return the exit codes as lines: code, name, meaning."""
    return "\n".join(f"{code.value:>3}  {code.name:<14} {meaning}" for code, meaning in MEANING.items())

"""Keep runs of `exaim team` resumable: the request in a file of this user, the rest in the store."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from agents.keys import state_folder
from agents.live import Opened
from agents.teams.budgets import Budget
from agents.teams.port import Inbox
from agents.teams.running import RunCheckpoints
from app.console import say
from app.launcher import socket_folder
from app.team_models import WantedModels
from app.team_request import TeamRequest
from app.unanswered_inbox import UnansweredInbox
from infra.answered_messages import answered_messages
from infra.checkpoints import RedisSaver
from infra.errors import StoreError
from infra.keys import SessionKeys
from infra.settings import Settings
from infra.store import check, connect

_RUN: Final = re.compile(r"s-[a-z2-7]{16}")
MOST_BYTES: Final = 64 * 1024


class NoSuchRun(Exception):
    """There is no run of that name that could be gone on with."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run's request, and the way to its session. It holds the team's token: the file is private."""

    asked: TeamRequest
    opened: Opened

    @property
    def name(self) -> str:
        """Return what it is gone on with by."""
        return self.opened.events_url.rstrip("/").split("/")[-2]


def keep(run: KeptRun, environ: Mapping[str, str] = os.environ) -> None:
    """Write a run (0600). Raises: OSError, RuntimeError."""
    path = _path(run.name, environ)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    asked = asdict(run.asked) | {"case": run.asked.case and str(run.asked.case.absolute())}
    opened = {name: getattr(run.opened, name) for name in ("events_url", "team_token", "page_url")}
    with os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump({"v": 1, "asked": asked, "opened": opened}, file)


def kept_run(name: str, environ: Mapping[str, str] = os.environ) -> KeptRun:
    """Return a run by its name. Raises: NoSuchRun."""
    try:
        with _path(name, environ).open(encoding="utf-8") as file:
            found: dict[str, Any] = json.loads(file.read(MOST_BYTES))
        asked = dict(found["asked"])
        wanted = WantedModels(**{**asked["wanted"], "role_models": tuple(asked["wanted"]["role_models"])})
        case = None if asked["case"] is None else Path(asked["case"])
        whole = TeamRequest(**{**asked, "case": case, "wanted": wanted, "budget": Budget(**asked["budget"])})
        return KeptRun(whole, Opened(**found["opened"]))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):
        message = (
            "there is no run of that name to go on with: it is over, or another user's, or another machine's"
        )
        raise NoSuchRun(message) from None


def drop(name: str, environ: Mapping[str, str] = os.environ) -> None:
    """Forget a run that is over."""
    try:
        _path(name, environ).unlink(missing_ok=True)
    except (OSError, RuntimeError):
        return


def store_url(settings: Settings) -> str | None:
    """Return where the store of the stack on this machine is; None: it can't be reached from here."""
    if settings.redis_url:
        return settings.redis_url
    socket = socket_folder(settings.run_dir.absolute()) / "store.sock"
    return f"unix://{socket}" if socket.exists() else None


class Keeping:
    """Keeps a run while it is made: its checkpoints in the stack's store, what was asked for in a file.

    Args:
        url: of the store; None: it can't be reached from here, and the run can't be gone on with.
        opened: the session of a run that is gone on with; None: it begins.
    """

    def __init__(
        self,
        asked: TeamRequest,
        url: str | None,
        opened: Opened | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._asked, self._url, self.opened, self._environ = asked, url, opened, environ

    @asynccontextmanager
    async def kept(
        self, opened: Opened, next_seq: int, inbox: Inbox
    ) -> AsyncIterator[tuple[RunCheckpoints | None, Inbox]]:
        """Yield where the run is kept, and its inbox without what it has answered; afterwards all is dropped.

        A process that is killed drops nothing. Raises: NoSuchRun: it is to go on, and the store is not here.
        """
        run = KeptRun(self._asked, opened)
        client = None if self._url is None else connect(self._url)
        there = client is not None
        try:
            if client is not None:
                try:
                    await check(client)
                except StoreError:
                    there = False
            if client is None or not there:
                if self.opened is not None:
                    raise NoSuchRun("the store of EXAIM Voice can't be reached from here, and it has the run")
                yield None, inbox
                return
            keep(run, self._environ)
            say(f"If it is cut off, it goes on by: exaim team --resume {run.name}")
            keys = SessionKeys(run.name, run.name)  # a session of `open_session` has a thread of its own
            kept = RunCheckpoints(RedisSaver(client), f"team-{run.name}", next_seq)
            known = (
                await answered_messages(client, keys, kept.said.read) if self.opened is not None else set()
            )
            try:
                yield kept, UnansweredInbox(inbox, known)
            finally:
                drop(run.name, self._environ)
                with suppress(StoreError):
                    await kept.saver.adelete_thread(kept.thread_id)
        finally:
            if client is not None:
                await client.aclose()


def _path(name: str, environ: Mapping[str, str]) -> Path:
    """Return where a run lies. Raises: ValueError: no run has such a name; RuntimeError."""
    if not _RUN.fullmatch(name):
        raise ValueError("no run has such a name")
    return state_folder(environ) / "runs" / f"{name}.json"

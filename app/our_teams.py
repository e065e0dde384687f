"""The process of the teams of ours: runs what was asked for, a task each (`python -m app.our_teams`).

A client of the live API like anybody's. Any number of these may run side by side: a run is taken by its session's
`team` lease, and one that was left by a dead process is gone on with once that has run out. A run that fails is
begun again at its checkpoint; the others go on. Graphs and clients are loaded at the first run, not before.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import time
from collections.abc import Callable, Collection
from importlib import import_module
from typing import Any, Protocol

from redis.asyncio import Redis

from app.heartbeat import beating
from app.lease_worker import LeaseWorker
from app.process import run_until_signalled, settings_or_exit
from app.run_failed import RunFailed
from infra import store
from infra.errors import CorruptSession, NewerSchema, StoreUnavailable, UnknownSession
from infra.leases import Lease
from infra.sessions import SessionRecord, SessionStore, Status
from infra.settings import Settings
from infra.team_runs import TeamRun, TeamRuns

log = logging.getLogger("exaim.teams")


class Runs(Protocol):
    """Makes runs."""

    async def run_team(self, run: TeamRun) -> None:
        """Run a team in its session to its end; cancelled, leave the session as it is. Raises: RunFailed."""
        ...

    async def forget(self, run: TeamRun) -> None:
        """Delete what is kept to go on with a run that is over. Raises: StoreError."""
        ...

    async def aclose(self) -> None:
        """Close what was opened."""
        ...


class OurTeams:
    """Makes the runs that nobody holds, up to `most` at once."""

    name = "the team of"
    own_errors: tuple[type[Exception], ...] = (RunFailed,)

    def __init__(
        self,
        client: Redis,
        runs: Runs,
        *,
        most: int,
        seen: Callable[[], None] = lambda: None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seen`: told at each look at which there is a run, whoever holds it."""
        self._client, self._runs, self._seen = client, runs, seen
        self._asked, self._sessions = TeamRuns(client), SessionStore(client)
        self._worker = LeaseWorker(self, most=most, now_s=now_s)

    async def run(self) -> None:
        """Look and run until cancelled; a run that fails is begun again, the rest go on."""
        await self._worker.run()

    async def there(self) -> Collection[str]:
        """Return the sessions of those that wait or run. Raises: StoreError."""
        asked = await self._asked.asked()
        if asked:
            self._seen()
        return asked

    async def take(self, session_id: str) -> tuple[TeamRun, Lease] | None:
        """Return a run with its lease, or None: it is over, or another process has it."""
        run = await self._asked.get(session_id)
        if run is None:
            return None
        try:
            record: SessionRecord | None = await self._sessions.get(session_id)
        except UnknownSession:
            record = None
        except (NewerSchema, CorruptSession):
            return None  # not ours to mend
        if record is None or record.status is Status.COMPLETED:
            await self._runs.forget(run)  # first: once it is off the list nobody knows of it
            await self._asked.over(session_id)
            return None
        lease = Lease(self._client, record.keys, "team")
        return None if await lease.acquire() is None else (run, lease)

    async def make(self, taken: TeamRun, lease: Lease) -> None:
        """Make a run while its lease is held. Raises: a group of RunFailed, LeaseLost or others; StoreError."""
        async with asyncio.TaskGroup() as group:
            holding = group.create_task(lease.hold(), name="team-lease")
            await group.create_task(self._runs.run_team(taken), name="team-run")
            holding.cancel()
        await self._runs.forget(taken)
        await self._asked.over(taken.session_id)


class Lazily:
    """What makes runs, loaded with all that it needs when the first one comes, off the loop."""

    def __init__(self, client: Redis, settings: Settings) -> None:
        self._client, self._settings = client, settings
        self._loading: asyncio.Task[Runs] | None = None

    async def run_team(self, run: TeamRun) -> None:
        """Make a run; see `app.team_run.Runner`."""
        await (await self._loaded()).run_team(run)

    async def forget(self, run: TeamRun) -> None:
        """Delete what is kept of a run; see `app.team_run.Runner`."""
        await (await self._loaded()).forget(run)

    def begin(self) -> None:
        """Begin to load, if that has not begun: it goes on while an old lease runs out."""
        if self._loading is None:
            self._loading = asyncio.get_running_loop().create_task(self._timed(), name="loading")

    async def aclose(self) -> None:
        """Close what was opened."""
        if self._loading is None:
            return
        if not self._loading.done():
            self._loading.cancel()
        with contextlib.suppress(Exception, asyncio.CancelledError):  # a load that failed was told by its run
            await (await self._loading).aclose()

    async def _loaded(self) -> Runs:
        self.begin()
        assert self._loading is not None
        loading = self._loading
        try:
            return await asyncio.shield(loading)
        except Exception:
            self._loading = None  # the next run tries again
            raise

    async def _timed(self) -> Runs:
        began_s = time.monotonic()
        log.info("loads what a team needs")
        runner = await asyncio.to_thread(self._load)
        log.info("loaded, after %.1f s", time.monotonic() - began_s)
        return runner

    def _load(self) -> Runs:
        from infra.llm_registry import known_variables

        module: Any = import_module("app.team_run")
        made: Runs = module.runner(self._client, self._settings, known_variables())
        return made


async def main(settings: Settings) -> None:
    """Run the teams until cancelled, waiting for the store. Raises: SettingsError, StoreMisconfigured."""
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it would tell each batch, with its session's id
    client = store.connect(settings.redis_url)
    runs = Lazily(client, settings)
    try:
        try:
            await store.check(client)
        except StoreUnavailable as error:
            log.warning("begins without its store: %s", error)
        gc.collect()
        gc.freeze()
        settings.announce_ready()
        log.info("ready; up to %d teams", 2 * settings.max_sessions)
        async with beating(settings):
            await OurTeams(client, runs, most=2 * settings.max_sessions, seen=runs.begin).run()
    finally:
        await runs.aclose()
        await client.aclose()


def run() -> None:
    """Be the process until a signal."""
    run_until_signalled(main(settings_or_exit()))


if __name__ == "__main__":
    run()

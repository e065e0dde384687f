"""The process of the teams of ours: runs what was asked for, a task each (`python -m app.our_teams`).

A client of the live API like anybody's. Any number of these may run side by side: a run is taken by its session's
`team` lease, and one that was left by a dead process is gone on with once that has run out. A run that fails is
begun again at its checkpoint; the others go on. Graphs and clients are loaded at the first run, not before.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any, Final, Protocol

from redis.asyncio import Redis

from app.heartbeat import beating
from app.process import run_until_signalled, settings_or_exit
from app.retries import Retries
from app.run_failed import RunFailed
from infra import store
from infra.errors import CorruptSession, LeaseLost, NewerSchema, StoreError, StoreUnavailable, UnknownSession
from infra.leases import Lease
from infra.sessions import SessionRecord, SessionStore, Status
from infra.settings import Settings
from infra.team_runs import TeamRun, TeamRuns
from infra.unforeseen import Unforeseen, contained

log = logging.getLogger("exaim.teams")

POLL_S: Final = 0.25  # how late a run that was asked for is noticed


class Runs(Protocol):
    """Makes runs."""

    async def run_team(self, run: TeamRun) -> None:
        """Run a team in its session to its end; cancelled, leave the session as it is. Raises: RunFailed."""
        ...

    async def aclose(self) -> None:
        """Close what was opened."""
        ...


class OurTeams:
    """Looks for runs that nobody holds, and makes up to `most` at once."""

    def __init__(
        self,
        client: Redis,
        runs: Runs,
        *,
        most: int,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._runs, self._most = runs, most
        self._asked, self._sessions = TeamRuns(client), SessionStore(client)
        self._held: set[str] = set()
        self._retries, self._now_s = Retries(), now_s

    async def run(self) -> None:
        """Look and run until cancelled; a run that fails is begun again, the rest go on."""
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    asked = await self._asked.asked()
                    self._retries.keep(asked)
                    for session_id in asked:
                        await self._consider(session_id, group)
                except StoreError as error:
                    log.warning("no team can be looked for: %s", error)
                await asyncio.sleep(POLL_S)

    async def _consider(self, session_id: str, group: asyncio.TaskGroup) -> None:
        if session_id in self._held or len(self._held) >= self._most:
            return
        if not self._retries.due(session_id, self._now_s()):
            return
        try:
            with contained(StoreError):
                taken = await self._take(session_id)
        except StoreUnavailable:
            raise
        except (StoreError, Unforeseen) as error:
            self._failed(session_id, error)
            return
        if taken is not None:
            self._held.add(session_id)
            group.create_task(self._make(*taken), name=f"team-{session_id}")

    async def _take(self, session_id: str) -> tuple[TeamRun, Lease] | None:
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
            await self._asked.over(session_id)
            return None
        lease = Lease(self._client, record.keys, "team")
        return None if await lease.acquire() is None else (run, lease)

    async def _make(self, run: TeamRun, lease: Lease) -> None:
        session_id = run.session_id
        try:
            with contained(StoreError, RunFailed):
                await self._held_run(run, lease)
                await self._asked.over(session_id)
        except* (StoreError, RunFailed, Unforeseen) as errors:
            self._failed(session_id, errors)
        else:
            self._retries.went_well(session_id)
        finally:
            self._held.discard(session_id)
            try:
                await lease.release()
            except StoreError as error:
                log.warning("the team lease of %s runs out by itself: %s", session_id, error)

    async def _held_run(self, run: TeamRun, lease: Lease) -> None:
        """Make a run while its lease is held. Raises: LeaseLost and others, in a group."""
        async with asyncio.TaskGroup() as group:
            holding = group.create_task(lease.hold(), name="team-lease")
            await group.create_task(_whole(self._runs.run_team(run)), name="team-run")
            holding.cancel()

    def _failed(self, session_id: str, error: Exception) -> None:
        passing = (StoreUnavailable, LeaseLost)
        lasting = error.split(passing)[1] if isinstance(error, ExceptionGroup) else error
        why = error.exceptions if isinstance(error, ExceptionGroup) else error
        wait_s = 0.0 if lasting is None else self._retries.failed(session_id, self._now_s())
        log.warning("the team of %s stopped, next try in %.0f s: %s", session_id, wait_s, why)


async def _whole(work: Awaitable[None]) -> None:
    await work


class Lazily:
    """What makes runs, loaded with all that it needs when the first one comes, off the loop."""

    def __init__(self, client: Redis, settings: Settings) -> None:
        self._client, self._settings = client, settings
        self._runner: Runs | None = None
        self._loading = asyncio.Lock()

    async def run_team(self, run: TeamRun) -> None:
        """Make a run; see `app.team_run.Runner`."""
        await (await self._loaded()).run_team(run)

    async def aclose(self) -> None:
        """Close what was opened."""
        if self._runner is not None:
            await self._runner.aclose()

    async def _loaded(self) -> Runs:
        async with self._loading:
            if self._runner is None:
                began_s = time.monotonic()
                log.info("loads what a team needs")
                self._runner = await asyncio.to_thread(self._load)
                log.info("loaded, after %.1f s", time.monotonic() - began_s)
            return self._runner

    def _load(self) -> Runs:
        from infra.llm_registry import known_variables

        module: Any = import_module("app.team_run")
        made: Runs = module.runner(self._client, self._settings, known_variables())
        return made


async def main(settings: Settings) -> None:
    """Run the teams until cancelled; a store that is away is waited for. Raises: SettingsError, StoreMisconfigured."""
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
            await OurTeams(client, runs, most=2 * settings.max_sessions).run()
    finally:
        await runs.aclose()
        await client.aclose()


if __name__ == "__main__":
    run_until_signalled(main(settings_or_exit()))

"""Makes the reports of sessions that are over, and brings them into the database.

Every API process runs one; a short claim in the store lets one at a time work on a session. What is done
is noted in the session's outbox, so a process that is killed between two steps leaves the second to another.

report   due ──▶ made, none (nothing happened), or after two more tries failed
database due ──▶ written, kept (a better row is there), off, refused, or after a day gave_up
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis

from infra.clock import wall_ms
from infra.database import RecordError, Records, StoredSession
from infra.errors import CorruptSession, NewerSchema, StoreError, StoreUnavailable, UnknownSession
from infra.log_bytes import give_back
from infra.outbox import Outbox, OutboxEntry
from infra.reports.model import Report
from infra.session_backup import read_backup
from infra.sessions import SessionRecord, SessionStore, Status
from infra.unexpected_errors import UnexpectedError, contained

log = logging.getLogger(__name__)

DAY_MS: Final = 24 * 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLimits:
    """The recorder's limits and intervals, in seconds."""

    poll_s: float = 1.0
    check_after_s: float = 5.0  # the database is looked at once the API answers
    retries: int = 2  # of a report that could not be made; what is wrong then seldom mends itself
    retry_s: float = 30.0
    claim_s: float = 60.0  # a report of the largest recorded case takes about a second
    work_s: float = 45.0  # below the claim, so that it is let go in time
    make_s: float = 40.0  # of these for the report, so that a try that took too long is counted
    voice_s: float = 15.0  # a voice that is still there may write; a dead one's lease is gone in 4
    database_first_s: float = 5.0  # then twice as long each time
    database_most_s: float = 300.0
    database_gives_up_s: float = 24 * 3_600.0
    forget_every_s: float = 3_600.0


COUNTED: Final = ("made", "failed", "written", "kept", "refused", "gave_up", "database_failures", "retried")
"""Names of the counters; all start at 0."""


MakeReport = Callable[[Redis, SessionRecord, int], Awaitable[Report | None]]


def _maker() -> MakeReport:
    from infra.reports.make import make_report  # loads numpy and the engine's schema: no start waits for that

    return make_report


class Recorder:
    """The loop around the outbox. One task runs it; it ends by being cancelled only.

    Args:
        records: where sessions are kept; None: nowhere (the report is in the store for its time to live).
        keep_days: how long rows are kept; None: for ever.
        now_ms: wall clock.
    """

    def __init__(
        self,
        client: Redis,
        records: Records | None,
        *,
        limits: RecordLimits | None = None,
        keep_days: int | None = None,
        now_ms: Callable[[], int] = wall_ms,
    ) -> None:
        self._client, self._records = client, records
        self._limits, self._keep_days, self._now_ms = limits or RecordLimits(), keep_days, now_ms
        self._sessions = SessionStore(client, now_ms=now_ms)
        self._outbox = Outbox(client, now_ms=now_ms)
        self._counts: Counter[str] = Counter()
        self._blind = False
        self._forgot_ms: int | None = None
        self.problem: str | None = None
        """What is wrong with the database, and what to do; None while it works."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How often what happened, since this process started."""
        return {name: self._counts[name] for name in COUNTED}

    async def run(self) -> None:
        """Look, and look again, `poll_s` later. A store or database that fails is tried again."""
        began_ms = self._now_ms()
        while True:
            try:
                await self.round()
            except StoreError as error:
                if not self._blind:
                    log.warning("reports wait for the store: %s", error)
                self._blind = True
            else:
                self._blind = False
            if self._now_ms() - began_ms >= self._limits.check_after_s * 1000:
                await self._tidy()
            await asyncio.sleep(self._limits.poll_s)

    async def round(self) -> None:
        """Look once at every session that is due. Raises: StoreUnavailable."""
        for session_id in await self._outbox.due():
            try:
                with contained(StoreError, TimeoutError):
                    await self._consider(session_id)
            except StoreUnavailable:
                raise
            except (StoreError, TimeoutError, UnexpectedError) as error:
                log.warning("the report of %s waits: %s", session_id, str(error) or "it took too long")
                await self._outbox.later(session_id, round(self._limits.retry_s * 1000))

    async def _consider(self, session_id: str) -> None:
        try:
            record = await self._sessions.get(session_id)
        except (UnknownSession, CorruptSession) as error:
            log.warning("session %s gets no report: %s", session_id, error)
            await self._outbox.forget(session_id)
            return
        except NewerSchema:
            await self._outbox.later(session_id, round(self._limits.retry_s * 1000))
            return  # a later version of this program runs too, and will do it
        if not await self._outbox.claim(record.keys, self._limits.claim_s):
            return
        try:
            async with asyncio.timeout(self._limits.work_s):
                await self._advance(record)
        finally:
            with contextlib.suppress(StoreError):  # it then runs out by itself
                await self._outbox.let_go(record.keys)

    async def _advance(self, record: SessionRecord) -> None:
        entry = await self._outbox.read(record.keys)
        if entry is None or entry.done:
            await self._finish(record)
            return
        age_s = (self._now_ms() - (record.ended_at_ms or entry.since_ms)) / 1000
        if age_s < self._limits.voice_s and await self._outbox.voice_is_there(record.keys):
            await self._outbox.later(record.session_id, round(self._limits.poll_s * 1000))
            return
        reported = await self._report(record, entry) if entry.report == "due" else entry
        if reported is None:
            return
        if record.status is Status.COMPLETED:  # one that was abandoned may be come back to
            await give_back(self._client, record)
        if reported.sql != "due" or await self._deliver(record, reported, age_s):
            await self._finish(record)

    async def _finish(self, record: SessionRecord) -> None:
        """Take a session from the list, unless it ended anew in the meantime."""
        await self._outbox.forget(record.session_id)
        entry = await self._outbox.read(record.keys)
        if entry is not None and not entry.done:
            await self._sessions.retire(record.session_id)

    # --- the report -----------------------------------------------------------------------------

    async def _report(self, record: SessionRecord, entry: OutboxEntry) -> OutboxEntry | None:
        """Make the report; return how things stand then, or None if there is nothing more to do now."""
        make_report = await asyncio.to_thread(_maker)
        try:
            async with asyncio.timeout(self._limits.make_s):
                with contained(StoreError):
                    report = await make_report(self._client, record, self._now_ms())
        except StoreUnavailable:
            raise  # nothing could be noted either; it is tried again when the store is back
        except TimeoutError:
            return await self._not_made(record, entry, f"it took longer than {self._limits.make_s:g} s")
        except (StoreError, UnexpectedError) as error:
            return await self._not_made(record, entry, str(error))
        if report is None:
            return await self._settled(record, entry, report="none", sql="off")
        self._counts["made"] += 1
        return await self._settled(record, entry, text=report.model_dump_json(), report="made", problem="")

    async def _not_made(self, record: SessionRecord, entry: OutboxEntry, problem: str) -> OutboxEntry | None:
        attempts, session_id = entry.attempts + 1, record.session_id
        if attempts > self._limits.retries:
            self._counts["failed"] += 1
            log.error("session %s gets no report: %s", session_id, problem)
            return await self._settled(record, entry, report="failed", attempts=attempts, problem=problem)
        self._counts["retried"] += 1
        log.warning("the report of %s could not be made, try %d: %s", session_id, attempts, problem)
        await self._settled(record, entry, attempts=attempts, problem=problem)
        await self._outbox.later(session_id, round(self._limits.retry_s * 1000))
        return None

    async def _settled(
        self, record: SessionRecord, entry: OutboxEntry, *, text: str = "", **changed: object
    ) -> OutboxEntry | None:
        """Store the entry; return None if the session went on or ended anew meanwhile."""
        after = entry.model_copy(update=changed)
        if not await self._outbox.settle(record.keys, after, report=text):
            return None
        await self._sessions.note_thread(record.keys)  # as long as what was noted just now
        return after

    # --- the database ---------------------------------------------------------------------------

    async def _deliver(self, record: SessionRecord, entry: OutboxEntry, age_s: float) -> bool:
        """Write the session's row; return whether nothing is left to do."""
        if self._records is None:
            return await self._settled(record, entry, sql="off") is not None
        try:
            kept = await self._records.write(await self._row(record, entry))
            if record.secret_sha256 and not (await self._sessions.get(record.session_id)).secret_sha256:
                await self._records.revoke(record.session_id)  # it was revoked while this was written
        except RecordError as error:
            if error.retryable:
                return await self._not_delivered(record, entry, error, age_s)
            self._counts["refused"] += 1
            log.error("session %s: %s", record.session_id, error)  # noqa: TRY400  # the message says it all
            return await self._settled(record, entry, sql="refused", problem=str(error)) is not None
        self._works()
        self._counts[kept.value] += 1
        return await self._settled(record, entry, sql=kept.value) is not None

    async def _not_delivered(
        self, record: SessionRecord, entry: OutboxEntry, error: RecordError, age_s: float
    ) -> bool:
        self._fails(error)
        attempts, limits = entry.sql_attempts + 1, self._limits
        if age_s > limits.database_gives_up_s:
            self._counts["gave_up"] += 1
            log.error("session %s is in no database: %s", record.session_id, error)
            return await self._settled(record, entry, sql="gave_up", sql_attempts=attempts) is not None
        wait_s = min(limits.database_most_s, limits.database_first_s * 2 ** min(attempts - 1, 16))
        await self._settled(record, entry, sql_attempts=attempts)
        await self._outbox.later(record.session_id, round(wait_s * 1000))
        return False

    async def _row(self, record: SessionRecord, entry: OutboxEntry) -> StoredSession:
        backup = await read_backup(self._client, record.keys) if record.status is Status.ABANDONED else None
        return StoredSession(
            session_id=record.session_id,
            thread_id=record.thread_id,
            case_id=record.case_id,
            title=record.title,
            status=record.status.value,
            secret_sha256=record.secret_sha256,
            version=record.version,
            created_at_ms=record.created_at_ms,
            ended_at_ms=record.ended_at_ms or entry.since_ms,
            record=record.model_dump_json(),
            report_state=entry.report,
            problem=entry.problem,
            report=await self._outbox.report(record.keys) if entry.report == "made" else None,
            remains=backup,
        )

    async def _tidy(self) -> None:
        """See whether the database works, and delete rows that are too old, once an hour; sooner while it is away."""
        now_ms, limits = self._now_ms(), self._limits
        again_s = limits.forget_every_s if self.problem is None else limits.database_most_s
        recent = self._forgot_ms is not None and now_ms - self._forgot_ms < again_s * 1000
        if self._records is None or recent:
            return
        self._forgot_ms = now_ms
        try:
            await self._records.check()
            if self._keep_days is not None:
                await self._records.forget(now_ms - self._keep_days * DAY_MS)
        except RecordError as error:
            self._fails(error)
        else:
            self._works()

    def _fails(self, error: RecordError) -> None:
        self._counts["database_failures"] += 1
        if self.problem is None:
            log.warning("reports stay in the store for now: %s", error)
        self.problem = str(error)

    def _works(self) -> None:
        if self.problem is not None:
            log.info("the database can be used again")
        self.problem = None

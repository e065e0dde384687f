"""List what is still to be done about sessions that are over: a report, a row in the database.

The entry lies beside the session's record and is made in the same script as its end; the list of where
to look is advisory and lies elsewhere. Whoever works on an entry holds a short claim; what is done is noted
under the version of the record that it was done for, so a session that went on takes nothing stale.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from redis.asyncio import Redis

from infra.clock import wall_ms
from infra.errors import CorruptSession
from infra.keys import ENDED, SessionKeys
from infra.oom_writes import claim, put_on_list
from infra.scripts import Scripts, answering
from infra.store import readable

ReportState = Literal["due", "made", "failed", "none"]
"""`failed`: for good, and `problem` says why. `none`: nothing happened in the session."""

SqlState = Literal["due", "written", "kept", "off", "refused", "gave_up"]
"""`kept`: the database has a better record already. `off`: nothing is to be kept there."""

MOST_AT_ONCE: Final = 16
FAR_MS: Final = 600_000
"""Nothing is put off for so long (five minutes at most): a clock was set back since, so it is due."""


class OutboxEntry(BaseModel):
    """How far a session that is over has come. `since_ms`: when it ended, by the store's clock."""

    model_config = ConfigDict(frozen=True)

    version: int
    since_ms: int
    report: ReportState
    attempts: int = 0
    problem: str = ""
    sql: SqlState
    sql_attempts: int = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return self.report != "due" and self.sql != "due"


class Outbox:
    """The entries of all sessions. Every call may raise StoreError; `now_ms` is the wall clock."""

    def __init__(self, client: Redis, *, now_ms: Callable[[], int] = wall_ms) -> None:
        self._client, self._now_ms = client, now_ms

    async def due(self) -> list[str]:
        """Return ids of sessions to look at now, at most `MOST_AT_ONCE`, the longest due first."""
        now_ms = self._now_ms()
        found: list[str] = []
        async with answering("ended"):
            for first, last in (("-inf", str(now_ms)), (str(now_ms + FAR_MS), "+inf")):
                listed = await self._client.zrange(
                    ENDED, first, last, byscore=True, offset=0, num=MOST_AT_ONCE
                )
                found += map(str, listed)
        return found

    async def later(self, session_id: str, delay_ms: int) -> None:
        """Have a session looked at again in `delay_ms`; one that was taken from the list stays off it."""
        async with answering("ended"):
            at_ms = self._now_ms() + delay_ms
            await put_on_list(self._client, ENDED, session_id, at_ms, if_there=True)

    async def forget(self, session_id: str) -> None:
        """Take a session from the list: nothing is left to do, or nothing can be done."""
        async with answering("ended"):
            await self._client.zrem(ENDED, session_id)

    async def claim(self, keys: SessionKeys, for_s: float) -> bool:
        """Take the right to work on a session, for `for_s` seconds; False if another process has it."""
        async with answering("claim of a report"):
            return await claim(self._client, _claim(keys), round(for_s * 1000))

    async def let_go(self, keys: SessionKeys) -> None:
        """Give the claim back. Call it only before it runs out."""
        async with answering("claim of a report"):
            await self._client.delete(_claim(keys))

    async def voice_is_there(self, keys: SessionKeys) -> bool:
        """Return whether somebody holds the session's voice, and may still write what was heard."""
        async with answering("voice lease"):
            return bool(await self._client.exists(keys.name("lease:voice")))

    async def read(self, keys: SessionKeys) -> OutboxEntry | None:
        """Return the entry, or None: the session is not over, or has expired. Raises: CorruptSession."""
        async with answering("an outbox"):
            found = await self._client.hgetall(keys.name("outbox"))
        if not found:
            return None
        readable("an outbox", found.get("v"), 1)
        try:
            return OutboxEntry.model_validate(found)
        except ValidationError as error:
            raise CorruptSession("an outbox", type(error).__name__) from None

    async def settle(self, keys: SessionKeys, entry: OutboxEntry, *, report: str = "") -> bool:
        """Store `entry`, and the report's JSON if there is one.

        Returns False, and stores nothing, if the session went on, or ended anew, since `entry` was read.
        """
        fields = [
            *("report", entry.report, "attempts", entry.attempts, "problem", entry.problem),
            *("sql", entry.sql, "sql_attempts", entry.sql_attempts),
        ]
        word, _ = await Scripts(self._client, keys).run("settle", entry.version, report, *fields)
        return word == "OK"

    async def report(self, keys: SessionKeys) -> str | None:
        """Return the stored report's JSON, or None."""
        async with answering("a report"):
            found = await self._client.get(keys.name("report"))
        return None if found is None else str(found)


def _claim(keys: SessionKeys) -> str:
    return keys.name("recording")

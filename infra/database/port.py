"""The port of what is kept of sessions that are over."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """One row. Times are ms since the epoch; `version` is the session record's.

    `record`, `report` and `remains` are JSON as the store had them: of `infra.sessions.SessionRecord`,
    `infra.reports.model.Report` and `infra.session_backup.SessionBackup`. Only a session that can go on has `remains`.
    `secret_sha256` goes before the one in `record`; it is empty where nobody has a secret.
    """

    session_id: str
    thread_id: str
    case_id: str
    title: str
    status: str
    secret_sha256: str
    version: int
    created_at_ms: int
    ended_at_ms: int
    record: str
    report_state: str
    problem: str = ""
    report: str | None = None
    remains: str | None = None


class RowFate(StrEnum):
    """What became of a row that was offered."""

    WRITTEN = "written"
    KEPT = "kept"  # there is a better one: a completed session, or a newer version


class Records(Protocol):
    """Stores sessions that are over. Every call ends within a deadline, and may raise RecordError."""

    async def write(self, stored: StoredSession) -> RowFate:
        """Write a session's row, again with the same effect.

        COMPLETED is never replaced by ABANDONED, nor a version by an older one.

        Raises: RecordConflict, ValueRefused.
        """
        ...

    async def get(self, session_id: str) -> StoredSession | None:
        """Return a session's row, or None."""
        ...

    async def revoke(self, session_id: str) -> None:
        """Take the clinician's secret from a session's row; without a row: nothing."""
        ...

    async def forget(self, ended_before_ms: int) -> int:
        """Delete the rows of sessions that ended before; return how many there were."""
        ...

    async def check(self) -> None:
        """Make the tables where they are missing or old; raise what any call would raise now."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...

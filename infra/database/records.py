"""`Records` over SQLAlchemy: the same statements on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncEngine

from infra.database.engine import WRITES, Limits, answering, make_engine, parsed
from infra.database.errors import DatabaseUnavailable, RecordConflict, ValueRefused
from infra.database.port import Records, RowFate, StoredSession
from infra.database.tables import sessions

_COLUMNS: Final = tuple(StoredSession.__dataclass_fields__)
_TRY_AGAIN_S: Final = 0.05


def _insert(dialect: str) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(sessions) if dialect == "sqlite" else postgresql.insert(sessions)


class SqlRecords(Records):
    """Rows of sessions that are over, in the database at `url`.

    Nothing is opened before the first call, which also brings the tables up to date.
    Raises: DatabaseMisconfigured: the URL can't be used.
    """

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        self._url, self._limits = parsed(url), limits or Limits()
        self._engine: AsyncEngine | None = None
        self._opening = asyncio.Lock()

    async def write(self, stored: StoredSession) -> RowFate:
        """Write a row; see the port. One statement decides, so writers at once need no order."""
        engine = await self._opened()
        async with answering(self._limits):
            async with engine.connect() as plain:
                connection = await plain.execution_options(**{WRITES: True})
                async with connection.begin():
                    try:
                        done = await connection.execute(_upsert(engine.dialect.name, stored))
                    except (ValueError, OverflowError) as error:  # of the driver, which can't write it down
                        raise ValueRefused(type(error).__name__) from error
            if done.rowcount > 0:
                return RowFate.WRITTEN
        there = await self.get(stored.session_id)
        if there is not None and there.created_at_ms != stored.created_at_ms:
            raise RecordConflict(stored.session_id)
        return RowFate.KEPT

    async def get(self, session_id: str) -> StoredSession | None:
        """Return a session's row, or None."""
        engine = await self._opened()
        columns = [sessions.c[name] for name in _COLUMNS]
        async with answering(self._limits), engine.connect() as connection:
            found = await connection.execute(select(*columns).where(sessions.c.session_id == session_id))
            row = found.mappings().one_or_none()
        return None if row is None else StoredSession(**row)

    async def revoke(self, session_id: str) -> None:
        """Take the clinician's secret from a session's row."""
        engine = await self._opened()
        async with answering(self._limits), engine.connect() as plain:
            connection = await plain.execution_options(**{WRITES: True})
            async with connection.begin():
                row = sessions.c.session_id == session_id
                await connection.execute(update(sessions).where(row).values(secret_sha256=""))

    async def forget(self, ended_before_ms: int) -> int:
        """Delete old rows; return how many."""
        engine = await self._opened()
        async with answering(self._limits), engine.connect() as plain:
            connection = await plain.execution_options(**{WRITES: True})
            async with connection.begin():
                done = await connection.execute(
                    delete(sessions).where(sessions.c.ended_at_ms < ended_before_ms)
                )
        return int(done.rowcount)

    async def check(self) -> None:
        """Bring the tables up to date; raise what any call would raise now."""
        engine = await self._opened()
        async with answering(self._limits), engine.connect() as connection:
            await connection.execute(select(sessions.c.session_id).limit(1))

    async def aclose(self) -> None:
        """Close all connections."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.dispose()

    async def _opened(self) -> AsyncEngine:
        async with self._opening:
            if self._engine is None:
                self._engine = await self._open()
            return self._engine

    async def _open(self) -> AsyncEngine:
        bring_up_to_date = await asyncio.to_thread(_migrations)
        loop = asyncio.get_running_loop()
        until_s = loop.time() + self._limits.locked_s
        while True:
            try:
                return await self._made(bring_up_to_date)
            except DatabaseUnavailable:
                # Where several make a new file at once, SQLite says "locked" without waiting to all but one.
                if self._url.get_backend_name() != "sqlite" or loop.time() >= until_s:
                    raise
            await asyncio.sleep(_TRY_AGAIN_S)

    async def _made(self, bring_up_to_date: Callable[[Connection], None]) -> AsyncEngine:
        engine = make_engine(self._url, self._limits)
        try:
            async with answering(self._limits), engine.connect() as plain:
                connection = await plain.execution_options(**{WRITES: True})
                async with connection.begin():
                    await connection.run_sync(bring_up_to_date)
        except BaseException:
            await engine.dispose()
            raise
        return engine


def _migrations() -> Callable[[Connection], None]:
    from infra.database.schema import bring_up_to_date  # Alembic: 0.3 s that nobody should wait for

    return bring_up_to_date


def _upsert(dialect: str, stored: StoredSession) -> Any:
    """Insert the row, or replace one that is no better: same session, not completed, not newer."""
    statement = _insert(dialect).values(**asdict(stored))
    new = statement.excluded
    columns = sessions.c
    better: ColumnElement[bool] = and_(
        columns.created_at_ms == new.created_at_ms,
        columns.thread_id == new.thread_id,
        or_(columns.status != "COMPLETED", new.status == "COMPLETED"),
        or_(columns.version <= new.version, and_(columns.status != "COMPLETED", new.status == "COMPLETED")),
    )
    changed = {name: new[name] for name in _COLUMNS if name != "session_id"}
    return statement.on_conflict_do_update(index_elements=[columns.session_id], set_=changed, where=better)

"""Connections to SQLite and PostgreSQL, and their errors as ours."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, NullPool, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from infra.database.address import MEND_URL, driver, options
from infra.database.errors import (
    DatabaseFull,
    DatabaseMisconfigured,
    DatabaseUnavailable,
    RecordError,
    ValueRefused,
)

WRITES: Final = "exaim_writes"
"""Execution option of a transaction that will write: SQLite then waits for its turn at the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long one operation may take, and how large a SQLite file may become (pages of 4 KiB)."""

    deadline_s: float = 10.0  # a report is some 100 KB; a commit to a slow disk takes 0.1 s
    locked_s: float = 2.0  # how long a lock of another process is waited for
    pages: int | None = None


def parsed(url: str) -> URL:
    """Return the URL with the driver that is used, and its options. Raises: DatabaseMisconfigured."""
    name = driver(url)
    try:
        read = make_url(url).set(drivername=name)
    except (ArgumentError, ValueError):
        raise DatabaseMisconfigured(f"it is no URL of a database; {MEND_URL}") from None
    return read if read.get_backend_name() == "sqlite" else read.set(query=options(read.query))


def make_engine(url: URL, limits: Limits) -> AsyncEngine:
    """Return an engine; nothing is opened yet.

    Raises: DatabaseMisconfigured: a file can't be made, or several hosts are given that don't fit.
    """
    if url.get_backend_name() != "sqlite":
        waits = {"timeout": limits.deadline_s / 2, "command_timeout": limits.deadline_s}
        try:
            return create_async_engine(
                url, pool_size=2, max_overflow=2, pool_pre_ping=True, connect_args=waits
            )
        except (ArgumentError, ValueError):
            raise DatabaseMisconfigured(f"its hosts and ports can't be read; {MEND_URL}") from None
    make_private(Path(str(url.database)))
    opened = {"isolation_level": None, "timeout": limits.locked_s}
    engine = create_async_engine(url, poolclass=NullPool, connect_args=opened)
    _begin_ourselves(engine, limits)
    return engine


def make_private(file: Path) -> None:
    """Make an empty file that this user alone may read, and its folder; SQLite's other files follow it."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        file.chmod(0o600)
    except OSError as error:
        raise DatabaseMisconfigured(
            f"{file} can't be made or written ({error.strerror}); name another, or mend its folder"
        ) from None


def _begin_ourselves(engine: AsyncEngine, limits: Limits) -> None:
    """Have SQLite's transactions hold DDL too, and take the write lock first where they will write."""

    @event.listens_for(engine.sync_engine, "connect")
    def opened(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")  # a row is written once, and the store then forgets it
        if limits.pages is not None:
            cursor.execute(f"PRAGMA max_page_count = {limits.pages}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begins(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextlib.asynccontextmanager
async def answering(limits: Limits) -> AsyncIterator[None]:
    """Turn a driver's errors, and a missing answer, into ours."""
    try:
        async with asyncio.timeout(limits.deadline_s):
            yield
    except DBAPIError as error:
        raise meaning(error.orig or error) from error
    except TimeoutError as error:
        raise DatabaseUnavailable(f"no answer within {limits.deadline_s:g} s") from error
    except (sqlite3.Error, OSError) as error:  # while connecting, before the library wraps them
        raise meaning(error) from error
    except SQLAlchemyError as error:
        raise DatabaseUnavailable(type(error).__name__) from error
    except (TypeError, ValueError) as error:  # the driver knows no such option, or that is no host's name
        raise DatabaseMisconfigured(f"it can't be used ({type(error).__name__}); {MEND_URL}") from error


def meaning(error: BaseException) -> RecordError:
    """Return what a driver's error means for us; its text is left out, it may quote what was written."""
    early = _before_the_server(error.__cause__)
    if early is not None:
        return early
    state = str(getattr(error, "sqlstate", None) or "")
    if state:
        return _postgresql(state)
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        return _sqlite(int(code) & 0xFF)
    if isinstance(error, ssl.SSLCertVerificationError):
        return DatabaseMisconfigured(
            f"the server's certificate is not taken ({error.verify_message}); mend it, or its sslmode"
        )
    if isinstance(error, OSError):
        return DatabaseUnavailable(error.strerror or type(error).__name__)
    return DatabaseUnavailable(type(error).__name__)


def _before_the_server(error: BaseException | None) -> RecordError | None:
    """Return what an error of asyncpg's own means, raised before the server saw anything; None: no such."""
    if not isinstance(error, ValueError):
        return None
    from asyncpg import exceptions  # type: ignore[import-untyped]  # loaded by now, where it is used

    if isinstance(error, exceptions.ClientConfigurationError):  # it names files and options of the login
        return DatabaseMisconfigured(f"it can't be used: {error}")
    return ValueRefused(type(error).__name__) if isinstance(error, exceptions.InterfaceError) else None


def _sqlite(code: int) -> RecordError:
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseUnavailable("another program holds it locked")
        case sqlite3.SQLITE_FULL:
            return DatabaseFull()
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return DatabaseMisconfigured("its file can't be opened or written; mend the rights of its folder")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return DatabaseMisconfigured(
                "its file is no SQLite database, or is damaged; restore it, or move it away"
            )
        case sqlite3.SQLITE_TOOBIG:
            return ValueRefused(f"SQLite's error {code}")
        case _:
            return DatabaseUnavailable(f"SQLite's error {code}")


def _postgresql(state: str) -> RecordError:
    match state[:2]:
        case "53" if state == "53100":
            return DatabaseFull()
        case "22":
            return ValueRefused(f"PostgreSQL's error {state}")
        case "28":
            return DatabaseMisconfigured("user or password is refused")
        case "3D":
            return DatabaseMisconfigured("there is no such database; make it with createdb")
        case "42" if state == "42501":
            return DatabaseMisconfigured("the user may not make or write tables there; grant it")
        case _:
            return DatabaseUnavailable(f"PostgreSQL's error {state}")

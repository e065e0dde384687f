"""One suite for both databases: what is kept of sessions that are over."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
import stat
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from app.exits import CantStart, Exit
from app.preflight_remote import check_database
from infra.database import (
    DatabaseFull,
    DatabaseMisconfigured,
    DatabaseUnavailable,
    RecordConflict,
    RecordError,
    RowFate,
    StoredSession,
    ValueRefused,
    WrongSchema,
)
from infra.database.engine import Limits, parsed
from infra.database.records import SqlRecords
from tests.infra.postgres import postgresql

pytestmark = pytest.mark.real

ROW = StoredSession(
    session_id="s-1",
    thread_id="s-1",
    case_id="case-1",
    title="A case — “quoted”",
    status="ABANDONED",
    secret_sha256="0" * 64,
    version=4,
    created_at_ms=1_790_000_000_000,
    ended_at_ms=1_790_000_900_000,
    record='{"v":1}',
    report_state="made",
    report='{"v":1,"text":"K⁺ 6.8 \\u0000"}',
    remains='{"v":1}',
)
DONE = replace(ROW, status="COMPLETED", version=5, remains=None)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/records/records.db"
    return str(request.getfixturevalue("server"))


@pytest_asyncio.fixture
async def records(url: str) -> AsyncIterator[SqlRecords]:
    await execute(url, "DROP TABLE IF EXISTS exaim_sessions", "DROP TABLE IF EXISTS exaim_schema")
    records = SqlRecords(url)
    yield records
    await records.aclose()


async def execute(url: str, *statements: str) -> None:
    at = parsed(url)
    if at.get_backend_name() == "sqlite":
        Path(str(at.database)).parent.mkdir(exist_ok=True, mode=0o700)
    engine = create_async_engine(at)
    async with engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


async def test_a_row_is_read_as_it_was_written(records: SqlRecords) -> None:
    assert await records.get("s-1") is None
    assert await records.write(ROW) is RowFate.WRITTEN
    assert await records.get("s-1") == ROW
    assert await records.get("s-2") is None


async def test_writing_again_has_the_same_effect(records: SqlRecords) -> None:
    for _ in range(3):
        assert await records.write(DONE) is RowFate.WRITTEN
    assert await records.get("s-1") == DONE


async def test_completed_replaces_abandoned_and_never_the_reverse(records: SqlRecords) -> None:
    await records.write(ROW)
    assert await records.write(DONE) is RowFate.WRITTEN
    for late in (ROW, replace(ROW, version=99)):
        assert await records.write(late) is RowFate.KEPT
    assert await records.get("s-1") == DONE


async def test_an_older_version_does_not_replace_a_newer(records: SqlRecords) -> None:
    await records.write(replace(ROW, version=9))
    assert await records.write(ROW) is RowFate.KEPT
    found = await records.get("s-1")
    assert found is not None
    assert found.version == 9


async def test_a_completed_record_wins_even_over_a_higher_version_of_an_abandoned_one(
    records: SqlRecords,
) -> None:
    await records.write(replace(ROW, version=9))
    assert await records.write(DONE) is RowFate.WRITTEN
    assert await records.get("s-1") == DONE


async def test_writers_at_once_leave_the_best_row_whatever_their_order(records: SqlRecords, url: str) -> None:
    others = [SqlRecords(url) for _ in range(3)]
    rows = [ROW, replace(ROW, version=8), DONE, replace(DONE, version=6)]
    pairs = zip((records, *others), rows, strict=True)
    await asyncio.gather(*(each.write(row) for each, row in pairs))
    assert await records.get("s-1") == replace(DONE, version=6)
    for other in others:
        await other.aclose()


async def test_another_session_of_the_same_id_is_refused_and_the_first_stays(records: SqlRecords) -> None:
    await records.write(ROW)
    with pytest.raises(RecordConflict, match=r"s-1.*DATABASE_URL") as conflict:
        await records.write(replace(DONE, created_at_ms=DONE.created_at_ms + 1))
    assert not conflict.value.retryable
    assert await records.get("s-1") == ROW


async def test_old_rows_are_forgotten_and_counted(records: SqlRecords) -> None:
    await records.write(ROW)
    await records.write(replace(DONE, session_id="s-2", ended_at_ms=ROW.ended_at_ms + 1))
    assert await records.forget(ROW.ended_at_ms + 1) == 1
    assert await records.get("s-1") is None
    assert await records.get("s-2") is not None


async def test_many_processes_make_the_tables_at_once(url: str, records: SqlRecords) -> None:
    at_once = [SqlRecords(url, Limits(locked_s=8.0)) for _ in range(4)]
    try:
        async with asyncio.TaskGroup() as group:
            for each in at_once:
                group.create_task(each.check())
    finally:
        for each in at_once:
            await each.aclose()


async def test_tables_of_a_later_version_are_refused_with_the_mend(url: str, records: SqlRecords) -> None:
    await records.write(ROW)
    await execute(url, "UPDATE exaim_schema SET version_num = '9999'")
    later = SqlRecords(url)
    with pytest.raises(WrongSchema, match=r"9999.*update the program"):
        await later.check()
    await execute(url, "UPDATE exaim_schema SET version_num = '0001'")
    assert await later.get("s-1") == ROW  # mended, it goes on
    await later.aclose()


async def test_a_table_that_is_not_ours_is_left_alone(url: str, records: SqlRecords) -> None:
    await execute(url, "CREATE TABLE exaim_sessions (x INTEGER)")
    with pytest.raises(WrongSchema, match=r"did not make.*DATABASE_URL"):
        await records.check()
    await execute(url, "INSERT INTO exaim_sessions VALUES (1)", "DROP TABLE exaim_sessions")


@pytest.mark.parametrize(
    "odd", [{"case_id": "\0clinical"}, {"thread_id": "clinical" * 9}, {"version": 2**70}], ids=str
)
async def test_a_value_that_postgresql_never_takes_is_refused_for_good_and_not_quoted(
    server: str, odd: dict[str, Any]
) -> None:
    records = SqlRecords(server)
    with pytest.raises(ValueRefused, match="not tried again") as refused:
        await records.write(replace(ROW, session_id="s-odd", **odd))
    assert not refused.value.retryable
    assert "clinical" not in str(refused.value)
    assert await records.get("s-odd") is None
    await records.aclose()


@pytest.mark.parametrize("odd", [{"title": "\ud800"}, {"version": 2**70}], ids=ascii)
async def test_a_value_that_sqlite_never_takes_is_refused_for_good(
    tmp_path: Path, odd: dict[str, Any]
) -> None:
    records = SqlRecords(sqlite_url(tmp_path))
    with pytest.raises(ValueRefused):
        await records.write(replace(ROW, **odd))
    assert await records.get("s-1") is None
    await records.aclose()


def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/records/records.db"


async def test_the_file_is_readable_by_its_user_alone(tmp_path: Path) -> None:
    records, before = SqlRecords(sqlite_url(tmp_path)), os.umask(0o022)
    await records.write(ROW)
    os.umask(before)
    for file in (tmp_path / "records").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    assert stat.S_IMODE((tmp_path / "records").stat().st_mode) == 0o700
    await records.aclose()


async def test_a_locked_database_is_told_and_used_again_once_it_is_free(tmp_path: Path) -> None:
    records = SqlRecords(sqlite_url(tmp_path), Limits(locked_s=0.1))
    await records.check()
    other = sqlite3.connect(tmp_path / "records/records.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DatabaseUnavailable, match=r"holds it locked.*waits in the store"):
        await records.write(ROW)
    assert await records.get("s-1") is None  # readers of a write-ahead log do not wait
    other.execute("COMMIT")
    other.close()
    assert await records.write(ROW) is RowFate.WRITTEN
    await records.aclose()


async def test_a_full_disk_is_told_and_what_was_there_stays(tmp_path: Path) -> None:
    await SqlRecords(sqlite_url(tmp_path)).write(ROW)
    bounded = SqlRecords(sqlite_url(tmp_path), Limits(pages=16))
    with pytest.raises(DatabaseFull, match="Make space"):
        await bounded.write(replace(ROW, session_id="s-2", report="x" * 200_000))
    assert await bounded.get("s-1") == ROW
    assert await bounded.get("s-2") is None
    await bounded.aclose()


async def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "records.db").write_bytes(b"not a database, and long enough to be looked at" * 100)
    with pytest.raises(DatabaseMisconfigured, match="no SQLite database"):
        await SqlRecords(f"sqlite:///{tmp_path}/records.db").check()


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("a file")
    with pytest.raises(DatabaseMisconfigured, match="can't be made"):
        await SqlRecords(sqlite_url(tmp_path)).check()


@pytest.mark.parametrize(
    "url", ["", "no url", "mysql://root@127.0.0.1/x", "sqlite://", "sqlite:///:memory:", "redis://127.0.0.1"]
)
def test_an_address_that_cannot_be_used_is_told_with_one_that_can(url: str) -> None:
    with pytest.raises(DatabaseMisconfigured, match=r"DATABASE_URL: .*postgresql://"):
        SqlRecords(url)


async def test_a_server_that_is_not_there_is_told(unused_tcp_port: int) -> None:
    records = SqlRecords(f"postgresql://exaim:a-secret@127.0.0.1:{unused_tcp_port}/exaim")
    with pytest.raises(DatabaseUnavailable) as away:
        await records.check()
    assert "a-secret" not in str(away.value)


async def test_a_server_that_never_answers_is_given_up_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        records = SqlRecords(f"postgresql://exaim@127.0.0.1:{port}/exaim", Limits(deadline_s=0.4))
        with pytest.raises(DatabaseUnavailable):
            await records.check()


async def test_a_database_that_is_not_there_is_told_with_the_mend(server: str) -> None:
    with pytest.raises(DatabaseMisconfigured, match="createdb"):
        await SqlRecords(server.replace("/postgres?", "/nowhere?")).check()


@pytest.mark.parametrize("url", ["redis://127.0.0.1", "postgresql://exaim@127.0.0.1:1/exaim"])
async def test_a_start_is_refused_while_the_database_cannot_be_used(url: str) -> None:
    with pytest.raises(CantStart, match="unset DATABASE_URL") as refused:
        await check_database(url)
    assert refused.value.exit is Exit.DATABASE


async def test_a_start_goes_on_with_a_database_that_works(url: str, records: SqlRecords) -> None:
    await check_database(url)


def test_every_error_of_the_database_is_one_of_the_tree() -> None:
    tree = (DatabaseFull, DatabaseMisconfigured, DatabaseUnavailable, RecordConflict, WrongSchema)
    for each in (*tree, ValueRefused):
        assert issubclass(each, RecordError)

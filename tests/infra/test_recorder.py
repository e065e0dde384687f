"""A session that is over gets its report, at another try if need be, and comes to the database once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from redis.asyncio import Redis

from infra.database import DatabaseUnavailable, RecordConflict, Records, RowFate, ValueRefused
from infra.database.records import SqlRecords
from infra.database.testing import Expect, ScriptedRecords
from infra.errors import StoreUnavailable
from infra.keys import ENDED, SessionKeys
from infra.outbox import Outbox, OutboxEntry
from infra.reports.make import make_report
from infra.reports.model import Report
from infra.reports.recorder import DAY_MS, Recorder, RecordLimits
from infra.scripts import SESSION_TTL_MS
from infra.session_backup import SessionBackup
from infra.sessions import SETTLE_MS, SessionRecord, SessionStore, Status
from infra.store import connect
from tests.infra.making import session
from tests.infra.story import T0_MS, lived
from tests.servers import valkey

pytestmark = pytest.mark.real

WRITTEN = Expect("write")
AWAY = DatabaseUnavailable("nobody listens")


class Clock:
    """A wall clock that a test moves."""

    def __init__(self) -> None:
        self.now_ms = T0_MS

    def __call__(self) -> int:
        return self.now_ms

    def pass_s(self, seconds: float) -> None:
        self.now_ms += round(seconds * 1000)


async def over(
    client: Redis, clock: Clock, status: Status = Status.COMPLETED, session_id: str = "s-1"
) -> SessionRecord:
    """Store a session, end it, and let the time pass after which it is looked at."""
    await lived(client, session_id)
    record = await SessionStore(client, now_ms=clock).end(session_id, status)
    clock.pass_s(SETTLE_MS / 1000)
    return record


def recorder(client: Redis, records: Records | None, clock: Callable[[], int]) -> Recorder:
    return Recorder(client, records, now_ms=clock)


async def entry(client: Redis, record: SessionRecord) -> OutboxEntry:
    found = await Outbox(client).read(record.keys)
    assert found is not None
    return found


async def report(client: Redis, record: SessionRecord) -> Report:
    text = await Outbox(client).report(record.keys)
    assert text is not None
    return Report.model_validate_json(text)


async def test_the_end_of_a_session_and_what_is_to_be_done_about_it_land_together(store: Redis) -> None:
    record = await lived(store)
    assert await Outbox(store).read(record.keys) is None
    ended = await SessionStore(store).end("s-1")
    found = await entry(store, ended)
    assert (found.report, found.sql, found.version, found.done) == ("due", "due", ended.version, False)
    assert await store.zscore(ENDED, "s-1") is not None
    assert await SessionStore(store).live() == []


async def test_a_session_gets_its_report_and_its_row_once(store: Redis) -> None:
    clock, records = Clock(), ScriptedRecords([WRITTEN])
    record = await over(store, clock)
    for _ in range(3):
        await recorder(store, records, clock).round()
    made = await report(store, record)
    assert (made.status, made.counts.heard, made.counts.unaccounted) == ("COMPLETED", 1, 1)
    assert (made.agents[0].words, made.questions[0].open) == (5, True)
    ((_, row),) = records.made
    assert (row.report_state, row.version, row.remains) == ("made", record.version, None)
    assert Report.model_validate_json(row.report) == made
    assert SessionRecord.model_validate_json(row.record) == record
    assert (await entry(store, record)).sql == "written"
    assert await store.zcard(ENDED) == 0


async def test_nothing_is_done_before_the_voice_had_time_to_close_its_books(store: Redis) -> None:
    clock = Clock()
    record = await lived(store)
    await SessionStore(store, now_ms=clock).end("s-1")
    clock.pass_s(SETTLE_MS / 1000 - 0.1)
    await recorder(store, ScriptedRecords(), clock).round()
    assert (await entry(store, record)).report == "due"


async def test_a_voice_that_is_still_there_is_waited_for_but_not_for_ever(store: Redis) -> None:
    clock = Clock()
    record = await over(store, clock)
    await store.set(record.keys.name("lease:voice"), "somebody")
    working = recorder(store, ScriptedRecords([WRITTEN]), clock)
    await working.round()
    assert (await entry(store, record)).report == "due"
    clock.pass_s(20.0)
    await working.round()
    assert (await entry(store, record)).report == "made"


async def test_two_processes_make_one_report(store: Redis) -> None:
    clock, records = Clock(), ScriptedRecords([WRITTEN])
    await over(store, clock)
    await asyncio.gather(*(recorder(store, records, clock).round() for _ in range(4)))
    records.assert_finished()


async def test_what_a_killed_process_had_begun_is_left_alone_until_its_claim_runs_out(store: Redis) -> None:
    clock = Clock()
    record = await over(store, clock)
    dead = Outbox(store, now_ms=clock)
    assert await dead.claim(record.keys, for_s=60.0)
    working = recorder(store, ScriptedRecords([WRITTEN]), clock)
    await working.round()
    assert (await entry(store, record)).report == "due"
    await dead.let_go(record.keys)  # as the claim's time to live does
    await working.round()
    assert (await entry(store, record)).done


async def test_a_report_that_was_made_before_its_maker_was_killed_is_not_made_again(store: Redis) -> None:
    clock, records = Clock(), ScriptedRecords([WRITTEN])
    record = await over(store, clock)
    made = (await entry(store, record)).model_copy(update={"report": "made"})
    assert await Outbox(store).settle(record.keys, made, report='{"v":1}')
    await recorder(store, records, clock).round()
    ((_, row),) = records.made
    assert row.report == '{"v":1}'
    assert (await entry(store, record)).done


async def test_a_session_in_which_nothing_happened_leaves_nothing(store: Redis) -> None:
    clock = Clock()
    sessions = SessionStore(store, now_ms=clock)
    await sessions.create(session())
    record = await sessions.end("s-1")
    clock.pass_s(5.0)
    await recorder(store, ScriptedRecords(), clock).round()
    found = await entry(store, record)
    assert (found.report, found.sql, found.done) == ("none", "off", True)


async def test_a_report_that_cannot_be_made_is_tried_twice_more_after_30_s_and_then_failed_for_good(
    store: Redis,
) -> None:
    clock, records = Clock(), ScriptedRecords([WRITTEN])
    record = await over(store, clock)
    await store.hset(record.keys.name("utterances"), "u-s-1-0001.1", "{")
    working = recorder(store, records, clock)
    attempts = []
    for _ in range(100):
        await working.round()
        attempts.append((await entry(store, record)).attempts)
        clock.pass_s(1.0)
    assert [attempts.count(each) for each in (1, 2)] == [30, 30]
    found = await entry(store, record)
    assert (found.report, found.attempts, found.sql) == ("failed", 3, "written")
    assert "the ledger can't be read" in found.problem
    ((_, row),) = records.made
    assert (row.report_state, row.report, row.problem) == ("failed", None, found.problem)
    assert working.counts["failed"] == 1


async def test_a_report_that_can_be_made_at_the_second_try_is_made(store: Redis) -> None:
    clock = Clock()
    record = await over(store, clock)
    key = record.keys.name("utterances")
    whole = str(await store.hget(key, "u-s-1-0001.1"))
    await store.hset(key, "u-s-1-0001.1", "{")
    working = recorder(store, ScriptedRecords([WRITTEN]), clock)
    await working.round()
    await store.hset(key, "u-s-1-0001.1", whole)
    clock.pass_s(30.0)
    await working.round()
    found = await entry(store, record)
    assert (found.report, found.attempts, found.problem) == ("made", 1, "")


async def test_one_broken_session_keeps_no_other_from_its_report(store: Redis) -> None:
    clock = Clock()
    broken, record = await over(store, clock, session_id="s-0"), await over(store, clock, session_id="s-1")
    newer = await over(store, clock, session_id="s-2")
    await store.set(SessionKeys("s-3", "s-3").name("record"), "not ours")
    await store.zadd(ENDED, {"s-3": 1, "s-gone": 1})
    await store.hset(broken.keys.name("outbox"), "report", "unheard of")
    await store.hset(newer.keys.name("record"), "v", "2")
    await recorder(store, ScriptedRecords([WRITTEN]), clock).round()
    assert (await entry(store, record)).done
    assert set(await store.zrange(ENDED, 0, -1)) == {"s-0", "s-2"}  # looked at again later


async def test_a_database_that_is_away_is_tried_again_ever_more_seldom_and_the_report_is_there_at_once(
    store: Redis,
) -> None:
    clock = Clock()
    records = ScriptedRecords([Expect("write", fails=AWAY)] * 3 + [WRITTEN])
    record = await over(store, clock)
    working = recorder(store, records, clock)
    tries = []
    for second in range(40):
        before = len(records.made)
        await working.round()
        if len(records.made) > before:
            tries.append(second)
        assert (await entry(store, record)).report == "made"
        clock.pass_s(1.0)
    assert tries == [0, 5, 15, 35]
    assert (await entry(store, record)).sql == "written"
    assert working.problem is None
    assert working.counts["database_failures"] == 3


async def test_after_a_day_without_a_database_a_session_is_given_up_and_says_so(store: Redis) -> None:
    clock = Clock()
    record = await over(store, clock)
    records = ScriptedRecords([Expect("write", fails=AWAY)] * 2)
    working = recorder(store, records, clock)
    await working.round()
    assert working.problem is not None
    clock.pass_s(25 * 3600)
    await working.round()
    assert (await entry(store, record)).sql == "gave_up"
    assert await store.zcard(ENDED) == 0


async def test_each_try_keeps_the_session_for_another_four_hours(store: Redis) -> None:
    clock = Clock()
    record = await over(store, clock)
    for name in record.keys.lasting:
        await store.pexpire(name, 60_000)
    await recorder(store, ScriptedRecords([Expect("write", fails=AWAY)]), clock).round()
    for name in ("record", "updates", "utterances", "outbox", "report"):
        assert await store.pttl(record.keys.name(name)) > 3 * 3_600_000


async def test_a_row_of_another_session_is_left_alone_and_told(store: Redis) -> None:
    clock = Clock()
    record = await over(store, clock)
    await recorder(store, ScriptedRecords([Expect("write", fails=RecordConflict("s-1"))]), clock).round()
    found = await entry(store, record)
    assert (found.report, found.sql) == ("made", "refused")
    assert "another session" in found.problem


async def test_a_row_that_the_database_can_never_take_is_given_up_at_once(
    store: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    record = await over(store, clock)
    working = recorder(
        store, ScriptedRecords([Expect("write", fails=ValueRefused("PostgreSQL's error 22021"))]), clock
    )
    await working.round()
    found = await entry(store, record)
    assert (found.report, found.sql, found.done) == ("made", "refused", True)
    assert "22021" in found.problem
    assert "22021" in caplog.text
    assert working.problem is None  # the database works


async def test_a_better_row_in_the_database_is_kept(store: Redis) -> None:
    clock = Clock()
    record = await over(store, clock)
    await recorder(store, ScriptedRecords([Expect("write", answer=RowFate.KEPT)]), clock).round()
    assert (await entry(store, record)).sql == "kept"


async def test_with_recording_off_there_is_a_report_and_no_row(store: Redis) -> None:
    clock = Clock()
    record = await over(store, clock)
    await recorder(store, None, clock).round()
    found = await entry(store, record)
    assert (found.report, found.sql, found.done) == ("made", "off", True)


async def test_a_session_that_goes_on_has_no_report_and_one_that_ends_again_a_new_one(
    store: Redis, tmp_path: Path
) -> None:
    clock, records = Clock(), SqlRecords(f"sqlite:///{tmp_path}/records.db")
    record = await over(store, clock, Status.ABANDONED)
    working = recorder(store, records, clock)
    await working.round()
    assert (await report(store, record)).status == "ABANDONED"
    sessions = SessionStore(store, now_ms=clock)
    await sessions.change(
        "s-1", lambda now: now.model_copy(update={"status": Status.IN_PROGRESS, "ended_at_ms": None})
    )
    assert await Outbox(store).report(record.keys) is None
    assert await Outbox(store).read(record.keys) is None
    await sessions.end("s-1")
    clock.pass_s(5.0)
    await working.round()
    assert (await report(store, record)).status == "COMPLETED"
    row = await records.get("s-1")
    assert row is not None
    assert (row.status, row.remains) == ("COMPLETED", None)
    await records.aclose()


async def test_what_was_made_of_an_older_end_is_not_taken(store: Redis) -> None:
    clock = Clock()
    record = await over(store, clock, Status.ABANDONED)
    stale = await entry(store, record)
    await SessionStore(store, now_ms=clock).end("s-1")
    assert not await Outbox(store).settle(record.keys, stale, report="{}")
    assert await Outbox(store).report(record.keys) is None


async def test_only_an_abandoned_session_leaves_what_it_needs_to_go_on(store: Redis) -> None:
    clock, records = Clock(), ScriptedRecords([WRITTEN])
    await over(store, clock, Status.ABANDONED)
    await recorder(store, records, clock).round()
    ((_, row),) = records.made
    backup = SessionBackup.model_validate_json(row.remains)
    assert backup.order == ("u-s-1-0001.1", "u-s-1-0001.2")
    assert json.loads(backup.record["json"])["status"] == "ABANDONED"


async def test_a_clock_that_was_set_back_puts_no_report_off(store: Redis) -> None:
    clock = Clock()
    record = await lived(store)
    await SessionStore(store, now_ms=clock).end("s-1")
    clock.pass_s(-3 * 3600)
    await recorder(store, ScriptedRecords([WRITTEN]), clock).round()
    assert (await entry(store, record)).done


async def test_rows_are_forgotten_after_their_time(store: Redis, tmp_path: Path) -> None:
    clock, records = Clock(), SqlRecords(f"sqlite:///{tmp_path}/records.db")
    await over(store, clock)
    await recorder(store, records, clock).round()
    clock.pass_s(31 * DAY_MS / 1000)
    working = Recorder(
        store,
        records,
        now_ms=clock,
        keep_days=30,
        limits=RecordLimits(poll_s=0.01, check_after_s=0.0, forget_every_s=0.0),
    )
    task = asyncio.create_task(working.run())
    while await records.get("s-1") is not None:
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait({task})
    await records.aclose()


async def test_a_database_that_is_back_is_known_within_minutes_though_nothing_is_to_be_written(
    store: Redis,
) -> None:
    clock, records = Clock(), ScriptedRecords([Expect("check", fails=AWAY), Expect("check")])
    limits = RecordLimits(poll_s=0.01, check_after_s=0.0)
    working = Recorder(store, records, now_ms=clock, limits=limits)
    task = asyncio.create_task(working.run())
    async with asyncio.timeout(10.0):
        while working.problem is None:
            await asyncio.sleep(0.01)
        clock.pass_s(limits.database_most_s)
        while working.problem is not None:
            await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait({task})
    records.assert_finished()


async def test_a_store_that_is_away_is_told_and_costs_nothing(tmp_path: Path) -> None:
    clock, records = Clock(), ScriptedRecords([WRITTEN])
    with valkey(tmp_path) as server:
        client = connect(server.url)
        record = await over(client, clock)
        server.crash()
        working = recorder(client, records, clock)
        with pytest.raises(StoreUnavailable):
            await working.round()
        server.start()
        await working.round()
        assert (await entry(client, record)).done
        assert (await entry(client, record)).attempts == 0
        await client.aclose()


async def test_a_mistake_in_one_report_keeps_no_other_waiting_and_is_told_without_its_words(
    store: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def mistaken(client: Redis, record: SessionRecord, now_ms: int) -> Report | None:
        if record.session_id == "s-1":
            raise KeyError("potassium 6.8")
        return await make_report(client, record, now_ms)

    monkeypatch.setattr("infra.reports.make.make_report", mistaken)
    clock = Clock()
    first = await over(store, clock)
    second = await over(store, clock, session_id="s-2")
    working = recorder(store, None, clock)
    for _ in range(3):
        await working.round()
        clock.pass_s(31)
    assert (await entry(store, second)).report == "made"
    found = await entry(store, first)
    assert (found.report, found.attempts) == ("failed", 3)
    assert "KeyError" in found.problem
    assert "potassium" not in found.problem + caplog.text


async def test_a_report_that_takes_too_long_is_a_failed_try(
    store: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(client: Redis, record: SessionRecord, now_ms: int) -> Report | None:
        await asyncio.sleep(60.0)
        raise AssertionError("nobody waits so long")

    monkeypatch.setattr("infra.reports.make.make_report", slow)
    clock = Clock()
    record = await over(store, clock)
    working = Recorder(store, None, now_ms=clock, limits=RecordLimits(make_s=0.05))
    for attempts in (1, 2, 3):
        await working.round()
        assert (await entry(store, record)).attempts == attempts
        clock.pass_s(30.0)
    found = await entry(store, record)
    assert (found.report, found.problem) == ("failed", "it took longer than 0.05 s")
    assert working.counts["failed"] == 1


async def test_a_session_in_anothers_thread_is_kept_while_the_database_is_away(store: Redis) -> None:
    clock = Clock()
    await lived(store, "s-2", thread_id="s-1")
    record = await SessionStore(store, now_ms=clock).end("s-2")
    note = "exaim:thread-of:{s-2}"
    working = recorder(store, ScriptedRecords([Expect("write", fails=AWAY)] * 2 + [WRITTEN]), clock)
    for _ in range(3):
        for name in (*record.keys.lasting, note):  # nearly four hours after the last try
            await store.pexpire(name, 60_000)
        clock.pass_s(3 * 3_600)
        await working.round()
        assert await store.pttl(note) > SESSION_TTL_MS - 5_000
    assert (await entry(store, record)).sql == "written"

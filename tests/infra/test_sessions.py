from __future__ import annotations

import asyncio

import pytest
from redis.asyncio import Redis

from infra.errors import NewerSchema, SessionCompleted, StaleVersion, UnknownSession
from infra.sessions import STATUS_NEXT, IllegalStatus, SessionExists, SessionRecord, SessionStore, Status
from tests.infra.making import session

pytestmark = pytest.mark.real


def to(status: Status, record: SessionRecord) -> SessionRecord:
    return record.model_copy(update={"status": status})


async def test_a_session_is_found_by_its_id_alone(store: Redis) -> None:
    sessions = SessionStore(store)
    plain = await sessions.create(session("s-1"))
    threaded = await sessions.create(session("s-2", thread_id="t-9"))
    assert await sessions.get("s-1") == plain
    assert await sessions.get("s-2") == threaded
    assert (plain.version, plain.status, plain.reasoning) == (1, Status.SCHEDULED, "waiting")
    with pytest.raises(UnknownSession, match="s-3"):
        await sessions.get("s-3")


async def test_an_id_is_given_once(store: Redis) -> None:
    sessions = SessionStore(store)
    made = await asyncio.gather(*(sessions.create(session()) for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(each, SessionRecord) for each in made) == 1
    assert sum(isinstance(each, SessionExists) for each in made) == 19


async def test_a_write_on_top_of_another_is_refused(store: Redis) -> None:
    sessions = SessionStore(store)
    record = await sessions.create(session())
    newer = await sessions.update(record.model_copy(update={"reasoning": "thinking"}))
    assert newer.version == 2
    with pytest.raises(StaleVersion) as stale:
        await sessions.update(record.model_copy(update={"reasoning": "failed"}))
    assert (stale.value.expected, stale.value.found) == (1, 2)
    assert (await sessions.get("s-1")).reasoning == "thinking"


async def test_twenty_changes_at_once_all_land(store: Redis) -> None:
    sessions = SessionStore(store)
    await sessions.create(session())

    def faster(record: SessionRecord) -> SessionRecord:
        return record.model_copy(update={"speed": record.speed + 1})

    await asyncio.gather(*(sessions.change("s-1", faster, attempts=100) for _ in range(20)))
    record = await sessions.get("s-1")
    assert (record.speed, record.version) == (21.0, 21)


async def test_a_completed_session_is_never_overwritten(store: Redis) -> None:
    sessions = SessionStore(store)
    before = await sessions.create(session())
    ended = await sessions.end("s-1")
    assert (ended.status, ended.ended_at_ms is not None) == (Status.COMPLETED, True)
    for record in (before, ended, to(Status.IN_PROGRESS, ended)):
        with pytest.raises(SessionCompleted):
            await sessions.update(record)
    with pytest.raises(SessionCompleted):
        await sessions.change("s-1", lambda record: to(Status.ABANDONED, record))
    assert await sessions.get("s-1") == ended


async def test_ending_again_gives_the_record_as_it_is(store: Redis) -> None:
    sessions = SessionStore(store)
    await sessions.create(session())
    ended = await asyncio.gather(*(sessions.end("s-1") for _ in range(5)))
    assert len({record.ended_at_ms for record in ended}) == 1
    assert await sessions.end("s-1", Status.ABANDONED) == ended[0]
    with pytest.raises(UnknownSession):
        await sessions.end("s-2")


async def test_an_abandoned_session_can_be_opened_again_and_completed(store: Redis) -> None:
    sessions = SessionStore(store)
    await sessions.create(session())
    await sessions.end("s-1", Status.ABANDONED)
    await sessions.change("s-1", lambda record: to(Status.IN_PROGRESS, record))
    assert (await sessions.end("s-1")).status is Status.COMPLETED


async def test_only_the_tables_moves_are_made(store: Redis) -> None:
    sessions = SessionStore(store)
    await sessions.create(session())
    await sessions.change("s-1", lambda record: to(Status.IN_PROGRESS, record))
    with pytest.raises(IllegalStatus, match="from IN_PROGRESS to SCHEDULED"):
        await sessions.change("s-1", lambda record: to(Status.SCHEDULED, record))
    assert not STATUS_NEXT[Status.COMPLETED]


async def test_a_change_that_changes_nothing_writes_nothing(store: Redis) -> None:
    sessions = SessionStore(store)
    await sessions.create(session())
    assert (await sessions.change("s-1", lambda record: record)).version == 1


async def test_live_sessions_are_listed_the_longest_silent_first(store: Redis) -> None:
    now = iter(range(1_000, 2_000))
    sessions = SessionStore(store, now_ms=lambda: next(now))
    for name in ("s-1", "s-2", "s-3"):
        await sessions.create(session(name))
    await sessions.heartbeat("s-1")
    assert await sessions.live() == ["s-2", "s-3", "s-1"]
    await sessions.end("s-3")
    assert await sessions.live() == ["s-2", "s-1"]


async def test_a_record_of_a_later_version_is_refused_and_not_misread(store: Redis) -> None:
    sessions = SessionStore(store)
    record = await sessions.create(session())
    await store.hset(record.keys.name("record"), "v", "2")
    with pytest.raises(NewerSchema):
        await sessions.get("s-1")


async def test_a_record_expires_with_the_session(store: Redis) -> None:
    record = await SessionStore(store).create(session())
    assert 0 < await store.pttl(record.keys.name("record")) <= 4 * 3_600_000


async def test_sessions_that_have_expired_are_not_listed(store: Redis) -> None:
    now_ms = 1_000
    sessions = SessionStore(store, now_ms=lambda: now_ms)
    await sessions.create(session("s-1"))
    now_ms += 4 * 3_600_000 + 1
    await sessions.create(session("s-2"))
    assert await sessions.live() == ["s-2"]

"""A session's reasoning on a real store: played, judged, taken over, broken off."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from agents.recorded import Catalogue
from agents.stream import EventType
from app.reasoning import Cases, SessionReasoning
from infra.leases import Lease
from infra.sessions import SessionRecord, SessionStore
from infra.streams import Command, SessionStreams
from tests.e2e import mini

pytestmark = pytest.mark.real


async def opened(store: Redis) -> SessionRecord:
    record = SessionRecord(
        session_id="s-1",
        thread_id="s-1",
        case_id=mini.CASE_ID,
        room="case-s-1",
        secret_sha256="0" * 64,
        created_at_ms=0,
        speed=20.0,
    )
    return await SessionStore(store).create(record)


async def reason(store: Redis, record: SessionRecord, cases: Cases) -> None:
    lease = Lease(store, record.keys, "reason")
    assert await lease.acquire() is not None
    await SessionReasoning(store, record, cases, lease).run()
    await lease.release()


async def ready(store: Redis, record: SessionRecord) -> None:
    await SessionStreams(store, record.keys).append_command(Command(kind="ready", by="clinician", at_ms=0))


async def test_a_successor_makes_nothing_twice_and_nothing_else(store: Redis, tmp_path: Path) -> None:
    mini.write(tmp_path)
    cases = Cases(Catalogue.open([tmp_path]))
    record = await opened(store)
    await ready(store, record)
    await reason(store, record, cases)
    streams = SessionStreams(store, record.keys)
    first, events = await streams.read_updates(), await streams.last_event_seq()
    assert [each.update["number"] for each in first] == list(range(1, len(first) + 1))
    assert first[-1].update["path"] == "end"

    await reason(store, record, cases)
    assert await streams.read_updates() == first
    assert await streams.last_event_seq() == events
    assert (await SessionStore(store).get("s-1")).reasoning == "finished"


async def test_a_case_that_is_gone_breaks_off_and_is_never_closed(store: Redis, tmp_path: Path) -> None:
    path = mini.write(tmp_path)
    cases = Cases(Catalogue.open([tmp_path]))
    path.unlink()
    record = await opened(store)
    await ready(store, record)
    await reason(store, record, cases)
    streams = SessionStreams(store, record.keys)
    assert [each.event.type for each in await streams.read_events()] == [EventType.ERROR, EventType.END]
    assert await streams.read_updates() == []
    assert (await SessionStore(store).get("s-1")).reasoning == "failed"


async def test_nothing_is_played_before_the_listener_is_ready_and_nothing_after_the_end(
    store: Redis, tmp_path: Path
) -> None:
    mini.write(tmp_path)
    record = await opened(store)
    streams = SessionStreams(store, record.keys)
    reasoning = asyncio.create_task(reason(store, record, Cases(Catalogue.open([tmp_path]))))
    assert await streams.read_events(block_ms=600) == []
    await streams.append_command(Command(kind="end", by="api", at_ms=0))
    await asyncio.wait_for(reasoning, 10.0)
    assert await streams.read_events() == []

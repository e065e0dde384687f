from __future__ import annotations

import time

from infra.keys import LIVE, SessionKeys
from infra.leases import Lease
from infra.presence import signs_of
from infra.scripts import SESSION_TTL_MS
from infra.sessions import SessionRecord, SessionStore, Status
from infra.store import connect
from infra.watcher import LiveSession
from infra.watcher_store import StoredSessions


def record(session_id: str) -> SessionRecord:
    return SessionRecord(
        session_id=session_id,
        thread_id=session_id,
        case_id="a-case",
        room=f"case-{session_id}",
        secret_sha256="",
        created_at_ms=1,
    )


async def test_only_sessions_that_are_not_over_are_watched_and_the_list_is_swept(store_url: str) -> None:
    async with connect(store_url) as client:
        store = SessionStore(client)
        for session_id in ("s-live", "s-over", "s-newer"):
            await store.create(record(session_id))
        await store.end("s-over")
        await store.heartbeat("s-over")
        await store.heartbeat("s-expired")
        await client.hset(SessionKeys("s-newer", "s-newer").name("record"), "v", "2")
        watched = await StoredSessions(client, store).live()
        assert watched == [LiveSession(session_id="s-live", thread_id="s-live", room="case-s-live")]
        assert set(await client.zrange(LIVE, 0, -1)) == {"s-live", "s-newer"}


async def test_a_session_is_seen_with_what_is_left_of_its_voices_lease(store_url: str) -> None:
    async with connect(store_url) as client:
        store = SessionStore(client)
        stored = await store.create(record("s-live"))
        await store.change("s-live", lambda now: now.model_copy(update={"status": Status.IN_PROGRESS}))
        watched = StoredSessions(client, store)
        (before,) = await watched.live()
        lease = Lease(client, stored.keys, "voice")
        await lease.acquire()
        (after,) = await watched.live()
        await lease.release()
        (last,) = await watched.live()
    assert (before.joined, before.lease_s, last.lease_s) == (True, 0.0, 0.0)
    assert 3.0 < after.lease_s <= 4.0


async def test_a_session_with_a_voice_stays_on_the_list_though_its_client_asks_for_nothing(
    store_url: str,
) -> None:
    async with connect(store_url) as client:
        hours_ago = SessionStore(client, now_ms=lambda: time.time_ns() // 1_000_000 - 3 * 3_600_000)
        stored = await hours_ago.create(record("s-live"))
        now = SessionStore(client)
        lease = Lease(client, stored.keys, "voice")
        await lease.acquire()
        await StoredSessions(client, now).live()
        assert await now.silent_s("s-live") < 60.0
        await lease.release()


async def test_a_session_in_anothers_thread_is_found_for_as_long_as_its_voice_keeps_its_keys(
    store_url: str,
) -> None:
    async with connect(store_url) as client:
        sessions = SessionStore(client)
        stored = await sessions.create(record("s-live").model_copy(update={"thread_id": "s-earlier"}))
        note = "exaim:thread-of:{s-live}"
        lease = Lease(client, stored.keys, "voice")
        await lease.acquire()
        for name in (*stored.keys.lasting, note):  # nearly four hours after the record was written
            await client.pexpire(name, 60_000)
        await lease.renew()
        await StoredSessions(client, sessions).live()
        assert await client.pttl(stored.keys.name("record")) > SESSION_TTL_MS - 5_000
        assert await client.pttl(note) > SESSION_TTL_MS - 5_000
        await lease.release()


async def test_a_session_sleeps_when_it_has_no_voice_and_its_client_was_not_there(
    store_url: str,
) -> None:
    async with connect(store_url) as client:
        stored = await SessionStore(client).create(record("s-live"))
        long_ago = SessionStore(client, now_ms=lambda: time.time_ns() // 1_000_000 - 25_000)
        lease = Lease(client, stored.keys, "voice")

        async def seen() -> tuple[bool, bool]:
            signs = await signs_of(client, SessionStore(client), stored)
            return signs.held, signs.asleep

        assert await seen() == (False, False)
        await long_ago.heartbeat("s-live")
        assert await seen() == (False, True)
        await lease.acquire()
        assert await seen() == (True, False)
        await lease.release()
        assert await seen() == (False, False), "its voice has only just gone"


async def test_a_session_that_is_over_by_now_gets_no_attempt(store_url: str) -> None:
    session = LiveSession(session_id="s-live", thread_id="s-live", room="case-s-live")
    async with connect(store_url) as client:
        store = SessionStore(client)
        await store.create(record("s-live"))
        await store.end("s-live")
        assert not await StoredSessions(client, store).claim_dispatch(session, for_s=30.0)


async def test_a_session_whose_lease_was_renewed_since_it_was_seen_gets_no_attempt(store_url: str) -> None:
    async with connect(store_url) as client:
        stored = await SessionStore(client).create(record("s-live"))
        watched = StoredSessions(client, SessionStore(client))
        (seen,) = await watched.live()
        await Lease(client, stored.keys, "voice").acquire()
        assert not await watched.claim_dispatch(seen, for_s=30.0)


async def test_of_two_processes_one_gets_the_attempt_until_its_claim_expires(store_url: str) -> None:
    session = LiveSession(session_id="s-live", thread_id="s-live", room="case-s-live")
    async with connect(store_url) as client, connect(store_url) as other:
        one, two = StoredSessions(client, SessionStore(client)), StoredSessions(other, SessionStore(other))
        await SessionStore(client).create(record("s-live"))
        assert await one.claim_dispatch(session, for_s=30.0)
        assert not await two.claim_dispatch(session, for_s=30.0)
        key = SessionKeys("s-live", "s-live").name("dispatching")
        assert 0 < await client.pttl(key) <= 30_000
        await client.delete(key)
        assert await two.claim_dispatch(session, for_s=30.0)


async def test_abandoning_marks_the_record_but_never_a_completed_one_nor_one_unknown(store_url: str) -> None:
    async with connect(store_url) as client:
        store = SessionStore(client)
        watched = StoredSessions(client, store)
        for session_id in ("s-live", "s-done"):
            await store.create(record(session_id))
        await store.end("s-done")
        for session_id in ("s-live", "s-done", "s-unknown"):
            room = f"case-{session_id}"
            await watched.abandon(LiveSession(session_id=session_id, thread_id=session_id, room=room))
        assert (await store.get("s-live")).status is Status.ABANDONED
        assert (await store.get("s-done")).status is Status.COMPLETED
        assert await store.live() == []

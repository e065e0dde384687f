"""What lies under our keys and is not ours, or not of this version: told as such, and the others go on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from redis.asyncio import Redis

from infra.errors import CorruptSession, NewerSchema, StoreError
from infra.keys import ENDED, LIVE, SessionKeys
from infra.leases import Lease
from infra.ledger import SpeechLedger
from infra.sessions import SessionExists, SessionStore
from infra.streams import Command, SessionStreams
from infra.watcher_store import StoredSessions
from tests.infra.making import session

pytestmark = pytest.mark.real

Read = Callable[[Redis, SessionKeys], Awaitable[object]]


def reading_events(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return SessionStreams(client, keys).read_events()


def reading_updates(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return SessionStreams(client, keys).read_updates()


def reading_commands(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return SessionStreams(client, keys).read_commands()


def reading_the_ledger(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return SpeechLedger(client, keys).entries()


def reading_the_record(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return SessionStore(client).get(keys.session_id)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("record", reading_the_record),
        ("events", reading_events),
        ("updates", reading_updates),
        ("commands", reading_commands),
        ("order", reading_the_ledger),
    ],
)
async def test_a_key_of_another_type_is_told_with_its_mend(store: Redis, name: str, read: Read) -> None:
    keys = SessionKeys("s-1", "s-1")
    await store.set(keys.name(name), "not ours")
    with pytest.raises(CorruptSession, match="delete the session's keys"):
        await read(store, keys)


@pytest.mark.parametrize(
    ("name", "fields", "read"),
    [
        ("events", {"v": "1", "event": "{}"}, reading_events),
        ("events", {"v": "1"}, reading_events),
        ("updates", {"v": "1", "id": "u", "update": "[]", "seq": "1", "epoch": "1"}, reading_updates),
        ("updates", {"v": "1", "id": "u", "update": "{", "seq": "1", "epoch": "1"}, reading_updates),
        ("commands", {"v": "1", "command": '{"kind": 1}', "seq": "1"}, reading_commands),
    ],
)
async def test_an_entry_that_is_not_ours_is_told_without_what_it_holds(
    store: Redis, name: str, fields: dict[str, str], read: Read
) -> None:
    keys = SessionKeys("s-1", "s-1")
    await store.xadd(keys.name(name), dict(fields, more="potassium 6.8"))  # type: ignore[arg-type]
    with pytest.raises(CorruptSession) as corrupt:
        await read(store, keys)
    assert "potassium" not in str(corrupt.value)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"session_id": "s-1"}'])
async def test_a_record_that_is_no_record_is_told(store: Redis, text: str) -> None:
    await store.hset(SessionKeys("s-1", "s-1").name("record"), mapping={"v": "1", "json": text})
    with pytest.raises(CorruptSession, match="s-1"):
        await SessionStore(store).get("s-1")


def reading_the_last_event(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return SessionStreams(client, keys).last_event_seq()


def reading_the_clause(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return SpeechLedger(client, keys).clause()


def taking_the_voice(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return Lease(client, keys, "voice").acquire()


def asking_for_something(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return SessionStreams(client, keys).append_command(Command(kind="end", by="api", at_ms=1))


def ending(client: Redis, keys: SessionKeys) -> Awaitable[object]:
    return SessionStore(client).end(keys.session_id)


@pytest.mark.parametrize(
    ("name", "field", "act"),
    [
        ("heads", "event_seq", reading_the_last_event),
        ("heads", "clause", reading_the_clause),
        ("heads", "held:voice", taking_the_voice),
        ("heads", "commands", asking_for_something),
        ("record", "version", ending),
    ],
)
@pytest.mark.parametrize("value", [b"potassium 6.8", b"\xff"], ids=["words", "no UTF-8"])
async def test_a_number_that_is_none_is_told_without_what_it_is(
    store: Redis, name: str, field: str, act: Read, value: bytes
) -> None:
    record = await SessionStore(store).create(session("s-1"))
    await store.hset(record.keys.name(name), field, value)
    with pytest.raises(CorruptSession, match="delete the session's keys") as corrupt:
        await act(store, record.keys)
    assert "potassium" not in str(corrupt.value)
    assert "potassium" not in str(corrupt.value.__cause__)


@pytest.mark.parametrize("thread_id", [b"\xff", b"a{b}c"], ids=["no UTF-8", "braces"])
async def test_a_thread_that_can_be_none_is_told(store: Redis, thread_id: bytes) -> None:
    await SessionStore(store).create(session("s-1", thread_id="t-1"))
    await store.set("exaim:thread-of:{s-1}", thread_id)
    with pytest.raises(CorruptSession, match="thread of session"):
        await SessionStore(store).get("s-1")


async def test_a_record_of_another_session_under_our_name_is_told(store: Redis) -> None:
    await SessionStore(store).create(session("s-1"))
    ours, other = (SessionKeys(name, name).name("record") for name in ("s-1", "s-2"))
    await store.copy(ours, other)
    with pytest.raises(CorruptSession, match="another session's"):
        await SessionStore(store).get("s-2")


async def test_an_utterance_that_cannot_be_read_is_told(store: Redis) -> None:
    keys = SessionKeys("s-1", "s-1")
    await store.rpush(keys.name("order"), "u-1")
    await store.hset(keys.name("utterances"), "u-1", '{"v": 1, "seq": 1}')
    with pytest.raises(CorruptSession, match="the ledger"):
        await SpeechLedger(store, keys).entries()


async def test_the_watcher_goes_on_with_the_others_whatever_a_record_is(store: Redis) -> None:
    sessions = SessionStore(store)
    for name in ("s-1", "s-corrupt", "s-newer", "s-foreign", "s-2"):
        await sessions.create(session(name))
    await store.hset(SessionKeys("s-corrupt", "s-corrupt").name("record"), "json", "{")
    await store.hset(SessionKeys("s-newer", "s-newer").name("record"), "v", "2")
    foreign = SessionKeys("s-foreign", "s-foreign").name("record")
    await store.delete(foreign)
    await store.set(foreign, "not ours")
    watched = await StoredSessions(store, sessions).live()
    assert {each.session_id for each in watched} == {"s-1", "s-2"}
    assert set(await store.zrange(LIVE, 0, -1)) == {"s-1", "s-2", "s-newer"}
    assert await store.zcard(ENDED) == 0


@pytest.mark.parametrize(("first", "second"), [(None, "t-9"), ("t-9", None), ("t-8", "t-9")])
async def test_an_id_is_given_once_whatever_the_thread(
    store: Redis, first: str | None, second: str | None
) -> None:
    sessions = SessionStore(store)
    made = await sessions.create(session("s-1", thread_id=first))
    with pytest.raises(SessionExists, match="open another"):
        await sessions.create(session("s-1", thread_id=second))
    assert await sessions.get("s-1") == made


async def test_a_newer_schema_and_a_corrupt_record_are_both_errors_of_the_store(store: Redis) -> None:
    await SessionStore(store).create(session("s-1"))
    await store.hset(SessionKeys("s-1", "s-1").name("record"), "v", "7")
    with pytest.raises(NewerSchema, match="update the program"):
        await SessionStore(store).get("s-1")
    assert issubclass(CorruptSession, StoreError)

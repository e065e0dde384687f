"""One damaged key of one session, whatever it is: that session is passed over, and the others go on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest
from redis.asyncio import Redis

from infra.clock import wall_ms
from infra.errors import CorruptSession
from infra.keys import ENDED, LIVE, SessionKeys
from infra.outbox import Outbox
from infra.presence import LATELY_S, signs_of
from infra.reports.recorder import Recorder, RecordLimits
from infra.sessions import SessionStore
from infra.settings import Settings
from infra.sfu_testing import Expect, ScriptedSfu
from infra.watcher import WatchLimits
from infra.watcher_store import StoredSessions
from tests.api.serving import CASE, serving, settings_for
from tests.infra.making import session
from tests.infra.story import lived
from tests.servers import StoreServer

pytestmark = pytest.mark.real

BAD, GOOD = "s-bad", "s-good"
KEYS = SessionKeys(BAD, BAD)

Damage = Callable[[Redis], Awaitable[object]]


def field_of(name: str, field: str, value: bytes) -> Damage:
    return lambda client: client.hset(KEYS.name(name), field, value)


async def heads_are_a_string(client: Redis) -> None:
    await client.delete(KEYS.name("heads"))
    await client.set(KEYS.name("heads"), "x")


DAMAGES: Mapping[str, Damage] = {
    "a record that is no UTF-8": field_of("record", "json", b"\xff\xfe"),
    "a version that is no number": field_of("record", "version", b"potassium"),
    "heads of another type": heads_are_a_string,
    "a time that is no number": field_of("heads", "held:voice", b"potassium"),
    "a time that is no UTF-8": field_of("heads", "held:voice", b"\xff"),
}
damaged = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())


@pytest.fixture
def settings(tmp_path: Path, store_server: StoreServer) -> Settings:
    return settings_for(tmp_path, store_server.url)


class WellSfu(ScriptedSfu):
    """Is well, and has an agent in every room, however often it is asked."""

    async def check(self) -> None:
        pass

    async def agent_present(self, room: str, identity: str) -> bool:
        return True


async def two_sessions(client: Redis, damage: Damage) -> SessionStore:
    sessions = SessionStore(client)
    for session_id in (BAD, GOOD):
        await sessions.create(session(session_id))
    await damage(client)
    await client.zadd(LIVE, {BAD: wall_ms() - 2_000 * LATELY_S})  # so it is looked at whether it sleeps
    return sessions


@damaged
async def test_it_is_told_as_damage_without_what_is_there(store: Redis, damage: Damage) -> None:
    sessions = await two_sessions(store, damage)
    with pytest.raises(CorruptSession, match="delete the session's keys") as told:
        await signs_of(store, sessions, await sessions.get(BAD))
    assert "potassium" not in str(told.value)
    assert told.value.__cause__ is None or "potassium" not in str(told.value.__cause__)


@damaged
async def test_the_others_are_watched(store: Redis, damage: Damage) -> None:
    sessions = await two_sessions(store, damage)
    assert GOOD in {each.session_id for each in await StoredSessions(store, sessions).live()}


@damaged
async def test_the_others_get_their_reports(store: Redis, damage: Damage) -> None:
    sessions = await two_sessions(store, damage)
    await lived(store, "s-over")
    ended = await sessions.end("s-over")
    await store.zadd(ENDED, {BAD: 1, "s-over": 2})
    await Recorder(store, None).round()
    entry = await Outbox(store).read(ended.keys)
    assert entry is not None and entry.report == "made"


@damaged
async def test_sessions_are_opened_and_health_answers(
    store: Redis, settings: Settings, damage: Damage
) -> None:
    await two_sessions(store, damage)
    async with serving(settings, ScriptedSfu([Expect("check"), Expect("create_room")])) as http:
        health = (await http.get("/health")).json()
        opened = await http.post("/sessions", json={"case_id": CASE})
    assert health["sessions"] == 2  # of the damaged one nobody can tell
    assert health["parts"]["store"]["ok"]
    assert opened.status_code == 201


@damaged
async def test_the_apis_own_loops_go_on(store: Redis, settings: Settings, damage: Damage) -> None:
    await two_sessions(store, damage)
    soon = WatchLimits(poll_s=0.01)
    async with serving(settings, WellSfu(), watch=soon, recording=RecordLimits(poll_s=0.01)) as http:
        await asyncio.sleep(0.3)
        health = (await http.get("/health")).json()
    assert health["parts"]["watcher"] == {"ok": True, "detail": "watches"}
    assert health["parts"]["recorder"]["ok"]
    assert health["watcher"]["rounds"] > 3

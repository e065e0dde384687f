"""Nobody fills the store, floods the log or opens without end; and nobody else notices who tries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis.asyncio import Redis

from exaim_live.events import SENT_CHARS
from infra.buckets import Buckets, Pace
from infra.keys import LOGS, REPORTED, SessionKeys
from infra.log_bytes import MIB, LogBytes, give_back, reserve_is_used, share_of
from infra.reports.recorder import RecordLimits
from infra.sessions import SessionStore, Status
from infra.settings import Settings
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from routes.events import MOST_EVENTS
from routes.quotas import BYTES, EVENTS, OPENINGS
from tests.api.serving import BASE, a_key, bearer, redeemed, refusal, serving, settings_for, stopped

ENDS = [Expect("create_room"), Expect("agent_present", answer=False), Expect("delete_room")]
QUICK = RecordLimits(poll_s=0.02)


async def opened(client: httpx.AsyncClient, key: str = "") -> dict[str, Any]:
    headers = {"Exaim-Key": key} if key else {}
    answer = await client.post("/sessions", json={"live": {"title": "Cold hands"}}, headers=headers)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def send(client: httpx.AsyncClient, session: dict[str, Any], *events: dict[str, Any]) -> httpx.Response:
    path = session["live"]["events_url"].removeprefix(BASE)
    return await client.post(path, json={"events": events}, headers=bearer(session["live"]["team_token"]))


def tokens(first: int, number: int, text: str) -> list[dict[str, Any]]:
    return [
        {"type": "TOKEN", "seq": seq, "agentId": "a", "turn": 1, "data": text}
        for seq in range(first, first + number)
    ]


# --- rates


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_bucket_gives_its_burst_and_then_so_much_a_second() -> None:
    clock = Clock()
    buckets = Buckets(Pace(burst=10, per_s=2), now_s=clock)
    buckets.take("a", 10)
    assert (buckets.short_s("a", 1), buckets.short_s("b", 10)) == (0.5, 0.0)
    clock.now_s = 3.0
    assert buckets.short_s("a", 6) == 0.0
    assert buckets.short_s("a", 7) == 0.5
    buckets.take("a", 6)
    clock.now_s = 2.0  # a clock that steps back gives nothing and takes nothing
    assert buckets.short_s("a", 1) == 0.5
    clock.now_s = 1e6
    assert buckets.short_s("a", 1_000) == 0.0  # more than it ever holds: once it is full
    buckets.take("a", 1_000)
    assert buckets.short_s("a", 1_000) == 5.0


def test_of_many_names_the_one_that_was_away_longest_is_forgotten() -> None:
    buckets = Buckets(Pace(burst=1, per_s=1), now_s=Clock(), most_names=2)
    for name in ("a", "b", "a", "c"):
        buckets.take(name, 1)
    assert [buckets.short_s(name, 1) for name in "abc"] == [1.0, 0.0, 1.0]


async def test_a_team_that_floods_is_told_to_wait_and_another_is_not(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")] * 2), now_s=stopped) as client:
        greedy, other = await opened(client), await opened(client)
        seq, refused = 0, None
        for _ in range(int(BYTES.burst) // (7 * SENT_CHARS) + 2):
            answer = await send(client, greedy, *tokens(seq, 7, "x" * SENT_CHARS))
            if answer.status_code != 200:
                refused = answer
                break
            seq += 7
        spoke = await send(client, other, *tokens(0, 1, "Potassium is 7.1."))
        asked = await send(client, greedy)
    assert refused is not None
    assert refusal(refused) == (429, "too_fast")
    assert int(refused.headers["Retry-After"]) >= 1
    assert spoke.json() == {"stored_seq": 0}
    assert asked.json() == {"stored_seq": seq - 1}  # nothing of the refused batch was taken


async def test_many_small_events_are_a_flood_too(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")]), now_s=stopped) as client:
        session = await opened(client)
        codes = []
        for batch in range(int(EVENTS.burst) // MOST_EVENTS + 3):
            answer = await send(client, session, *tokens(batch * MOST_EVENTS, MOST_EVENTS, "a"))
            codes.append(answer.status_code)
    assert codes[: int(EVENTS.burst) // MOST_EVENTS] == [200] * (int(EVENTS.burst) // MOST_EVENTS)
    assert 429 in codes


async def test_an_opener_opens_so_many_and_another_opener_does_not_notice(settings: Settings) -> None:
    key = a_key(principal="greedy")
    script = [Expect("create_room"), Expect("agent_present", answer=False), Expect("delete_room")]
    async with serving(settings, ScriptedSfu(script * 40), now_s=stopped) as client:
        for _ in range(int(OPENINGS.burst)):
            session = await opened(client, key)
            ended = await client.post(
                f"/sessions/{session['session_id']}/end",
                headers=await redeemed(client, session["live"]["page_url"]),
            )
            assert ended.status_code == 200
        over = await client.post("/sessions", json={"live": {"title": "x"}}, headers={"Exaim-Key": key})
        other = await client.post("/sessions", json={"live": {"title": "x"}})
    assert refusal(over) == (429, "too_many_openings")
    assert int(over.headers["Retry-After"]) >= 1
    assert other.status_code == 201


# --- bytes


def test_each_open_session_has_a_share_and_half_is_for_those_that_are_over() -> None:
    assert share_of(128 * MIB, 4) == 16 * MIB
    assert share_of(128 * MIB, 16) == 4 * MIB
    assert share_of(128 * MIB, 100) == 4 * MIB  # then fewer are opened, and each log still holds a case


@pytest.mark.parametrize(
    ("used", "most", "low"),
    [(10, 0, False), (100, 256, False), (193, 256, True), (256, 256, False), (20, 32, False)],
)
def test_the_reserve_of_the_store_is_a_quarter(used: int, most: int, low: bool) -> None:
    """A full store says so by itself (`StoreFull`), one without a bound has no reserve."""
    assert reserve_is_used({"used_memory": used * MIB, "maxmemory": most * MIB}) is low


async def test_a_session_is_opened_only_if_its_whole_share_is_free(tmp_path: Path, store_url: str) -> None:
    settings = settings_for(tmp_path, store_url, log_mib=16, max_sessions=8)  # a share is 4 MiB
    async with serving(settings, ScriptedSfu([Expect("create_room")] * 4)) as client:
        sessions = [await opened(client) for _ in range(4)]
        fifth = await client.post("/sessions", json={"live": {"title": "x"}})
        others = [await send(client, session, *tokens(0, 1, "a")) for session in sessions]
        async with connect(store_url) as store:
            live = await SessionStore(store).live()
    assert refusal(fifth) == (429, "logs_full")
    assert int(fifth.headers["Retry-After"]) >= 1
    assert [answer.status_code for answer in others] == [200] * 4
    assert len(live) == 4


async def test_what_is_ended_gives_its_words_back_with_its_report(tmp_path: Path, store_url: str) -> None:
    settings = settings_for(tmp_path, store_url, log_mib=16, max_sessions=8, record=False)
    async with (
        serving(settings, ScriptedSfu([*ENDS]), recording=QUICK) as client,
        connect(store_url) as store,
    ):
        session = await opened(client)
        keys = SessionKeys(session["session_id"], session["session_id"])
        await send(client, session, *tokens(0, 3, "Potassium is 7.1."))
        held = int(await store.hget(LOGS, keys.session_id) or 0)
        secret = await redeemed(client, session["live"]["page_url"])
        await client.post(f"/sessions/{keys.session_id}/end", headers=secret)
        at_once = int(await store.hget(LOGS, keys.session_id) or 0)
        while await store.hexists(LOGS, keys.session_id):
            await client.get("/health/live")
        left = await store.exists(keys.events, keys.name("paper"))
        report = await client.get(f"/sessions/{keys.session_id}/report", headers=secret)
        late = await send(client, session, *tokens(3, 1, "late"))
    assert held == 4 * MIB
    assert 0 < at_once < 4_000
    assert left == 0
    assert report.json()["agents"][0]["words"] == 7
    assert refusal(late) == (410, "session_ended")


async def test_the_longest_abandoned_gives_way_and_is_then_as_if_it_had_expired(
    tmp_path: Path, store_url: str
) -> None:
    settings = settings_for(tmp_path, store_url, log_mib=16, max_sessions=8, record=False)
    script = [Expect("create_room")] * 5
    async with serving(settings, ScriptedSfu(script), recording=QUICK) as client, connect(store_url) as store:
        sessions = SessionStore(store)
        found = [(await opened(client))["session_id"] for _ in range(4)]
        for session_id in found[:2]:
            await store.hset(SessionKeys(session_id, session_id).name("heads"), "event_seq", "5")
            await store.xadd(SessionKeys(session_id, session_id).events, {"v": "1"})
            await sessions.end(session_id, Status.ABANDONED)
        await _reported(store, found[:2])
        await opened(client)
        first, second = (SessionKeys(session_id, session_id) for session_id in found[:2])
        assert [await store.exists(keys.events) for keys in (first, second)] == [0, 1]
        assert await store.hget(first.name("heads"), "sealed") == "0"
        assert await store.hexists(first.name("heads"), "event_seq") is False
        assert (await sessions.get(found[0])).status is Status.ABANDONED


async def _reported(store: Redis, session_ids: Sequence[str]) -> None:
    for session_id in session_ids:
        await store.hset(SessionKeys(session_id, session_id).name("outbox"), "report", "made")


async def test_words_are_taken_from_no_session_that_lives_or_waits_for_its_report(
    settings: Settings, store_url: str
) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client, connect(store_url) as store:
        session = await opened(client)
        await send(client, session, *tokens(0, 1, "a"))
        sessions = SessionStore(store)
        record = await sessions.get(session["session_id"])
        assert not await give_back(store, record)
        ended = await sessions.end(record.session_id, Status.ABANDONED)
        assert not await give_back(store, ended)
        assert await store.exists(record.keys.events)
        assert int(await store.hget(LOGS, record.session_id) or 0) == 16 * MIB  # its team may go on


async def test_what_is_set_aside_for_a_session_that_is_gone_is_found(store_url: str) -> None:
    async with connect(store_url) as store:
        logs = LogBytes(store, SessionStore(store), total=10, share=6)
        assert await logs.set_aside("s-1")
        assert await logs.set_aside("s-1")  # again is no error
        assert await logs.set_aside("s-2")  # of s-1 there is no record
        assert await store.hgetall(LOGS) == {"s-2": "6"}


async def test_a_store_that_needs_room_takes_all_but_the_report_of_what_is_over_for_good(
    tmp_path: Path, store_url: str
) -> None:
    settings = settings_for(tmp_path, store_url, record=False)
    async with (
        connect(store_url) as store,
        serving(settings, ScriptedSfu([*ENDS]), recording=QUICK) as client,
    ):
        ended = await opened(client)
        await send(client, ended, *tokens(0, 3, "Potassium is 7.1."))
        path, secret = f"/sessions/{ended['session_id']}", await redeemed(client, ended["live"]["page_url"])
        keys = SessionKeys(ended["session_id"], ended["session_id"])
        await client.post(f"{path}/end", headers=secret)
        while (await client.get(f"{path}/report", headers=secret)).status_code != 200:
            pass
        while not await store.zscore(REPORTED, keys.session_id):
            await client.get("/health/live")
        before = (await client.get(path, headers=secret)).json()
    another_process = serving(settings, ScriptedSfu([Expect("create_room")]))
    async with connect(store_url) as store, another_process as client:
        for _ in range(40):  # as much as a greedy session's summaries
            await store.xadd(keys.updates, {"ballast": "x" * MIB})
        await _leave_less_than_the_reserve(store)
        going_on = await opened(client)
        left = await store.exists(keys.updates, keys.commands, keys.name("utterances"), keys.name("seen"))
        after = (await client.get(path, headers=secret)).json()
        report = await client.get(f"{path}/report", headers=secret)
    assert going_on["session_id"] != ended["session_id"]
    assert left == 0
    assert after == before
    assert report.json()["agents"][0]["words"] == 7


async def test_with_only_the_reserve_left_text_waits_and_the_end_does_not(
    settings: Settings, store_url: str
) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client, connect(store_url) as store:
        session = await opened(client)
    async with serving(settings, ScriptedSfu()) as client, connect(store_url) as store:
        for number in range(40):
            await store.set(f"ballast:{number}", "x" * MIB)
        await _leave_less_than_the_reserve(store)
        text = await send(client, session, *tokens(0, 1, "a"))
        another = await client.post("/sessions", json={"live": {"title": "x"}})
        end = await send(client, session, {"type": "END", "seq": 0})
    assert refusal(text) == (429, "store_low")
    assert refusal(another) == (429, "store_low")
    assert end.json() == {"stored_seq": 0}


async def _leave_less_than_the_reserve(store: Redis) -> None:
    used = int((await store.info("memory"))["used_memory"])
    await store.config_set("maxmemory", used + 8 * MIB)  # 32 are the least that is kept

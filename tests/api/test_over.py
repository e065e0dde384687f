"""What can be asked of a session that is over: its report, and to go on."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.database.records import SqlRecords
from infra.keys import ENDED, SessionKeys
from infra.ledger import SpeechLedger
from infra.reports.recorder import RecordLimits
from infra.sessions import SessionStore, Status
from infra.settings import Settings, SettingsError
from infra.sfu_port import SfuUnavailable
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from infra.streams import Command, SessionStreams
from tests.api.serving import CASE, bearer, refusal, serving, settings_for
from tests.infra.making import taken
from tests.infra.story import item, update, utterance
from tts_queue.model import Move
from tts_queue.phases import Phase

SOON = RecordLimits(poll_s=0.02, retry_s=0.05, database_first_s=0.05)
ROOM = Expect("create_room")
END = [Expect("agent_present", answer=False), Expect("delete_room")]
AGAIN = [Expect("delete_room"), ROOM]
MARKDOWN = {"Accept": "text/markdown, text/plain;q=0.5"}


async def opened(client: httpx.AsyncClient) -> tuple[str, dict[str, str]]:
    """Open a session; return its path, and the header that carries its secret."""
    body = (await client.post("/sessions", json={"case_id": CASE})).json()
    return f"/sessions/{body['session_id']}", bearer(body["client_secret"])


def id_in(path: str) -> str:
    return path.rsplit("/", 1)[1]


async def asked(settings: Settings, path: str) -> None:
    """Have something happen in a session: its clinician is ready."""
    async with connect(settings.redis_url) as client:
        keys = SessionKeys(id_in(path), id_in(path))
        command = Command(kind="ready", by="clinician", at_ms=1, command_id="ready")
        await SessionStreams(client, keys).append_command(command)


async def abandoned(settings: Settings, path: str) -> None:
    """Have nobody come back to a session."""
    await asked(settings, path)
    async with connect(settings.redis_url) as client:
        await SessionStore(client).end(id_in(path), Status.ABANDONED)


async def hurried(settings: Settings) -> None:
    """Let the time pass after which sessions that are over are looked at."""
    async with connect(settings.redis_url) as client:
        for session_id in await client.zrange(ENDED, 0, -1):
            await client.zadd(ENDED, {str(session_id): 0})


async def in_store(settings: Settings, path: str) -> Any:
    async with connect(settings.redis_url) as client:
        return await SessionStore(client).get(id_in(path))


async def forgotten(settings: Settings) -> None:
    """Let everything expire in the store."""
    async with connect(settings.redis_url) as client:
        await client.flushall()


async def report(client: httpx.AsyncClient, path: str, header: dict[str, str]) -> httpx.Response:
    """Ask for a report until it is no more being made."""
    async with asyncio.timeout(20):
        while True:
            answer = await client.get(f"{path}/report", headers=header)
            if answer.status_code != 409:
                return answer
            await asyncio.sleep(0.05)


async def in_database(settings: Settings, path: str) -> None:
    """Wait until a session's row is written."""
    records = SqlRecords(str(settings.records_url))
    async with asyncio.timeout(20):
        while await records.get(id_in(path)) is None:
            await asyncio.sleep(0.05)
    await records.aclose()


async def test_the_report_is_there_after_the_end_and_says_what_it_waits_for_before(
    settings: Settings,
) -> None:
    async with serving(settings, ScriptedSfu([ROOM, *END]), recording=SOON) as client:
        path, header = await opened(client)
        live = await client.get(f"{path}/report", headers=header)
        await asked(settings, path)
        await client.post(f"{path}/end", headers=header)
        early = await client.get(f"{path}/report", headers=header)
        await hurried(settings)
        answer = await report(client, path, header)
        shown = (await client.get(path, headers=header)).json()
    assert refusal(live) == (409, "session_live")
    assert refusal(early) == (409, "report_not_ready")
    assert early.headers["retry-after"] == "5"
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.headers["cache-control"] == "no-store"
    assert (answer.json()["session_id"], answer.json()["status"]) == (id_in(path), "COMPLETED")
    assert (shown["status"], shown["report"], shown["problem"]) == ("COMPLETED", "made", "")


async def test_the_report_is_markdown_if_that_is_asked_for(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM, *END]), recording=SOON) as client:
        path, header = await opened(client)
        await asked(settings, path)
        await client.post(f"{path}/end", headers=header)
        await hurried(settings)
        await report(client, path, header)
        by_accept = await client.get(f"{path}/report", headers={**header, **MARKDOWN})
        by_query = await client.get(f"{path}/report?format=md", headers=header)
        as_json = await client.get(f"{path}/report?format=json", headers={**header, **MARKDOWN})
        wrong = await client.get(f"{path}/report?format=pdf", headers=header)
    assert by_accept.headers["content-type"] == "text/markdown; charset=utf-8"
    assert by_accept.text == by_query.text
    assert by_accept.text.startswith("# ")
    assert as_json.headers["content-type"] == "application/json"
    assert refusal(wrong) == (422, "invalid_request")


@pytest.mark.parametrize(("method", "call"), [("GET", ""), ("GET", "/report"), ("POST", "/reopen")])
async def test_nothing_is_told_or_done_without_the_sessions_own_secret(
    settings: Settings, method: str, call: str
) -> None:
    async with serving(settings, ScriptedSfu([ROOM, ROOM, *END]), recording=SOON) as client:
        path, header = await opened(client)
        _, other = await opened(client)
        await asked(settings, path)
        await client.post(f"{path}/end", headers=header)
        await hurried(settings)
        await report(client, path, header)
        await in_database(settings, path)
        wrong: tuple[dict[str, str], ...] = ({}, bearer(""), other, bearer("x"))
        answers = [await client.request(method, path + call, headers=each) for each in wrong]
        await forgotten(settings)  # now it is in the database alone
        answers += [await client.request(method, path + call, headers=each) for each in wrong]
        unknown = await client.request(method, f"/sessions/s-aaaaaaaaaaaaaaaa{call}", headers=header)
    assert {refusal(answer) for answer in (*answers, unknown)} == {(401, "wrong_secret")}
    assert len({answer.text for answer in (*answers, unknown)}) == 1


async def test_once_the_store_has_forgotten_a_session_its_report_comes_from_the_database(
    settings: Settings,
) -> None:
    async with serving(settings, ScriptedSfu([ROOM, *END]), recording=SOON) as client:
        path, header = await opened(client)
        await asked(settings, path)
        await client.post(f"{path}/end", headers=header)
        await hurried(settings)
        before = await report(client, path, header)
        await in_database(settings, path)
        await forgotten(settings)
        after = await client.get(f"{path}/report", headers=header)
        shown = (await client.get(path, headers=header)).json()
        again = await client.post(f"{path}/reopen", headers=header)
        token = await client.post(f"{path}/token", headers=header)
    assert after.text == before.text
    assert (shown["status"], shown["report"]) == ("COMPLETED", "made")
    assert refusal(again) == (409, "session_completed")
    assert refusal(token) == (401, "wrong_secret")


@pytest.mark.parametrize("damaged", ["{", "[]", '{"counts": {"waiting": "potassium"}}', '{"v": 2}'])
async def test_a_damaged_report_in_the_database_is_told_and_the_session_is_shown_without_it(
    settings: Settings, damaged: str
) -> None:
    async with serving(settings, ScriptedSfu([ROOM]), recording=SOON) as client:
        path, header = await opened(client)
        await abandoned(settings, path)
        await hurried(settings)
        await in_database(settings, path)
        await forgotten(settings)
        whole = (await client.get(path, headers=header)).json()
        with sqlite3.connect(settings.run_dir / "records" / "records.db") as rows:
            rows.execute("UPDATE exaim_sessions SET report = ?", (damaged,))
        rows.close()
        shown = await client.get(path, headers=header)
        told = await client.get(f"{path}/report", headers=header)
    assert whole["unheard"] == 0
    assert (shown.status_code, shown.json()["status"], shown.json()["unheard"]) == (200, "ABANDONED", None)
    assert refusal(told) == (503, "store_unusable")
    assert "potassium" not in told.text


async def test_a_session_in_which_nothing_happened_has_no_report(settings: Settings) -> None:
    sfu = ScriptedSfu(
        [Expect("create_room", fails=SfuUnavailable("CreateRoom", "down")), Expect("delete_room")]
    )
    async with serving(settings, sfu, recording=SOON) as client, connect(settings.redis_url) as store:
        assert (await client.post("/sessions", json={"case_id": CASE})).status_code == 503
        await hurried(settings)
        async with asyncio.timeout(20):
            while await store.zcard(ENDED):
                await asyncio.sleep(0.05)
    assert not await _rows(settings)


async def _rows(settings: Settings) -> int:
    records = SqlRecords(str(settings.records_url))
    found = await records.forget(2**62)
    await records.aclose()
    return found


async def test_a_report_that_failed_for_good_says_why(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM, *END]), recording=SOON) as client:
        path, header = await opened(client)
        await asked(settings, path)
        async with connect(settings.redis_url) as store:
            await store.rpush(SessionKeys(id_in(path), id_in(path)).name("order"), "u-lost")
        await client.post(f"{path}/end", headers=header)
        await hurried(settings)
        answer = await report(client, path, header)
        shown = (await client.get(path, headers=header)).json()
    assert refusal(answer) == (404, "report_failed")
    assert "dropped part of the session" in answer.json()["error"]["message"]
    assert (shown["report"], shown["problem"]) == (
        "failed",
        answer.json()["error"]["message"].split(": ", 1)[1],
    )


async def test_with_recording_off_nothing_is_written_to_the_disk(tmp_path: Path, store_url: str) -> None:
    settings = settings_for(tmp_path, store_url, record=False)
    async with serving(settings, ScriptedSfu([ROOM, *END]), recording=SOON) as client:
        path, header = await opened(client)
        await asked(settings, path)
        await client.post(f"{path}/end", headers=header)
        await hurried(settings)
        assert (await report(client, path, header)).status_code == 200
        await forgotten(settings)
        assert refusal(await client.get(f"{path}/report", headers=header)) == (401, "wrong_secret")
    assert not (tmp_path / "records").exists()


async def test_a_database_that_cannot_be_used_costs_no_session_and_no_report(
    tmp_path: Path, store_url: str
) -> None:
    (tmp_path / "records").write_text("a file where the folder should be")
    settings = settings_for(tmp_path, store_url)
    async with serving(settings, ScriptedSfu([ROOM, *END, ROOM]), recording=SOON) as client:
        path, header = await opened(client)
        await asked(settings, path)
        await client.post(f"{path}/end", headers=header)
        await hurried(settings)
        assert (await report(client, path, header)).status_code == 200
        await opened(client)
        await forgotten(settings)
        away = await client.get(f"{path}/report", headers=header)
    assert refusal(away) == (503, "record_unavailable")
    assert "DATABASE_URL" in away.json()["error"]["message"]


def test_an_address_of_a_database_that_cannot_be_used_stops_the_start(tmp_path: Path) -> None:
    from api import create_app

    with pytest.raises(SettingsError, match="DATABASE_URL"):
        create_app(settings_for(tmp_path, database_url="mongodb://127.0.0.1/x"))


async def test_it_says_how_much_was_still_to_be_said(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client:
        path, header = await opened(client)
        live = (await client.get(path, headers=header)).json()
        async with connect(settings.redis_url) as store:
            record = await in_store(settings, path)
            keys, uid = record.keys, f"u-{record.session_id}-0001"
            reason = await taken(store, keys, "reason")
            made = update(1, item("K is 6.8."), item("Repeat it."), item("Call the kidney team."))
            await SessionStreams(store, keys).commit_update(made, uid, reason)
            ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
            for name, owner in ((f"{uid}.1", uid), (f"{uid}.2", uid), ("s.notice.greeting", None)):
                await ledger.create(utterance(name, update_id=owner))
            await ledger.move(Move(f"{uid}.1", 1, Phase.QUEUED, Phase.SPEAKING, 1.0))
            await ledger.move(Move(f"{uid}.1", 2, Phase.SPEAKING, Phase.SPOKEN, 2.0))
            await SessionStore(store).end(id_in(path), Status.ABANDONED)
        shown = (await client.get(path, headers=header)).json()
    assert live["unheard"] is None
    assert shown["unheard"] == 2  # one that waits, and one that never came to the voice; no greeting


# --- going on ------------------------------------------------------------------------------------


async def test_an_abandoned_session_goes_on_in_a_new_room_with_a_fresh_token(settings: Settings) -> None:
    sfu = ScriptedSfu([ROOM, *AGAIN])
    async with serving(settings, sfu) as client:
        path, header = await opened(client)
        await abandoned(settings, path)
        refused = await client.post(f"{path}/token", headers=header)
        answer = await client.post(f"{path}/reopen", headers=header)
        record = await in_store(settings, path)
        async with connect(settings.redis_url) as store:
            live = await SessionStore(store).live()
    assert refusal(refused) == (410, "session_ended")
    assert "/reopen" in refused.json()["error"]["message"]
    assert answer.status_code == 200
    assert set(answer.json()) == {"room", "livekit_url", "token", "expires_at"}
    assert (record.status, record.ended_at_ms, record.reopened) == (Status.IN_PROGRESS, None, 1)
    assert live == [id_in(path)]
    made = [arguments for call, arguments in sfu.made if call == "create_room"]
    assert made[0] == made[1]  # the same room, with the same dispatch
    sfu.assert_finished()


async def test_a_session_that_is_under_way_only_gets_a_token(settings: Settings) -> None:
    sfu = ScriptedSfu([ROOM])
    async with serving(settings, sfu) as client:
        path, header = await opened(client)
        again = await client.post(f"{path}/reopen", headers=header)
        token = await client.post(f"{path}/token", headers=header)
    assert (again.status_code, again.json()) == (200, token.json())


async def test_a_call_that_broke_off_before_the_session_was_listed_is_made_good_by_the_next(
    settings: Settings,
) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client, connect(settings.redis_url) as store:
        path, header = await opened(client)
        await SessionStore(store).unlist(id_in(path))
        assert (await client.post(f"{path}/reopen", headers=header)).status_code == 200
        assert await SessionStore(store).live() == [id_in(path)]


async def test_a_completed_session_is_not_opened_again(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM, *END])) as client:
        path, header = await opened(client)
        await client.post(f"{path}/end", headers=header)
        answer = await client.post(f"{path}/reopen", headers=header)
        record = await in_store(settings, path)
    assert refusal(answer) == (409, "session_completed")
    assert record.status is Status.COMPLETED


async def test_of_two_calls_at_once_one_makes_the_room(settings: Settings) -> None:
    sfu = ScriptedSfu([ROOM, *AGAIN])
    async with serving(settings, sfu) as client:
        path, header = await opened(client)
        await abandoned(settings, path)
        answers = await asyncio.gather(*(client.post(f"{path}/reopen", headers=header) for _ in range(4)))
        record = await in_store(settings, path)
    assert {answer.status_code for answer in answers} == {200}
    assert record.reopened == 1
    sfu.assert_finished()


async def test_if_the_room_cannot_be_made_it_is_abandoned_as_before_and_can_be_tried_again(
    settings: Settings,
) -> None:
    down = Expect("create_room", fails=SfuUnavailable("CreateRoom", "nothing within 5 s"))
    sfu = ScriptedSfu([ROOM, Expect("delete_room"), down, *AGAIN])
    async with serving(settings, sfu) as client:
        path, header = await opened(client)
        await abandoned(settings, path)
        refused = await client.post(f"{path}/reopen", headers=header)
        record = await in_store(settings, path)
        answer = await client.post(f"{path}/reopen", headers=header)
    assert refusal(refused) == (503, "sfu_unavailable")
    assert record.status is Status.ABANDONED
    assert answer.status_code == 200


async def test_nobody_goes_on_in_a_thread_in_which_another_session_speaks(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM, ROOM])) as client:
        path, header = await opened(client)
        await abandoned(settings, path)
        asked = {"case_id": CASE, "thread_id": path.rpartition("/")[2]}
        assert (await client.post("/sessions", json=asked, headers=header)).status_code == 201
        answer = await client.post(f"{path}/reopen", headers=header)
        record = await in_store(settings, path)
    assert refusal(answer) == (409, "thread_busy")
    assert record.status is Status.ABANDONED


async def test_going_on_counts_against_the_limit_of_sessions(tmp_path: Path, store_url: str) -> None:
    settings = settings_for(tmp_path, store_url, max_sessions=1)
    async with serving(settings, ScriptedSfu([ROOM, ROOM])) as client:
        path, header = await opened(client)
        await abandoned(settings, path)
        await opened(client)
        answer = await client.post(f"{path}/reopen", headers=header)
        record = await in_store(settings, path)
    assert refusal(answer) == (429, "too_many_sessions")
    assert record.status is Status.ABANDONED


async def test_a_session_that_the_store_has_forgotten_goes_on_from_the_database(settings: Settings) -> None:
    sfu = ScriptedSfu([ROOM, *AGAIN])
    async with serving(settings, sfu, recording=SOON) as client:
        path, header = await opened(client)
        await abandoned(settings, path)
        await hurried(settings)
        await in_database(settings, path)
        await forgotten(settings)
        answer = await client.post(f"{path}/reopen", headers=header)
        record = await in_store(settings, path)
        token = await client.post(f"{path}/token", headers=header)
        async with connect(settings.redis_url) as store:
            (command,) = await SessionStreams(store, record.keys).read_commands()
    assert answer.status_code == 200
    assert (record.status, record.reopened) == (Status.IN_PROGRESS, 1)
    assert token.status_code == 200
    assert command.command.kind == "ready"
    sfu.assert_finished()


async def test_a_reopened_session_that_then_ends_replaces_its_row(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM, *AGAIN, *END]), recording=SOON) as client:
        path, header = await opened(client)
        await abandoned(settings, path)
        await hurried(settings)
        await in_database(settings, path)
        await client.post(f"{path}/reopen", headers=header)
        await client.post(f"{path}/end", headers=header)
        await hurried(settings)
        made = (await report(client, path, header)).json()
        records = SqlRecords(str(settings.records_url))
        async with asyncio.timeout(20):
            while (row := await records.get(id_in(path))) is None or row.status != "COMPLETED":
                await asyncio.sleep(0.05)
        await records.aclose()
    assert (made["status"], made["reopened"], row.remains) == ("COMPLETED", 1, None)


async def test_a_corrupt_record_is_told_and_the_other_sessions_go_on(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM, ROOM])) as client:
        path, header = await opened(client)
        other, its_header = await opened(client)
        async with connect(settings.redis_url) as store:
            await store.hset(SessionKeys(id_in(path), id_in(path)).name("record"), "json", "{")
        broken = await client.post(f"{path}/token", headers=header)
        well = await client.post(f"{other}/token", headers=its_header)
    assert refusal(broken) == (503, "store_unusable")
    assert "delete the session's keys" in broken.json()["error"]["message"]
    assert well.status_code == 200

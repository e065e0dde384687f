"""Who opens a session for a team is not its clinician: the way in is an invitation, good once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from infra import access
from infra.database.records import SqlRecords
from infra.keys import SessionKeys
from infra.reports.recorder import RecordLimits
from infra.sessions import SessionRecord, SessionStore, Status
from infra.settings import Settings
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from infra.streams import SessionStreams
from tests.api.serving import bearer, invitation_in, redeemed, refusal, serving
from tests.api.test_over import asked, forgotten, hurried, in_database
from tests.api.test_over import opened as opened_recording

ROOM = Expect("create_room")
END = [Expect("agent_present", answer=False), Expect("delete_room")]
SOON = RecordLimits(poll_s=0.02, retry_s=0.05, database_first_s=0.05)


async def opened(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.post("/sessions", json={"live": {"title": "Cold hands", "agents": ["Doctor Zero"]}})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def words(found: Any) -> Iterator[str]:
    """Yield every text in an answer, and what is written in its links."""
    match found:
        case dict():
            for each in found.values():
                yield from words(each)
        case list():
            for each in found:
                yield from words(each)
        case str():
            yield found
            yield from found.replace("#", "&").replace("=", "&").split("&")


async def changed(settings: Settings, session_id: str, **update: Any) -> None:
    async with connect(settings.redis_url) as client:

        def change(record: SessionRecord) -> SessionRecord:
            return record.model_copy(update=update)

        await SessionStore(client).change(session_id, change)


async def commands(settings: Settings, session_id: str) -> list[str]:
    async with connect(settings.redis_url) as client:
        keys = SessionKeys(session_id, session_id)
        return [each.command.kind for each in await SessionStreams(client, keys).read_commands()]


@pytest.mark.parametrize(
    ("method", "call"),
    [
        ("POST", "/token"),
        ("POST", "/end"),
        ("POST", "/reopen"),
        ("GET", ""),
        ("GET", "/report"),
        ("POST", "/revoke"),
    ],
)
async def test_nothing_that_the_team_was_given_makes_it_the_clinician(
    settings: Settings, method: str, call: str
) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client:
        body = await opened(client)
        path = f"/sessions/{body['session_id']}{call}"
        tried = [await client.request(method, path, headers=bearer(word)) for word in set(words(body))]
    assert {refusal(answer) for answer in tried} == {(401, "wrong_secret")}


async def test_the_answer_to_a_team_lets_nobody_into_the_room(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client:
        body = await opened(client)
    assert set(body) == {"session_id", "thread_id", "live"}
    assert set(body["live"]) == {"events_url", "team_token", "page_url", "page_url_until"}
    assert not [word for word in words(body) if word.startswith("token of clinician")]


async def test_a_link_says_whose_case_it_opens_and_looking_changes_nothing(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client:
        body = await opened(client)
        path, code = invitation_in(body["live"]["page_url"])
        looks = [await client.get(path, headers=bearer(code)) for _ in range(3)]
        clinician = await redeemed(client, body["live"]["page_url"])
        entered = await client.post(f"/sessions/{body['session_id']}/token", headers=clinician)
    assert len({answer.text for answer in looks}) == 1
    shown = looks[0].json()
    assert (shown["title"], shown["agents"], shown["status"]) == ("Cold hands", ["Doctor Zero"], "SCHEDULED")
    assert entered.status_code == 200


async def test_an_invitation_is_good_once_and_the_clinician_is_told_of_who_comes_after(
    settings: Settings,
) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client:
        body = await opened(client)
        path, code = invitation_in(body["live"]["page_url"])
        first, second = access.new_secret(), access.new_secret()
        answers = [
            await client.post(path, headers=bearer(code), json={"client_secret": secret})
            for secret in (first, first, second)
        ]
        looked = await client.get(path, headers=bearer(code))
        token = f"/sessions/{body['session_id']}/token"
        entered = [await client.post(token, headers=bearer(secret)) for secret in (first, second, code)]
    assert [answer.status_code for answer in answers] == [200, 200, 410]
    assert answers[0].text == answers[1].text
    assert refusal(answers[2]) == refusal(looked) == (410, "invitation_used")
    assert "if it was not you" in answers[2].json()["error"]["message"].lower()
    assert [answer.status_code for answer in entered] == [200, 401, 401]
    assert await commands(settings, body["session_id"]) == ["stranger"]


async def test_of_two_who_redeem_at_once_one_has_the_session(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client:
        body = await opened(client)
        path, code = invitation_in(body["live"]["page_url"])
        secrets = [access.new_secret() for _ in range(4)]
        answers = await asyncio.gather(
            *(client.post(path, headers=bearer(code), json={"client_secret": each}) for each in secrets)
        )
        token = f"/sessions/{body['session_id']}/token"
        entered = [(await client.post(token, headers=bearer(each))).status_code for each in secrets]
    assert sorted(answer.status_code for answer in answers) == [200, 410, 410, 410]
    assert sorted(entered) == [200, 401, 401, 401]


async def test_an_invitation_that_is_too_old_says_whom_to_ask(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client:
        body = await opened(client)
        await changed(settings, body["session_id"], invitation_until_ms=1)
        path, code = invitation_in(body["live"]["page_url"])
        looked = await client.get(path, headers=bearer(code))
        tried = await client.post(path, headers=bearer(code), json={"client_secret": access.new_secret()})
    assert refusal(looked) == refusal(tried) == (410, "invitation_expired")
    assert "whoever sent it" in looked.json()["error"]["message"]


async def test_no_other_text_is_an_invitation_and_all_of_it_gets_one_answer(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM] * 3)) as client:
        body, other = await opened(client), await opened(client)
        recorded, header = await opened_recording(client)
        path, code = invitation_in(body["live"]["page_url"])
        _, others = invitation_in(other["live"]["page_url"])
        codes = ["", "x", code + "x", others, body["live"]["team_token"], access.digest(code)]
        tried = [await client.get(path, headers=bearer(each)) for each in codes]
        tried += [await client.get(path), await client.get(f"{recorded}/invitation", headers=header)]
        tried.append(await client.get("/sessions/s-aaaaaaaaaaaaaaaa/invitation", headers=bearer(code)))
    assert {refusal(answer) for answer in tried} == {(401, "wrong_invitation")}
    assert len({answer.text for answer in tried}) == 1


@pytest.mark.parametrize("secret", ["short", "a" * 43, "x y" * 20, "ä" * 50, "A" * 500, None, 7])
async def test_a_secret_that_is_not_random_is_refused_and_the_invitation_stays_good(
    settings: Settings, secret: Any
) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client:
        body = await opened(client)
        path, code = invitation_in(body["live"]["page_url"])
        tried = await client.post(path, headers=bearer(code), json={"client_secret": secret})
        after = await client.get(path, headers=bearer(code))
    assert refusal(tried) == (422, "invalid_request")
    assert after.status_code == 200


async def test_who_comes_after_the_room_has_ended_redeems_and_goes_on(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM, Expect("delete_room"), ROOM])) as client:
        body = await opened(client)
        async with connect(settings.redis_url) as store:
            await SessionStore(store).end(body["session_id"], Status.ABANDONED)
        clinician = await redeemed(client, body["live"]["page_url"])
        path = f"/sessions/{body['session_id']}"
        gone = await client.post(f"{path}/token", headers=clinician)
        again = await client.post(f"{path}/reopen", headers=clinician)
    assert refusal(gone) == (410, "session_ended")
    assert again.status_code == 200


async def test_a_secret_enters_for_a_day_and_reads_for_longer(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM])) as client:
        path, header = await opened_recording(client)
        session_id = path.rsplit("/", 1)[1]
        shown = (await client.get(path, headers=header)).json()
        await changed(settings, session_id, secret_until_ms=1)
        calls = [("POST", "/token"), ("POST", "/end"), ("POST", "/reopen")]
        late = [await client.request(method, path + call, headers=header) for method, call in calls]
        read = await client.get(path, headers=header)
        await changed(settings, session_id, report_until_ms=1)
        unread = [await client.get(path + call, headers=header) for call in ("", "/report")]
    assert shown["created_at"] < shown["enter_until"] < shown["report_until"]
    assert {refusal(answer) for answer in late} == {(401, "secret_expired")}
    assert read.status_code == 200
    assert {refusal(answer) for answer in unread} == {(401, "secret_expired")}
    assert await commands(settings, session_id) == []  # whose time is over is no stranger


async def test_a_revoked_secret_opens_nothing_in_the_store_or_the_database(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM, *END]), recording=SOON) as client:
        path, header = await opened_recording(client)
        await asked(settings, path)
        await client.post(f"{path}/end", headers=header)
        await hurried(settings)
        await in_database(settings, path)
        done = await client.post(f"{path}/revoke", headers=header)
        calls = [("GET", ""), ("GET", "/report"), ("POST", "/reopen"), ("POST", "/revoke")]
        tried = [await client.request(method, path + call, headers=header) for method, call in calls]
        await forgotten(settings)  # now it is in the database alone
        tried += [await client.request(method, path + call, headers=header) for method, call in calls]
    assert done.json() == {"session_id": path.rsplit("/", 1)[1], "revoked": True}
    assert {refusal(answer) for answer in tried} == {(401, "wrong_secret")}


async def test_a_session_that_is_under_way_ends_when_its_secret_is_revoked(settings: Settings) -> None:
    sfu = ScriptedSfu([ROOM, *END])
    async with serving(settings, sfu) as client:
        body = await opened(client)
        clinician = await redeemed(client, body["live"]["page_url"])
        await client.post(f"/sessions/{body['session_id']}/revoke", headers=clinician)
        path, code = invitation_in(body["live"]["page_url"])
        looked = await client.get(path, headers=bearer(code))
        async with connect(settings.redis_url) as store:
            record = await SessionStore(store).get(body["session_id"])
    sfu.assert_finished()
    assert record.status is Status.COMPLETED
    assert refusal(looked) == (401, "wrong_invitation")


async def test_a_row_that_is_written_while_its_secret_is_revoked_has_none(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([ROOM, *END]), recording=SOON) as client:
        path, header = await opened_recording(client)
        await asked(settings, path)
        await client.post(f"{path}/end", headers=header)
        async with connect(settings.redis_url) as store:
            keys = SessionKeys(path.rsplit("/", 1)[1], path.rsplit("/", 1)[1])
            await SessionStore(store).revoke(keys)
        await hurried(settings)
        await in_database(settings, path)
    records = SqlRecords(str(settings.records_url))
    row = await records.get(path.rsplit("/", 1)[1])
    await records.aclose()
    assert row is not None and row.secret_sha256 == ""

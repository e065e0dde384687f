from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from agents.keys import KEY_HEADER
from api import create_app
from infra.clock import wall_ms
from infra.keys import SessionKeys
from infra.sessions import SessionRecord, SessionStore, Status
from infra.settings import Settings
from infra.sfu_port import Dispatch, RoomGone, RoomState, SfuRefused, SfuUnavailable
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from infra.streams import LoggedCommand, SessionStreams
from tests.api.serving import BASE, CASE, a_key, bearer, refusal, serving, settings_for

DOWN = SfuUnavailable("CreateRoom", "nothing within 5 s")
GONE = Expect("agent_present", answer=False)  # the voice has left its room


async def opened(client: httpx.AsyncClient, **more: Any) -> dict[str, Any]:
    """Open a session and return what was answered."""
    answer = await client.post("/sessions", json={"case_id": CASE, **more})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def stored(settings: Settings) -> Sequence[Any]:
    """Return the records of live sessions, as another process sees them."""
    async with connect(settings.redis_url) as client:
        store = SessionStore(client)
        return [await store.get(session_id) for session_id in await store.live()]


async def commands(settings: Settings, session_id: str) -> list[LoggedCommand]:
    """Return the commands of a session."""
    async with connect(settings.redis_url) as client:
        return await SessionStreams(client, SessionKeys(session_id, session_id)).read_commands()


async def test_opening_makes_record_room_dispatch_and_token(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room")])
    async with serving(settings, sfu) as client:
        body = await opened(client, speed=2.5)
        (record,) = await stored(settings)
    session_id = body["session_id"]
    assert set(body) == {
        "session_id", "thread_id", "room", "livekit_url", "token", "client_secret", "expires_at",
        "enter_until", "report_until",
    }  # fmt: skip
    assert body["room"] == f"case-{session_id}"
    assert body["livekit_url"] == settings.livekit_url
    assert datetime.fromisoformat(body["expires_at"]) > datetime.now(UTC)
    assert body["token"].startswith(f"token of clinician-{session_id} for case-{session_id}")
    job = {"v": 1, "session_id": session_id, "thread_id": body["thread_id"]}
    ((_, (room, metadata, dispatch)),) = sfu.made
    assert isinstance(dispatch, Dispatch)
    assert (room, dispatch.agent_name, json.loads(dispatch.metadata)) == (body["room"], "exaim-voice", job)
    assert json.loads(metadata) == {"v": 1, "session_id": session_id}
    assert (record.case_id, record.speed, record.status) == (CASE, 2.5, Status.SCHEDULED)


async def test_the_page_is_told_the_public_address_where_there_is_one(store_url: str, tmp_path: Any) -> None:
    settings = settings_for(tmp_path, store_url, livekit_public_url="wss://voice.example.org")
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        assert (await opened(client))["livekit_url"] == "wss://voice.example.org"


async def test_the_secret_is_stored_as_its_digest_only(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        secret = (await opened(client))["client_secret"]
        (record,) = await stored(settings)
    assert record.secret_sha256 == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in record.model_dump_json()
    assert len(secret) >= 43


async def test_two_sessions_at_once_share_no_id_room_or_secret(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")] * 2)) as client:
        one, two = await asyncio.gather(opened(client), opened(client))
        crossed = await client.post(
            f"/sessions/{one['session_id']}/end", headers=bearer(two["client_secret"])
        )
    for name in ("session_id", "room", "client_secret", "token"):
        assert one[name] != two[name]
    assert refusal(crossed) == (401, "wrong_secret")


async def test_a_fresh_token_is_for_the_same_room_and_identity(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        first = await opened(client)
        answer = await client.post(
            f"/sessions/{first['session_id']}/token", headers=bearer(first["client_secret"])
        )
    assert answer.status_code == 200
    assert answer.json() == {name: first[name] for name in ("room", "livekit_url", "token", "expires_at")}


@pytest.mark.parametrize("call", ["token", "end"])
async def test_a_wrong_or_missing_secret_and_an_unknown_session_get_one_answer(
    call: str, settings: Settings
) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        body = await opened(client)
        own, other = f"/sessions/{body['session_id']}/{call}", f"/sessions/s-aaaaaaaaaaaaaaaa/{call}"
        answers = [
            await client.post(own),
            await client.post(own, headers=bearer("")),
            await client.post(own, headers=bearer(body["client_secret"] + "x")),
            await client.post(own, headers={"Authorization": f"Basic {body['client_secret']}"}),
            await client.post(own, headers={"Authorization": body["client_secret"]}),
            await client.post(other, headers=bearer(body["client_secret"])),
            await client.post(f"/sessions/%7B*%7D/{call}", headers=bearer(body["client_secret"])),
            await client.post(f"/sessions/{'s' * 500}/{call}", headers=bearer(body["client_secret"])),
        ]
        (record,) = await stored(settings)
    assert {refusal(answer) for answer in answers} == {(401, "wrong_secret")}
    assert len({answer.text for answer in answers}) == 1
    assert all(answer.headers["www-authenticate"] == "Bearer" for answer in answers)
    assert record.status is Status.SCHEDULED


async def test_ending_says_so_to_the_workers_then_in_the_record_then_closes_the_room(
    settings: Settings,
) -> None:
    sfu = ScriptedSfu([Expect("create_room")])
    async with serving(settings, sfu) as client:
        body = await opened(client)
        sfu.then(Expect("agent_present", room=body["room"], answer=True))
        sfu.then(Expect("agent_present", room=body["room"], answer=False))
        sfu.then(Expect("delete_room", room=body["room"]))
        answer = await client.post(
            f"/sessions/{body['session_id']}/end", headers=bearer(body["client_secret"])
        )
        ((command),) = await commands(settings, body["session_id"])
        live = await stored(settings)
    assert answer.json() == {"session_id": body["session_id"], "status": "COMPLETED"}
    assert command.command.kind == "end"
    assert live == []
    sfu.assert_finished()


async def test_ending_again_gives_the_same_answer_and_no_second_command(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room"), GONE, Expect("delete_room"), Expect("delete_room")])
    async with serving(settings, sfu) as client:
        body = await opened(client)
        url, header = f"/sessions/{body['session_id']}/end", bearer(body["client_secret"])
        first, second = await client.post(url, headers=header), await client.post(url, headers=header)
        assert len(await commands(settings, body["session_id"])) == 1
    assert (first.status_code, first.json()) == (second.status_code, second.json())


async def test_an_ended_session_gives_no_more_tokens(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room"), GONE, Expect("delete_room")])
    async with serving(settings, sfu) as client:
        body = await opened(client)
        header = bearer(body["client_secret"])
        await client.post(f"/sessions/{body['session_id']}/end", headers=header)
        answer = await client.post(f"/sessions/{body['session_id']}/token", headers=header)
    assert refusal(answer) == (410, "session_ended")


async def test_a_room_that_could_not_be_closed_is_told_and_closed_by_the_next_call(
    settings: Settings,
) -> None:
    sfu = ScriptedSfu([Expect("create_room"), GONE, Expect("delete_room", fails=DOWN), Expect("delete_room")])
    async with serving(settings, sfu) as client:
        body = await opened(client)
        url, header = f"/sessions/{body['session_id']}/end", bearer(body["client_secret"])
        assert refusal(await client.post(url, headers=header)) == (503, "sfu_unavailable")
        assert await stored(settings) == []
        assert (await client.post(url, headers=header)).json()["status"] == "COMPLETED"
    sfu.assert_finished()


@pytest.mark.parametrize(
    ("error", "code"), [(DOWN, "sfu_unavailable"), (SfuRefused("CreateRoom", 401, ""), "sfu_refused")]
)
async def test_an_sfu_that_is_down_or_refuses_leaves_nothing_half_made(
    error: SfuUnavailable | SfuRefused, code: str, settings: Settings
) -> None:
    sfu = ScriptedSfu([Expect("create_room", fails=error), Expect("delete_room", fails=error)])
    async with serving(settings, sfu) as client:
        answer = await client.post("/sessions", json={"case_id": CASE})
        assert await stored(settings) == []
    assert refusal(answer) == (503, code)
    assert "LIVEKIT_" in answer.json()["error"]["message"]
    assert answer.headers["retry-after"]
    sfu.assert_finished()


async def test_more_sessions_than_allowed_are_refused_until_one_ends(store_url: str, tmp_path: Any) -> None:
    settings = settings_for(tmp_path, store_url, max_sessions=2)
    sfu = ScriptedSfu([Expect("create_room")] * 2 + [GONE, Expect("delete_room"), Expect("create_room")])
    async with serving(settings, sfu) as client:
        first, _ = await opened(client), await opened(client)
        refused = await client.post("/sessions", json={"case_id": CASE})
        await client.post(f"/sessions/{first['session_id']}/end", headers=bearer(first["client_secret"]))
        await opened(client)
    assert refusal(refused) == (429, "too_many_sessions")
    assert "EXAIM_MAX_SESSIONS" in refused.json()["error"]["message"]
    sfu.assert_finished()


async def test_a_session_that_a_stopped_stack_left_holds_no_slot_and_gets_one_when_somebody_comes_back(
    store_url: str, tmp_path: Any
) -> None:
    settings = settings_for(tmp_path, store_url, max_sessions=1)
    no_room = Expect("participants", fails=RoomGone("case-left"))
    room = Expect("create_room")
    sfu = ScriptedSfu([room, Expect("participants"), no_room, no_room, room])
    async with serving(settings, sfu) as client:
        left = await opened(client)
        back = f"/sessions/{left['session_id']}/token", bearer(left["client_secret"])
        async with connect(store_url) as store:
            long_ago = SessionStore(store, now_ms=lambda: wall_ms() - 25_000)
            await long_ago.heartbeat(left["session_id"])
        waits = await client.post("/sessions", json={"case_id": CASE})  # somebody may be in its room
        other = await opened(client)
        refused = await client.post(back[0], headers=back[1])
        sfu.then(GONE, Expect("delete_room"), Expect("create_room", room=left["room"]))
        await client.post(f"/sessions/{other['session_id']}/end", headers=bearer(other["client_secret"]))
        returned = await client.post(back[0], headers=back[1])
        full = await client.post("/sessions", json={"case_id": CASE})
    assert [refusal(each) for each in (waits, refused, full)] == [(429, "too_many_sessions")] * 3
    assert returned.status_code == 200
    sfu.assert_finished()


async def test_a_session_that_sleeps_in_a_room_of_its_own_is_not_refused_for_its_own_slot(
    store_url: str, tmp_path: Any
) -> None:
    settings = settings_for(tmp_path, store_url, max_sessions=1)
    sfu = ScriptedSfu([Expect("create_room")] * 2)  # nobody is asked who is in its room
    async with serving(settings, sfu) as client:
        left = await opened(client)
        async with connect(store_url) as store:
            long_ago = SessionStore(store, now_ms=lambda: wall_ms() - 25_000)
            await long_ago.heartbeat(left["session_id"])
        path = f"/sessions/{left['session_id']}/token"
        answer = await client.post(path, headers=bearer(left["client_secret"]))
    assert answer.status_code == 200


async def left_alone(client: httpx.AsyncClient, settings: Settings) -> tuple[str, str, dict[str, str]]:
    """Open a session that looks as if nobody had been there for a minute; return its id, path and header."""
    left = await opened(client)
    session_id = left["session_id"]
    async with connect(settings.redis_url) as store:
        sessions = SessionStore(store, now_ms=lambda: wall_ms() - 60_000)
        minute_ago = {"created_at_ms": wall_ms() - 60_000}
        await sessions.change(session_id, lambda now: now.model_copy(update=minute_ago))
        await sessions.heartbeat(session_id)
    return session_id, f"/sessions/{session_id}", bearer(left["client_secret"])


async def test_a_session_that_ends_while_its_token_waits_for_others_gets_no_room_and_is_not_live(
    settings: Settings,
) -> None:
    sfu = ScriptedSfu([Expect("create_room"), GONE, Expect("delete_room")])
    app = create_app(settings, sfu=sfu, watch=None, recording=None)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as client,
    ):
        client.headers[KEY_HEADER] = a_key()
        _, path, secret = await left_alone(client, settings)
        async with app.state.parts.opening:  # another session is being opened
            token = asyncio.create_task(client.post(f"{path}/token", headers=secret))
            await asyncio.sleep(0.1)
            assert (await client.post(f"{path}/end", headers=secret)).status_code == 200
        refused = await token
        live = await stored(settings)
    assert refusal(refused) == (410, "session_ended")
    assert live == []
    sfu.assert_finished()


class EndsMeanwhile(ScriptedSfu):
    """Its second room takes so long that the session has ended when it stands."""

    ending: Callable[[], Awaitable[object]] | None = None

    async def create_room(self, room: str, metadata: str, dispatch: Dispatch) -> RoomState:
        if self.ending is not None:
            await self.ending()
        return await ScriptedSfu.create_room(self, room, metadata, dispatch)


async def test_a_session_that_ends_while_its_room_is_made_keeps_none(settings: Settings) -> None:
    room, deleted = Expect("create_room"), Expect("delete_room")
    sfu = EndsMeanwhile([room, GONE, deleted, room, deleted])
    async with serving(settings, sfu) as client:
        _, path, secret = await left_alone(client, settings)
        sfu.ending = lambda: client.post(f"{path}/end", headers=secret)
        refused = await client.post(f"{path}/token", headers=secret)
    assert refusal(refused) == (410, "session_ended")
    sfu.assert_finished()


async def test_a_burst_opens_as_many_sessions_as_allowed_and_no_more(store_url: str, tmp_path: Any) -> None:
    settings = settings_for(tmp_path, store_url, max_sessions=3)
    async with serving(settings, ScriptedSfu([Expect("create_room")] * 3)) as client:
        asked = [client.post("/sessions", json={"case_id": CASE}) for _ in range(12)]
        answers = await asyncio.gather(*asked)
        live = await stored(settings)
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [429] * 9
    assert len(live) == 3


async def test_two_processes_together_never_open_more_sessions_than_allowed(
    store_url: str, tmp_path: Any
) -> None:
    settings = settings_for(tmp_path, store_url, max_sessions=3)
    sfus = [ScriptedSfu([Expect("create_room")] * 3) for _ in range(2)]
    async with serving(settings, sfus[0]) as one, serving(settings, sfus[1]) as other:
        asked = [client.post("/sessions", json={"case_id": CASE}) for client in (one, other) * 6]
        statuses = [answer.status_code for answer in await asyncio.gather(*asked)]
        live = await stored(settings)
    assert set(statuses) <= {201, 429}
    assert len(live) == statuses.count(201) <= 3


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "case_id"),
        ({"case_id": ""}, "case_id"),
        ({"case_id": "q" * 129}, "case_id"),
        ({"case_id": 7}, "case_id"),
        ({"case_id": CASE, "speed": 0}, "speed"),
        ({"case_id": CASE, "speed": 101}, "speed"),
        ({"case_id": CASE, "speed": "quickly"}, "speed"),
        ({"case_id": CASE, "patient-name": "x"}, "unknown"),
        ([], "the body"),
    ],
)
async def test_a_wrong_body_is_answered_with_the_field_and_nothing_of_what_was_sent(
    body: object, named: str, tmp_path: Any
) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.post("/sessions", json=body)
    assert refusal(answer) == (422, "invalid_request")
    assert named in answer.json()["error"]["message"]
    assert not any(sent in answer.text for sent in ("qqq", "quickly", "patient-name"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"case_id=x",
        b"[" * 20_000 + b"]" * 20_000,
        b'{"speed": ' + b"9" * 5_000 + b"}",
    ],
    ids=["nothing", "half", "no UTF-8", "a form", "a deep nest", "a long number"],
)
async def test_a_body_that_is_no_json_is_told_so(content: bytes, tmp_path: Any) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.post("/sessions", content=content, headers={"Content-Type": "application/json"})
    assert refusal(answer) == (422, "invalid_request")


async def test_a_form_that_any_page_could_send_is_not_taken_for_json(tmp_path: Any) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.post(
            "/sessions", content=b'{"case_id": "x"}', headers={"Content-Type": "text/plain"}
        )
    assert refusal(answer) == (422, "invalid_request")


async def test_a_session_goes_on_in_the_thread_of_an_earlier_one_with_that_ones_secret(
    settings: Settings,
) -> None:
    sfu = ScriptedSfu([Expect("create_room"), GONE, Expect("delete_room")] + [Expect("create_room")] * 2)
    async with serving(settings, sfu) as client:
        first = await opened(client)
        asked = {"case_id": CASE, "thread_id": first["session_id"]}
        secret = bearer(first["client_secret"])
        busy = await client.post("/sessions", json=asked, headers=secret)
        await client.post(f"/sessions/{first['session_id']}/end", headers=secret)
        wrong = [await client.post("/sessions", json=asked, headers=each) for each in ({}, bearer("x"))]
        second = (await client.post("/sessions", json=asked, headers=secret)).json()
        token = await client.post(
            f"/sessions/{second['session_id']}/token", headers=bearer(second["client_secret"])
        )
        crossed = await client.post(f"/sessions/{second['session_id']}/token", headers=secret)
        own = await opened(client)
    assert refusal(busy) == (409, "thread_busy")
    assert {refusal(each) for each in wrong} == {(401, "wrong_secret")}
    assert second["thread_id"] == first["session_id"] == first["thread_id"]
    assert second["session_id"] != first["session_id"]
    assert token.status_code == 200
    assert refusal(crossed) == (401, "wrong_secret")
    assert own["thread_id"] == own["session_id"]


async def test_of_two_that_open_a_thread_at_once_neither_writes_over_the_other(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = SessionStore.create

    async def after_another(store: SessionStore, new: SessionRecord) -> SessionRecord:
        """Create a session as another process does that has just seen the thread free, too."""
        await create(store, new.model_copy(update={"session_id": "s-theirs"}))
        return await create(store, new)

    sfu = ScriptedSfu([Expect("create_room"), GONE, Expect("delete_room")])
    async with serving(settings, sfu) as client:
        first = await opened(client)
        secret = bearer(first["client_secret"])
        await client.post(f"/sessions/{first['session_id']}/end", headers=secret)
        monkeypatch.setattr(SessionStore, "create", after_another)
        late = await client.post(
            "/sessions", json={"case_id": CASE, "thread_id": first["session_id"]}, headers=secret
        )
        async with connect(settings.redis_url) as store:
            live = await SessionStore(store).live()
    assert refusal(late) == (409, "thread_busy")
    assert set(live) == {"s-theirs"}

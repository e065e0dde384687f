"""The clinician asks a live team, by the API: who may, what it gets, and when it ends."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.inbox import MessageKind, TeamMessage
from infra.errors import InboxFull
from infra.inbox import TeamInbox
from infra.keys import SessionKeys
from infra.settings import Settings
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from tests.api.serving import CASE, bearer, redeemed, refusal, serving, stopped

pytestmark = pytest.mark.real

ENDS = [Expect("agent_present", answer=False), Expect("delete_room")]
SOON_S = 20.0


async def opened(client: httpx.AsyncClient) -> tuple[str, dict[str, str], dict[str, str]]:
    """Open a live session; return its path, the team's header and the clinician's."""
    answer = await client.post("/sessions", json={"live": {"title": "Cold hands"}})
    assert answer.status_code == 201, answer.text
    live, path = answer.json()["live"], f"/sessions/{answer.json()['session_id']}"
    return path, bearer(live["team_token"]), await redeemed(client, live["page_url"])


async def look(
    client: httpx.AsyncClient, path: str, team: dict[str, str], **query: Any
) -> list[dict[str, Any]]:
    answer = await client.get(f"{path}/inbox", headers=team, params={"wait_s": 0} | query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["messages"]
    return found


async def ask(client: httpx.AsyncClient, path: str, me: dict[str, str], **body: Any) -> httpx.Response:
    return await client.post(f"{path}/ask", headers=me, json={"text": "Could this be pericarditis?"} | body)


async def test_a_question_reaches_the_team_and_is_taken_by_its_number(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        path, team, me = await opened(client)
        assert await look(client, path, team) == []
        sent = await ask(client, path, me, to="cardiologist")
        assert sent.status_code == 202, sent.text
        fact = await ask(client, path, me, text="The lactate is seven.", kind="fact")
        first, second = await look(client, path, team)
        assert first | {"at": None} == {
            "number": 1, "id": sent.json()["message_id"], "kind": "question", "to": "cardiologist", "at": None,
            "text": "Could this be pericarditis?",
        }  # fmt: skip
        assert (second["number"], second["kind"], second["id"]) == (2, "fact", fact.json()["message_id"])
        assert [each["number"] for each in await look(client, path, team, after=1)] == [2]
        assert await look(client, path, team, after=2) == []


async def test_who_waits_has_a_message_at_once_and_one_sent_twice_is_there_once(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        path, team, me = await opened(client)
        await look(client, path, team)
        async with asyncio.timeout(SOON_S), asyncio.TaskGroup() as group:
            waiting = group.create_task(look(client, path, team, wait_s=25))
            await asyncio.sleep(0.05)
            once, again = [await ask(client, path, me, id="q-1") for _ in range(2)]
        assert once.json() == again.json()
        assert [each["number"] for each in waiting.result()] == [1]


async def test_only_the_clinician_asks_and_only_the_team_fetches(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        path, team, me = await opened(client)
        assert refusal(await ask(client, path, team)) == (401, "wrong_secret")
        assert refusal(await client.get(f"{path}/inbox", headers=me)) == (401, "wrong_token")
        assert refusal(await client.get(f"{path}/inbox")) == (401, "wrong_token")


async def test_nobody_is_asked_who_does_not_listen(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room"), Expect("create_room")])
    async with serving(settings, sfu) as client:
        path, team, me = await opened(client)
        assert refusal(await ask(client, path, me)) == (409, "team_deaf")
        await look(client, path, team, answering=False)
        assert refusal(await ask(client, path, me)) == (409, "team_deaf")
        recorded = (await client.post("/sessions", json={"case_id": CASE})).json()
        theirs = bearer(recorded["client_secret"])
        assert refusal(await ask(client, f"/sessions/{recorded['session_id']}", theirs)) == (409, "no_team")


async def test_a_cancellation_reaches_a_team_that_answers_nothing(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        path, team, me = await opened(client)
        assert (await ask(client, path, me, kind="cancelled", text="")).status_code == 202
        assert [each["kind"] for each in await look(client, path, team, answering=False)] == ["cancelled"]


async def test_the_end_is_the_last_message_and_nothing_is_put_after_it(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room"), *ENDS])) as client:
        path, team, me = await opened(client)
        await look(client, path, team)
        await ask(client, path, me)
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(SOON_S), asyncio.TaskGroup() as group:
            waiting = group.create_task(look(client, path, team, after=1, wait_s=25))
            await asyncio.sleep(0.05)
            began_s = loop.time()
            assert (await client.post(f"{path}/end", headers=me)).status_code == 200
            await waiting
        assert loop.time() - began_s < 5.0
        assert [(each["number"], each["kind"]) for each in waiting.result()] == [(2, "ended")]
        assert [each["kind"] for each in await look(client, path, team)] == ["question", "ended"]
        for after in (2, 9):  # from the end on, and ahead of all that there is
            again = await look(client, path, team, after=after)
            assert [(each["number"], each["kind"]) for each in again] == [(2, "ended")]
        assert refusal(await ask(client, path, me)) == (410, "session_ended")


async def test_a_team_that_has_ended_its_reasoning_can_not_be_asked(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        path, team, me = await opened(client)
        await look(client, path, team)
        end = {"events": [{"seq": 0, "type": "END"}]}
        assert (await client.post(f"{path}/events", headers=team, json=end)).status_code == 200
        assert refusal(await ask(client, path, me)) == (409, "reasoning_over")
        assert [each["kind"] for each in await look(client, path, team)] == ["ended"]


@pytest.mark.parametrize(
    "body",
    [
        {"text": ""},
        {"text": "x" * 1_001},
        {"text": "a\nb"},
        {"kind": "ended"},
        {"kind": "budget"},
        {"to": " "},
        {"id": "a b"},
        {"more": 1},
    ],
)
async def test_what_is_no_message_is_refused(settings: Settings, body: dict[str, Any]) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        path, team, me = await opened(client)
        await look(client, path, team)
        assert refusal(await ask(client, path, me, **body)) == (422, "invalid_request")
        assert await look(client, path, team) == []


async def test_a_clinician_who_asks_without_end_is_slowed(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")]), now_s=stopped) as client:
        path, team, me = await opened(client)
        await look(client, path, team)
        answers = [await ask(client, path, me) for _ in range(12)]
        assert [each.status_code for each in answers[:10]] == [202] * 10
        assert refusal(answers[-1]) == (429, "too_many_asks")
        assert int(answers[-1].headers["Retry-After"]) >= 1


async def test_a_full_inbox_keeps_what_it_has_and_says_so(tmp_path: Path, store_url: str) -> None:
    keys = SessionKeys("t-1", "s-1")
    async with connect(store_url) as client:
        inbox = TeamInbox(client, keys, waiting_bound=2)
        await client.hset(keys.name("record"), "v", "1")
        for name in ("a", "b"):
            await inbox.put(TeamMessage(id=name, kind=MessageKind.QUESTION, text="Why?"))
        with pytest.raises(InboxFull):
            await inbox.put(TeamMessage(id="c", kind=MessageKind.QUESTION, text="Why?"))
        assert await inbox.put(TeamMessage(id="a", kind=MessageKind.QUESTION, text="Why?")) == 1
        await inbox.note_taken(1, answers=True)
        assert await inbox.put(TeamMessage(id="c", kind=MessageKind.QUESTION, text="Why?")) == 3
        assert [each.message.id for each in await inbox.read()] == ["a", "b", "c"]
        assert (await inbox.stands()).listens


async def test_a_team_gets_the_end_although_the_messages_before_it_are_no_longer_kept(
    settings: Settings,
) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room"), *ENDS])) as client:
        path, team, me = await opened(client)
        await look(client, path, team)
        await ask(client, path, me)
        assert (await client.post(f"{path}/end", headers=me)).status_code == 200
        async with connect(settings.redis_url) as store:
            session_id = path.rpartition("/")[2]
            await store.delete(SessionKeys(session_id, session_id).inbox)
        assert [(each["number"], each["kind"]) for each in await look(client, path, team)] == [(2, "ended")]

"""A live team is asked and ended: its client against the real API, a real store and a provider's real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from agents.keys import KEY_VARIABLE
from agents.teams.port import Message
from exaim_live import LiveTeam, MessageKind, Opened, open_session
from infra.settings import Settings
from infra.sfu_testing import Expect
from tests.api.serving import BASE, a_key, redeemed
from tests.api.test_live_team import Wire, api_on, client_on, events_of, opened

pytestmark = pytest.mark.real

SOON_S = 20.0
ENDS = (Expect("agent_present", answer=False), Expect("delete_room"))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, a_key())


class Clinician:
    """Asks by HTTP, as the page does."""

    def __init__(self, http: httpx.AsyncClient, session: Opened, secret: dict[str, str]) -> None:
        self._http, self._secret = http, secret
        self._path = f"{BASE}/sessions/{session.answer['session_id']}"

    async def ask(self, **body: Any) -> dict[str, Any]:
        """Ask once the team listens."""
        async with asyncio.timeout(SOON_S):
            while True:
                answer = await self._http.post(f"{self._path}/ask", headers=self._secret, json=body)
                if answer.status_code == 202:
                    sent: dict[str, Any] = answer.json()
                    return sent
                assert answer.json()["error"]["code"] == "team_deaf", answer.text
                await asyncio.sleep(0.02)

    async def end(self) -> None:
        answer = await self._http.post(f"{self._path}/end", headers=self._secret)
        assert answer.status_code == 200, answer.text


@asynccontextmanager
async def live(settings: Settings, *steps: Expect) -> AsyncIterator[tuple[LiveTeam, Clinician, Wire, Opened]]:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room"), *steps), client_on(wire) as http:
        session = await opened(http)
        clinician = Clinician(http, session, await redeemed(http, session.page_url))
        async with LiveTeam(session, http=http) as team:
            yield team, clinician, wire, session


class Provider:
    """A model's server that writes without end, and notes when its caller hangs up."""

    def __init__(self) -> None:
        self.writing, self.closed = asyncio.Event(), asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        writer.write(b"8\r\ndata: x\n\r\n")
        self.writing.set()
        await reader.read()  # until the caller's end is closed
        self.closed.set()
        writer.close()


@asynccontextmanager
async def provider() -> AsyncIterator[tuple[Provider, str]]:
    model = Provider()
    server = await asyncio.start_server(model.serve, "127.0.0.1", 0)
    async with server:
        yield model, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def debate(url: str) -> str:
    async with httpx.AsyncClient(timeout=60.0) as http, http.stream("POST", url) as answer:
        return "".join([line async for line in answer.aiter_lines()])


@pytest.mark.parametrize("how", ["ended", "cancelled"])
async def test_who_ends_it_closes_the_providers_socket_within_a_second(settings: Settings, how: str) -> None:
    loop = asyncio.get_running_loop()
    async with provider() as (model, url), live(settings, *ENDS) as (team, clinician, _, _):
        running = asyncio.create_task(team.run(debate(url)))
        await model.writing.wait()
        began_s = loop.time()
        if how == "ended":
            ending = asyncio.create_task(clinician.end())
            await asyncio.sleep(0)
        else:
            await clinician.ask(kind="cancelled")
        async with asyncio.timeout(SOON_S):
            await model.closed.wait()
            closed_s = loop.time()
            assert await running is None
            if how == "ended":
                await ending
        assert closed_s - began_s <= 1.0
        assert team.ended.is_set()


async def test_work_that_ends_by_itself_gives_its_result_and_its_error(settings: Settings) -> None:
    async def adds() -> int:
        return 7

    async def fails() -> None:
        raise ValueError("of the team's own")

    async with live(settings) as (team, _, _, _):
        assert await team.run(adds()) == 7
        with pytest.raises(ValueError, match="of the team's own"):
            await team.run(fails())
        assert not team.ended.is_set()


async def test_questions_come_in_order_and_what_is_said_to_them_is_marked(settings: Settings) -> None:
    async with live(settings) as (team, clinician, _, session):
        team.offer("cardiologist", "An embolism.")
        team.end_turn("cardiologist")
        asked = asyncio.create_task(clinician.ask(text="Could this be pericarditis?", to="cardiologist"))
        async with asyncio.timeout(SOON_S):
            async for message in team.inbox():
                assert (message.kind, message.to) == (MessageKind.QUESTION, "cardiologist")
                with team.answering(message):
                    team.offer("cardiologist", "No: the ECG is flat.")
                    team.end_turn("cardiologist")
                break
        sent = await asked
        team.offer("radiologist", "The X-ray is clear.")
    found = await events_of(settings, session)
    marked = [(event.agent_id, event.data) for event in found if event.in_reply_to == sent["message_id"]]
    assert marked == [("cardiologist", ""), ("cardiologist", "No: the ECG is flat."), ("cardiologist", "")]
    others = [event.data for event in found if event.data and event.in_reply_to is None]
    assert others == ["An embolism.", "The X-ray is clear."]


async def test_a_team_that_looks_between_its_calls_has_what_came(settings: Settings) -> None:
    async with live(settings) as (team, clinician, _, _):
        inbox = team.teams_inbox()
        assert inbox.take() == ()
        sent = await clinician.ask(text="The lactate is seven.", kind="fact")
        found: list[Message] = []
        async with asyncio.timeout(SOON_S):
            while not found:
                found += inbox.take()
                await asyncio.sleep(0.02)
        assert found == [Message(sent["message_id"], "The lactate is seven.", is_fact=True)]
        assert inbox.take() == ()


async def test_an_api_that_was_away_loses_no_question(settings: Settings) -> None:
    async with live(settings) as (team, clinician, wire, _):
        inbox = team.teams_inbox()
        await clinician.ask(text="Before?")
        there, wire.api = wire.api, None
        tried = wire.tried
        async with asyncio.timeout(SOON_S):
            while wire.tried == tried:
                await asyncio.sleep(0.02)
        wire.api = there
        await clinician.ask(text="After?")
        found: list[str] = []
        async with asyncio.timeout(SOON_S):
            while len(found) < 2:
                found += [each.text for each in inbox.take()]
                await asyncio.sleep(0.02)
        assert found == ["Before?", "After?"]


async def test_the_inbox_of_a_session_that_ends_ends_and_tells_who_waits(settings: Settings) -> None:
    async with live(settings, *ENDS) as (team, clinician, _, _):
        told: list[MessageKind] = []
        team.on_ended(told.append)
        async with asyncio.timeout(SOON_S), asyncio.TaskGroup() as group:
            group.create_task(clinician.end())
            assert [message async for message in team.inbox()] == []
        team.on_ended(told.append)
        assert told == [MessageKind.ENDED, MessageKind.ENDED]


async def test_a_server_without_inboxes_ends_nothing() -> None:
    def answers(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/inbox"):
            error = {"code": "not_found", "message": "there is none"}
            return httpx.Response(404, json={"error": error})
        return httpx.Response(200, json={"stored_seq": -1})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answers)) as http:
        async with LiveTeam(Opened("http://x/s/events", "t"), http=http) as team, asyncio.timeout(SOON_S):
            assert [message async for message in team.inbox()] == []
            assert not team.ended.is_set()


async def test_a_call_that_is_told_of_twice_counts_once_in_the_budget(settings: Settings) -> None:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await open_session(BASE, title="A cold hand", max_tokens=1_000, http=http)
        calls: list[dict[str, object]] = [
            {"traceId": "call-1", "inputTokens": 500},
            {"traceId": "call-1", "inputTokens": 500, "outputTokens": 20},
            {"traceId": "call-1", "outputTokens": 200},
            {"traceId": "call-2", "inputTokens": 90},
        ]
        events = [
            {"type": "METADATA", "seq": seq, "agentId": "cardiologist", "llm": llm}
            for seq, llm in enumerate(calls)
        ]
        headers = {"Authorization": f"Bearer {session.team_token}"}
        url = session.events_url.replace("/events", "/inbox")

        async def told_after(sent: list[dict[str, object]]) -> list[str]:
            answer = await http.post(session.events_url, headers=headers, json={"events": sent})
            assert answer.status_code == 200, answer.text
            found = (await http.get(url, headers=headers, params={"wait_s": 0})).json()["messages"]
            return [each["id"] for each in found]

        assert await told_after(events) == [], "700 of one call, and 90 of another"
        more = {"traceId": "call-2", "inputTokens": 100}
        last = {"type": "METADATA", "seq": 4, "agentId": "cardiologist", "llm": more}
        assert await told_after([last]) == ["budget-80"]


async def test_the_budget_is_in_the_teams_inbox_at_eighty_per_cent_and_at_the_end_of_it(
    settings: Settings,
) -> None:
    """The same batch twice, as after a lost answer, counts once."""
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await open_session(BASE, title="A cold hand", max_tokens=1_000, http=http)
        headers = {"Authorization": f"Bearer {session.team_token}"}

        async def spend(seq: int, tokens: int) -> list[tuple[str, str]]:
            llm = {"inputTokens": tokens - 100, "outputTokens": 100}
            event = {"type": "METADATA", "seq": seq, "agentId": "cardiologist", "llm": llm}
            for _ in range(2):
                answer = await http.post(session.events_url, headers=headers, json={"events": [event]})
                assert answer.status_code == 200, answer.text
            url = session.events_url.replace("/events", "/inbox")
            found = (await http.get(url, headers=headers, params={"wait_s": 0})).json()["messages"]
            return [(each["kind"], each["id"]) for each in found]

        assert await spend(0, 500) == []
        assert await spend(1, 300) == [("budget", "budget-80")]
        assert await spend(2, 150) == [("budget", "budget-80")]
        assert await spend(3, 150) == [("budget", "budget-80"), ("budget", "budget-100")]
        async with LiveTeam(session, http=http) as team:
            kinds = []
            async for message in team.inbox():
                kinds.append(message.kind)
                if len(kinds) == 2:
                    break
        assert kinds == [MessageKind.BUDGET, MessageKind.BUDGET]

"""The client of a live team against the real API and a real store."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypedDict

import httpx
import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from agents.keys import KEY_VARIABLE
from agents.stream import EventType, StreamEvent, TurnMark
from api import create_app
from exaim_live import LiveTeam, Opened, Refused, Unreachable, open_session
from exaim_live.langchain import TeamCallbackHandler
from infra.keys import SessionKeys
from infra.settings import Settings
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from infra.streams import SessionStreams
from tests.api.serving import BASE, a_key, redeemed

SOON_S = 20.0
SAID = "The left hand is cold and white since this morning."


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key such as `exaim key` prints for a program that runs elsewhere."""
    monkeypatch.setenv(KEY_VARIABLE, a_key())


class Wire(httpx.AsyncBaseTransport):
    """A way to an API process, which may be away, or take a request and lose its answer."""

    def __init__(self) -> None:
        self.api: httpx.AsyncBaseTransport | None = None
        self.answers_to_lose = 0
        self.tried = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.tried += 1
        if self.api is None:
            raise httpx.ConnectError("nobody listens")
        answer = await self.api.handle_async_request(request)
        if self.answers_to_lose and request.url.path.endswith("/events"):
            self.answers_to_lose -= 1
            raise httpx.ReadTimeout("the answer was lost")
        return answer


@asynccontextmanager
async def api_on(wire: Wire, settings: Settings, *steps: Expect) -> AsyncIterator[None]:
    """Run one API process at the end of the wire."""
    app = create_app(settings, sfu=ScriptedSfu(list(steps)), watch=None, recording=None)
    async with app.router.lifespan_context(app):
        wire.api = httpx.ASGITransport(app)
        yield
        wire.api = None


@asynccontextmanager
async def client_on(wire: Wire) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=wire, timeout=5.0) as http:
        yield http


async def opened(http: httpx.AsyncClient) -> Opened:
    return await open_session(BASE, title="A cold hand", agents=["Doctor Zero"], http=http)


async def events_of(settings: Settings, session: Opened) -> Sequence[StreamEvent]:
    async with connect(settings.redis_url) as client:
        streams = SessionStreams(
            client, SessionKeys(session.answer["session_id"], session.answer["thread_id"])
        )
        return [entry.event for entry in await streams.read_events(count=1_000)]


def text_of(events: Sequence[StreamEvent], agent: str) -> str:
    return "".join(event.data for event in events if event.agent_id == agent)


async def test_turns_arrive_in_order_with_their_bounds_and_the_end(settings: Settings) -> None:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        assert session.page_url.startswith(f"{BASE}/#session={session.answer['session_id']}&invitation=")
        async with LiveTeam(session, http=http) as team:
            async with team.agent("Doctor Zero") as turn:
                for word in SAID.split(" "):
                    await turn.say(f"{word} ")
            async with team.agent("cardiologist") as turn:
                await turn.say("An embolus.")
        found = await events_of(settings, session)
    assert text_of(found, "Doctor Zero").rstrip() == SAID
    assert text_of(found, "cardiologist") == "An embolus."
    marks = [(event.mark, event.turn) for event in found if event.mark]
    assert marks == [(mark, turn) for turn in (1, 2) for mark in (TurnMark.TURN_START, TurnMark.TURN_END)]
    assert [event.seq for event in found] == list(range(len(found)))
    assert found[-1].type is EventType.END
    assert (team.lost_chars, team.refused) == (0, None)


async def test_words_are_on_their_way_before_the_turn_is_over(settings: Settings) -> None:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        async with LiveTeam(session, http=http) as team, team.agent("Doctor Zero") as turn:
            await turn.say(SAID)
            async with asyncio.timeout(SOON_S):
                while SAID not in text_of(await events_of(settings, session), "Doctor Zero"):
                    await asyncio.sleep(0.02)


async def test_lost_answers_and_a_restarted_api_lose_nothing_and_double_nothing(settings: Settings) -> None:
    wire = Wire()
    async with client_on(wire) as http:
        async with api_on(wire, settings, Expect("create_room")):
            session = await opened(http)
            wire.answers_to_lose = 1
            with pytest.raises(Unreachable):
                async with LiveTeam(session, http=http):
                    pass
            team = LiveTeam(session, http=http)
            await team.__aenter__()
            wire.answers_to_lose = 2
            team.offer("Doctor Zero", "Before. ")
            async with asyncio.timeout(SOON_S):
                while wire.answers_to_lose:
                    await asyncio.sleep(0.02)
        tried = wire.tried
        team.offer("Doctor Zero", "While nobody listened. ")
        async with asyncio.timeout(SOON_S):
            while wire.tried < tried + 2:
                await asyncio.sleep(0.02)
        async with api_on(wire, settings):
            team.offer("Doctor Zero", "After.")
            await team.__aexit__(None, None, None)
            found = await events_of(settings, session)
    assert text_of(found, "Doctor Zero") == "Before. While nobody listened. After."
    assert found[-1].type is EventType.END


async def test_a_team_that_was_started_again_goes_on_behind_what_is_stored(settings: Settings) -> None:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        killed = LiveTeam(session, http=http)
        await killed.__aenter__()
        killed.offer("Doctor Zero", "Before. ")
        async with asyncio.timeout(SOON_S):
            while "Before" not in text_of(await events_of(settings, session), "Doctor Zero"):
                await asyncio.sleep(0.02)
        assert killed._task is not None
        killed._task.cancel()
        await asyncio.wait({killed._task})
        async with LiveTeam(session, http=http) as team, team.agent("Doctor Zero") as turn:
            await turn.say("After.")
        found = await events_of(settings, session)
    assert text_of(found, "Doctor Zero") == "Before. After."
    assert [event.seq for event in found] == list(range(len(found)))


async def test_what_breaks_off_is_told_as_such_without_its_reason(settings: Settings) -> None:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        with pytest.raises(ValueError, match="the patient's name"):
            async with LiveTeam(session, http=http) as team:
                team.offer("Doctor Zero", SAID)
                raise ValueError("the patient's name")
        found = await events_of(settings, session)
    assert [event.type for event in found[-2:]] == [EventType.ERROR, EventType.END]
    assert found[-2].data == "the team broke off"


async def test_a_team_whose_session_was_ended_goes_on_unheard_and_is_told_why(settings: Settings) -> None:
    wire = Wire()
    steps = (Expect("create_room"), Expect("agent_present", answer=False), Expect("delete_room"))
    async with api_on(wire, settings, *steps), client_on(wire) as http:
        session = await opened(http)
        async with LiveTeam(session, http=http) as team:
            clinician = await redeemed(http, session.page_url)
            await http.post(f"{BASE}/sessions/{session.answer['session_id']}/end", headers=clinician)
            team.offer("Doctor Zero", SAID)
            async with asyncio.timeout(SOON_S):
                while team.refused is None:
                    await asyncio.sleep(0.02)
            assert not team.offer("Doctor Zero", "more")
    assert team.refused.code == "session_ended"
    assert team.lost_chars == len(SAID) + len("more")


async def test_a_wrong_token_and_a_wrong_address_are_told_at_once(settings: Settings) -> None:
    wire = Wire()
    async with client_on(wire) as http:
        with pytest.raises(Unreachable, match="exaim up"):
            await opened(http)
        async with api_on(wire, settings, Expect("create_room")):
            session = await opened(http)
            wrong = Opened(session.events_url, "x")
            with pytest.raises(Refused, match="wrong_token"):
                async with LiveTeam(wrong, http=http):
                    pass
            with pytest.raises(Refused, match="invalid_request"):
                await open_session(BASE, title="", http=http)


# --- LangChain and LangGraph -------------------------------------------------------------------------


class Case(TypedDict, total=False):
    complaint: str
    views: list[str]


def says(text: str) -> GenericFakeChatModel:
    return GenericFakeChatModel(messages=iter([AIMessage(text)]))


async def test_a_graphs_nodes_are_heard_as_agents_and_their_answers_as_turns(settings: Settings) -> None:
    views = {
        "vascular_surgeon": "An embolus in the arm.",
        "cardiologist": "Atrial fibrillation, so an embolus.",
    }
    builder = StateGraph(Case)
    former = START
    for name, text in views.items():

        async def node(state: Case, text: str = text) -> Case:
            answer = await says(text).ainvoke(state["complaint"])
            return {"views": [str(answer.content)]}

        builder.add_node(name, node)
        builder.add_edge(former, name)
        former = name
    builder.add_edge(former, END)
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        async with LiveTeam(session, http=http) as team:
            config: Any = {"callbacks": [TeamCallbackHandler(team)]}
            await builder.compile().ainvoke({"complaint": "A cold hand."}, config=config)
        found = await events_of(settings, session)
    assert {name: text_of(found, name) for name in views} == views
    turns = [event.agent_id for event in found if event.mark is TurnMark.TURN_END]
    assert turns == list(views)
    assert len({event.turn for event in found if event.turn}) == 2


async def test_answers_that_one_node_writes_at_once_do_not_run_into_each_other(settings: Settings) -> None:
    texts = ["It is an embolus in the arm.", "It is a thrombosis of the vein."]

    async def expert(state: Case) -> Case:
        async for _ in says(state["complaint"]).astream("?"):
            await asyncio.sleep(0.001)
        return {}

    builder = StateGraph(Case)
    builder.add_node("expert", expert)
    builder.add_conditional_edges(
        START, lambda _: [Send("expert", {"complaint": text}) for text in texts], ["expert"]
    )
    builder.add_edge("expert", END)
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        async with LiveTeam(session, http=http) as team:
            config: Any = {"callbacks": [TeamCallbackHandler(team)]}
            await builder.compile().ainvoke({"views": []}, config=config)
        found = await events_of(settings, session)
    agents = {event.agent_id for event in found if event.agent_id}
    assert {text_of(found, str(agent)) for agent in agents} == set(texts)


async def test_words_may_come_from_another_thread(settings: Settings) -> None:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        async with LiveTeam(session, http=http) as team:

            def work() -> None:
                assert threading.current_thread() is not threading.main_thread()
                says(SAID).invoke("?", {"callbacks": [TeamCallbackHandler(team, agent_of=lambda _: "house")]})

            await asyncio.to_thread(work)
        found = await events_of(settings, session)
    assert text_of(found, "house") == SAID

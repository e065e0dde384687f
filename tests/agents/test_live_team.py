"""A live team whose listener is not what it should be. With the real API: tests/api/test_live_team.py."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from exaim_live import LiveTeam, Opened, Unreachable, open_session
from exaim_live.events import LLMMetadata

SAID = "The potassium is 6.9 mmol/L."
PORTAL = "<html>Please log in</html>"

Answer = Callable[[list[dict[str, Any]]], httpx.Response]


class Listener:
    """Takes batches, and answers those with events as it is told."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.answer = answer
        self.events: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        batch = json.loads(request.content)["events"]
        if batch and self.answer is not None:
            return self.answer(batch)
        self.events += batch
        return httpx.Response(200, json={"stored_seq": len(self.events) - 1})

    @property
    def text(self) -> str:
        return "".join(event.get("data", "") for event in self.events)


@asynccontextmanager
async def client_of(listener: Callable[[httpx.Request], httpx.Response]) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.MockTransport(listener)) as http:
        yield http


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5.0):
        while not condition():
            await asyncio.sleep(0.01)


async def test_half_a_surrogate_pair_silences_nobody() -> None:
    listener = Listener()
    async with client_of(listener) as http, LiveTeam(Opened("http://x/e", "t"), http=http) as team:
        assert team.offer("Doctor Zero", "Hot \ud83d ")
        await until(lambda: bool(listener.text))
        assert team.offer("Doctor Zero", SAID)
    assert listener.text == f"Hot ? {SAID}"
    assert (team.refused, team.lost_chars) == (None, 0)


class Strict(Listener):
    """Refuses a batch as a whole for each event that `readable` is false of, and a number out of order."""

    def __init__(self, readable: Callable[[dict[str, Any]], bool]) -> None:
        super().__init__(self._judged)
        self._readable = readable

    def _judged(self, batch: list[dict[str, Any]]) -> httpx.Response:
        if not all(map(self._readable, batch)):
            return httpx.Response(422, json={"error": {"code": "invalid_request", "message": "events.0"}})
        numbers = [event["seq"] for event in (*self.events, *batch)]
        assert numbers == list(range(len(numbers)))
        self.events += batch
        return httpx.Response(200, json={"stored_seq": len(self.events) - 1})


async def test_one_event_that_the_server_can_not_read_silences_nobody() -> None:
    server = Strict(lambda event: event.get("data") != "Bad.")
    async with client_of(server) as http, LiveTeam(Opened("http://x/e", "t"), http=http) as team:
        for agent, said in (
            ("zero", "One. "),
            ("one", "Bad."),
            ("zero", "Two. "),
            ("two", "Bad."),
            ("one", SAID),
        ):
            team.offer(agent, said)
    assert server.text == f"One. Two. {SAID}"
    assert server.events[-1]["type"] == "END"
    assert (team.refused, team.lost_events, team.lost_chars) == (None, 2, len("Bad.") * 2)


async def test_a_server_that_can_read_nothing_is_not_asked_event_by_event_and_has_the_end() -> None:
    server, asked = Strict(lambda event: event["type"] == "END"), 0

    def counted(request: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        return server(request)

    async with client_of(counted) as http, LiveTeam(Opened("http://x/e", "t"), http=http) as team:
        for number in range(200):
            team.offer(f"agent {number}", SAID)
    assert [event["type"] for event in server.events] == ["END"]
    assert team.lost_chars == 200 * len(SAID)
    assert asked < 100


async def test_a_batch_is_as_large_as_it_was_measured_whichever_httpx_sends_it() -> None:
    sizes: list[int] = []
    listener = Listener()

    def measured(request: httpx.Request) -> httpx.Response:
        sizes.append(len(request.content))
        assert request.headers["content-type"] == "application/json"
        return listener(request)

    said = "\u03bd\u03cc\u03c3\u03bf\u03c2 " * 15_000
    async with client_of(measured) as http, LiveTeam(Opened("http://x/e", "t"), http=http) as team:
        team.offer("zero", said)
    assert listener.text == said
    assert sum(sizes) < 2 * len(said) + 40_000
    assert max(sizes) < 60_000


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        (b"Calcium gluconate 30 ml.", "Calcium gluconate 30 ml."),
        ("Kalium 6,9 \u00b5g".encode(), "Kalium 6,9 \u00b5g"),
        (b"\xff cut", "\ufffd cut"),
        ({"drug": "calcium", "give": False}, '{"drug": "calcium", "give": false}'),
        ([{"test": "kalium"}, 3], '[{"test": "kalium"}, 3]'),
        ({"at": object}, '{"at": "<class \'object\'>"}'),
        (None, ""),
    ],
)
async def test_what_is_no_text_is_sent_as_text_and_stops_no_team(said: object, sent: str) -> None:
    listener = Listener()
    async with client_of(listener) as http, LiveTeam(Opened("http://x/e", "t"), http=http) as team:
        async with team.agent("Toxicology") as turn:
            await turn.say(said)
        assert team.offer("Doctor Zero", said)
    assert listener.text == sent * 2
    assert (team.refused, team.lost_chars) == (None, 0)


async def test_one_name_is_no_list_of_agents() -> None:
    with pytest.raises(TypeError, match="list of names"):
        await open_session("http://127.0.0.1:1", title="x", agents="cardiologist", key="k")


async def test_a_turn_whose_block_raises_is_marked_as_cut() -> None:
    listener = Listener()
    async with client_of(listener) as http, LiveTeam(Opened("http://x/e", "t"), http=http) as team:
        with pytest.raises(KeyError):
            async with team.agent("Toxicology") as turn:
                await turn.say("Calcium must not be given and digoxin Fab 400 mg ")
                raise KeyError("the tool failed")
    told = [event["llm"]["stopReason"] for event in listener.events if event.get("llm")]
    assert told == ["broke_off"]
    assert LLMMetadata(stop_reason=told[0]).is_cut


async def test_an_answer_that_is_not_ours_is_as_none_and_the_words_are_kept() -> None:
    pages = [httpx.Response(200, html=PORTAL), httpx.Response(200, json=[]), httpx.Response(200, json={})]
    listener = Listener(lambda _: pages.pop())
    async with client_of(listener) as http, LiveTeam(Opened("http://x/e", "t"), http=http) as team:
        team.offer("Doctor Zero", SAID)
        await until(lambda: not pages)
        listener.answer = None
    assert listener.text == SAID
    assert (team.refused, team.lost_chars) == (None, 0)


@pytest.mark.parametrize("page", [{"html": PORTAL}, {"json": {"live": None}}, {"json": []}])
async def test_opening_at_what_is_not_ours_says_so(page: dict[str, Any]) -> None:
    async with client_of(lambda _: httpx.Response(201, **page)) as http:
        with pytest.raises(Unreachable, match="none of its own"):
            await open_session("http://x", title="A cold hand", http=http)


async def test_opening_asks_for_what_was_named_and_for_nothing_else() -> None:
    asked: list[dict[str, Any]] = []

    def opens(request: httpx.Request) -> httpx.Response:
        asked.append(json.loads(request.content))
        live = {"team_token": "t", "page_url": "http://x/#session=s"}
        return httpx.Response(201, json={"session_id": "s", "live": live})

    async with client_of(opens) as http:
        await open_session("http://x", title="A cold hand", http=http)
        await open_session("http://x", title="A cold hand", reader="house", max_tokens=9_000, http=http)
    plain = {"title": "A cold hand", "agents": []}
    assert asked == [{"live": plain}, {"live": {**plain, "reader": "house", "max_tokens": 9_000}}]


def test_a_server_that_wants_to_be_left_alone_for_a_day_is_asked_again_after_a_minute(
    virtual: asyncio.Runner,
) -> None:
    answers = [httpx.Response(503, headers={"Retry-After": "86400"})]
    listener = Listener(lambda _: answers.pop())

    async def scene() -> None:
        async with client_of(listener) as http, LiveTeam(Opened("http://x/e", "t"), http=http) as team:
            team.offer("Doctor Zero", SAID)
            await asyncio.sleep(1.0)
            listener.answer = None
            await asyncio.sleep(61.0)
            assert listener.text == SAID

    virtual.run(scene())


async def test_a_sender_that_fails_is_told_of_and_all_words_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(batch: list[dict[str, Any]]) -> httpx.Response:
        raise RuntimeError(SAID)

    async with client_of(Listener(fails)) as http, LiveTeam(Opened("http://x/e", "t"), http=http) as team:
        assert team.offer("Doctor Zero", SAID)
        await until(lambda: team.refused is not None)
        assert not team.offer("Doctor Zero", "more")
    assert team.refused is not None
    assert (team.refused.status, team.refused.code) == (0, "sending_failed")
    assert team.lost_chars == len(SAID) + len("more")
    assert "RuntimeError" in caplog.text and SAID not in caplog.text

"""A live team that is asked: whose words are an answer to what, and what works from a thread.

With the real API: tests/api/test_live_inbox.py.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import httpx

from exaim_live import LiveTeam, MessageKind, Opened, TeamMessage

A, B = (TeamMessage(id=name, kind=MessageKind.QUESTION, text="Why?") for name in ("a", "b"))


class Session:
    """Takes all events, and answers a look into the inbox with what is put into `messages`."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.messages: list[dict[str, Any]] = []
        self.asked: list[bool] = []  # for each look into the inbox: whether questions are answered

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            self.asked.append(request.url.params["answering"] == "true")
            after = int(request.url.params["after"])
            if not self.messages[after:]:
                await asyncio.sleep(0.01)
            numbered = [{"number": at, **each} for at, each in enumerate(self.messages, 1)]
            return httpx.Response(200, json={"messages": numbered[after:]})
        self.events += json.loads(request.content)["events"]
        return httpx.Response(200, json={"stored_seq": len(self.events) - 1})

    def put(self, kind: str, **more: str) -> None:
        self.messages.append({"id": f"m-{len(self.messages) + 1}", "kind": kind, **more})

    def answers(self) -> dict[str, str | None]:
        """Return what each agent's words answer, by its words."""
        return {each["data"]: each.get("inReplyTo") for each in self.events if each.get("data")}


@asynccontextmanager
async def heard() -> AsyncIterator[tuple[Session, LiveTeam]]:
    session = Session()
    async with (
        httpx.AsyncClient(transport=httpx.MockTransport(session)) as http,
        LiveTeam(Opened("http://x/s/events", "t"), http=http) as team,
    ):
        yield session, team


async def say(team: LiveTeam, words: str) -> None:
    async with team.agent(words) as turn:
        await turn.say(words)


# --- whose words are an answer


async def test_two_questions_that_are_answered_at_once_are_told_apart() -> None:
    async def answer(team: LiveTeam, message: TeamMessage, first_s: float, rest_s: float) -> None:
        await asyncio.sleep(first_s)
        with team.answering(message):
            await asyncio.sleep(rest_s)
            await say(team, f"to {message.id}")

    async with heard() as (session, team):
        await asyncio.gather(answer(team, A, 0.0, 0.04), answer(team, B, 0.02, 0.04))
        await say(team, "afterwards")
    assert session.answers() == {"to a": "a", "to b": "b", "afterwards": None}


async def test_a_task_of_before_answers_nothing_and_one_that_outlasts_its_answer_no_more() -> None:
    go = asyncio.Event()

    async def when_told(team: LiveTeam, words: str) -> None:
        await go.wait()
        await say(team, words)

    async with heard() as (session, team):
        before = asyncio.create_task(when_told(team, "the debate goes on"))
        with team.answering(A):
            await say(team, "at once")
            within = asyncio.create_task(say(team, "by a task"))
            await asyncio.to_thread(team.offer, "thread", "by a thread")
            go.set()
            await asyncio.wait({before, within})
            go.clear()
            outlasting = asyncio.create_task(when_told(team, "too late"))
        go.set()
        await outlasting
    assert session.answers() == {
        "the debate goes on": None,
        "at once": "a",
        "by a task": "a",
        "by a thread": "a",
        "too late": None,
    }


async def test_a_thread_that_knows_of_no_block_answers_the_only_message_that_is_answered() -> None:
    """A framework's own worker: it was there before, or knows nothing of contexts."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1) as worker:
        async with heard() as (session, team):
            with team.answering(A):
                await loop.run_in_executor(worker, team.offer, "one", "one is asked")
                with team.answering(B):
                    await loop.run_in_executor(worker, team.offer, "two", "two are asked")
            await loop.run_in_executor(worker, team.offer, "none", "nobody is asked")
    assert session.answers() == {"one is asked": "a", "two are asked": None, "nobody is asked": None}


async def test_what_one_team_answers_is_no_answer_of_another() -> None:
    async with heard() as (mine, team), heard() as (others, other):
        with team.answering(A):
            await say(team, "here")
            await say(other, "there")
    assert (mine.answers(), others.answers()) == ({"here": "a"}, {"there": None})


# --- from a thread


async def test_a_thread_learns_of_the_end_though_nobody_else_has_looked() -> None:
    told: list[MessageKind] = []
    async with heard() as (session, team):
        await asyncio.to_thread(team.on_ended, told.append)
        ended = await asyncio.to_thread(lambda: team.ended)
        session.put("ended")
        async with asyncio.timeout(5.0):
            await ended.wait()
        await asyncio.to_thread(team.on_ended, told.append)
    assert told == [MessageKind.ENDED] * 2
    assert not any(session.asked), "it wants to know of the end alone"


async def test_a_thread_has_the_questions_that_came() -> None:
    def looks(team: LiveTeam) -> list[str]:
        inbox, found = team.teams_inbox(), list[str]()
        while len(found) < 2:
            found += [each.text for each in inbox.take()]
            time.sleep(0.01)
        return found

    async with heard() as (session, team):
        session.put("question", text="Why?")
        session.put("fact", text="The lactate is seven.")
        async with asyncio.timeout(5.0):
            assert await asyncio.to_thread(looks, team) == ["Why?", "The lactate is seven."]
    assert session.asked[-1], "the session knows that questions are answered"


async def test_who_looks_between_its_calls_has_all_that_came_and_answers_it() -> None:
    def works(team: LiveTeam) -> list[MessageKind]:
        found: list[MessageKind] = []
        while len(found) < 4:
            for message in team.take():
                found.append(message.kind)
                with team.answering(message):
                    team.offer(message.kind, message.kind)
            time.sleep(0.01)
        return found

    async with heard() as (session, team):
        for kind in ("question", "budget", "approval", "fact"):
            session.put(kind, text="Some words.")
        async with asyncio.timeout(5.0):
            assert await asyncio.to_thread(works, team) == ["question", "budget", "approval", "fact"]
    assert session.answers() == {"question": "m-1", "budget": "m-2", "approval": "m-3", "fact": "m-4"}


async def test_who_asks_a_thread_after_the_team_was_left_begins_nothing() -> None:
    async with heard() as (session, team):
        pass
    await asyncio.to_thread(lambda: team.ended)
    team.on_ended(lambda _: None)
    await asyncio.sleep(0.02)
    assert session.asked == []

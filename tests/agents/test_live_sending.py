"""When a team's words leave: the first at once, what follows in batches, and what is waited for without delay."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise

import httpx
import pytest

from exaim_live.outbox import Outbox
from exaim_live.sending import BATCH_S, Sender

URL = "http://exaim.test/sessions/s/events"


class Server:
    """Takes batches, and notes when each came on the loop's clock, and its words."""

    def __init__(self) -> None:
        self.took: list[tuple[float, str]] = []
        self.stored = -1

    def answer(self, request: httpx.Request) -> httpx.Response:
        events = json.loads(request.content)["events"]
        if events:
            self.stored = events[-1]["seq"]
            words = "".join(each.get("data", "") for each in events if each["type"] == "TOKEN")
            self.took.append((asyncio.get_running_loop().time(), words))
        return httpx.Response(200, json={"stored_seq": self.stored})


class Team:
    """A team that writes: each word wakes what sends it to the server."""

    def __init__(self, outbox: Outbox, sender: Sender) -> None:
        self._outbox, self.sender = outbox, sender

    def write(self, text: str) -> None:
        self._outbox.offer("cardiologist", text)
        self.sender.wake()

    def end(self) -> None:
        self._outbox.end()
        self.sender.wake()


@asynccontextmanager
async def sending(server: Server) -> AsyncIterator[Team]:
    """Give a team whose words go to `server`; at the end of the block it ends, and all is sent."""
    outbox = Outbox()
    async with httpx.AsyncClient(transport=httpx.MockTransport(server.answer)) as http:
        team = Team(outbox, Sender(http, URL, "token", outbox))
        async with asyncio.TaskGroup() as group:
            group.create_task(team.sender.run())
            yield team
            team.end()


def test_the_first_word_waits_for_nothing_and_the_next_go_in_batches(virtual: asyncio.Runner) -> None:
    server = Server()

    async def scene() -> None:
        async with sending(server) as team:
            await asyncio.sleep(1.0)
            for number in range(8):
                team.write(f"{number} ")
                await asyncio.sleep(0.03)

    virtual.run(scene())
    times, words = zip(*server.took, strict=True)
    assert times[0] == pytest.approx(1.0)
    assert words[0] == "0 "
    assert "".join(words) == "0 1 2 3 4 5 6 7 "
    assert all(after - before >= BATCH_S - 1e-9 for before, after in pairwise(times[:-1]))


def test_a_word_after_a_pause_waits_for_nothing_either(virtual: asyncio.Runner) -> None:
    server = Server()

    async def scene() -> None:
        async with sending(server) as team:
            for _ in range(3):
                await asyncio.sleep(1.0)
                team.write("again ")
            await asyncio.sleep(1.0)

    virtual.run(scene())
    assert [at_s for at_s, _ in server.took[:3]] == pytest.approx([1.0, 2.0, 3.0])


def test_what_is_waited_for_is_not_put_off(virtual: asyncio.Runner) -> None:
    server = Server()

    async def scene() -> float:
        loop = asyncio.get_running_loop()
        async with sending(server) as team:
            team.write("one ")
            await asyncio.sleep(0.01)
            team.write("two ")
            began_s = loop.time()
            await team.sender.all_stored()
            return loop.time() - began_s

    assert virtual.run(scene()) < BATCH_S / 2

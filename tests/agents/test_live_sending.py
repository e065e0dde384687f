"""When a team's words leave: the first at once, what follows in batches, and what is waited for without delay."""

from __future__ import annotations

import asyncio
import json
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


def test_the_first_word_waits_for_nothing_and_the_next_go_in_batches(virtual: asyncio.Runner) -> None:
    server = Server()

    async def scene() -> None:
        outbox = Outbox()
        async with httpx.AsyncClient(transport=httpx.MockTransport(server.answer)) as http:
            sender = Sender(http, URL, "token", outbox)
            sending = asyncio.create_task(sender.run())
            await asyncio.sleep(1.0)
            for number in range(8):
                outbox.offer("cardiologist", f"{number} ")
                sender.wake()
                await asyncio.sleep(0.03)
            outbox.end()
            sender.wake()
            await sending

    virtual.run(scene())
    times, words = zip(*server.took, strict=True)
    assert times[0] == pytest.approx(1.0)
    assert words[0] == "0 "
    assert "".join(words) == "0 1 2 3 4 5 6 7 "
    assert all(after - before >= BATCH_S - 1e-9 for before, after in pairwise(times[:-1]))


def test_a_word_after_a_pause_waits_for_nothing_either(virtual: asyncio.Runner) -> None:
    server = Server()

    async def scene() -> None:
        outbox = Outbox()
        async with httpx.AsyncClient(transport=httpx.MockTransport(server.answer)) as http:
            sender = Sender(http, URL, "token", outbox)
            sending = asyncio.create_task(sender.run())
            for _ in range(3):
                await asyncio.sleep(1.0)
                outbox.offer("cardiologist", "again ")
                sender.wake()
            await asyncio.sleep(1.0)
            outbox.end()
            sender.wake()
            await sending

    virtual.run(scene())
    assert [at_s for at_s, _ in server.took[:3]] == pytest.approx([1.0, 2.0, 3.0])


def test_what_is_waited_for_is_not_put_off(virtual: asyncio.Runner) -> None:
    server = Server()

    async def scene() -> float:
        loop, outbox = asyncio.get_running_loop(), Outbox()
        async with httpx.AsyncClient(transport=httpx.MockTransport(server.answer)) as http:
            sender = Sender(http, URL, "token", outbox)
            sending = asyncio.create_task(sender.run())
            outbox.offer("cardiologist", "one ")
            sender.wake()
            await asyncio.sleep(0.01)
            outbox.offer("cardiologist", "two ")
            sender.wake()
            began_s = loop.time()
            await sender.all_stored()
            took_s = loop.time() - began_s
            outbox.end()
            sender.wake()
            await sending
            return took_s

    assert virtual.run(scene()) < BATCH_S / 2

"""What the scenes in which the team is asked share: the question, the line to the team, and what was said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from realtime.testing import ListLine
from tests.realtime.making import spoken, update, update_id
from tests.realtime.scene import GREETING, LONG, Scene

QUESTION = "Put it to doctor one: could this be pericarditis?"
CASE_WORDS = frozenset({"antibody", "fragments", "alteplase", "atropine", "fab"})
OTHER = "The left kidney hurts."
READ_BACK = "Ask Doctor One: could this be pericarditis? Say yes."


@asynccontextmanager
async def listening(line: ListLine | None = None, **more: Any) -> AsyncIterator[Scene]:
    """Give a live session that reads a long item, with a team that takes questions."""
    s = Scene(team=line if line is not None else ListLine(), **more)
    async with s.running():
        await s.client.come()
        await s.until(6.0)
        assert s.room.phases(GREETING)[-1] == "spoken"
        s.streams.commit(update(1, spoken(LONG, protects=True)), update_id(1))
        await s.until(8.0)
        yield s


def said(s: Scene, kind: str) -> list[str]:
    """Return the texts of one kind that were said to their end, in order."""
    done = [b for b in s.room.bodies("utterance") if b["kind"] == kind and b["phase"] == "spoken"]
    return [str(b["text"]) for b in done]


def offered(s: Scene, kind: str) -> list[str]:
    return [b["text"] for b in s.room.bodies("utterance") if b["kind"] == kind and b["phase"] == "queued"]


async def asked_to_the_end(s: Scene) -> None:
    """Let our read-back be said to its end."""
    before = len(said(s, "question"))
    async with asyncio.timeout(60.0):
        while len(said(s, "question")) == before:
            await asyncio.sleep(0.05)

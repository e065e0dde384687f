"""Scenes on virtual time: a worker dies, and what it left is withdrawn before its successor can say it."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import SpokenKind
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, NEXT, reading
from tests.realtime.test_steps import WITHDRAWN
from tests.realtime.test_stopped import succeeding

pytestmark = pytest.mark.usefixtures("no_task_left_behind")

PUT_RIGHT = f"{update_id(2)}.1"


def test_what_was_half_heard_is_not_gone_on_with_and_is_put_right(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as first:
            taken_back = update(2, WITHDRAWN).model_copy(update={"withdraws": ("0001.1", "0001.2")})
        first.streams.commit(taken_back, update_id(2))
        async with succeeding(first) as second:
            await asyncio.sleep(30.0)
            assert second.room.phases(f"{ITEM}.r1") == ["queued", "cancelled"]
            assert second.room.phases(NEXT) == ["queued", "cancelled"]
            assert second.room.phases(PUT_RIGHT)[-1] == "spoken"

    virtual.run(scene())


def test_what_was_not_heard_is_not_put_right(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as first:
            taken_back = update(2, WITHDRAWN).model_copy(update={"withdraws": ("0001.2",)})
        first.streams.commit(taken_back, update_id(2))
        async with succeeding(first) as second:
            await asyncio.sleep(30.0)
            assert second.room.phases(NEXT) == ["queued", "cancelled"]
            assert second.room.phases(f"{ITEM}.r1")[-1] == "spoken"
            assert second.room.phases(PUT_RIGHT) == []

    virtual.run(scene())


def test_what_its_speaker_revised_while_it_was_said_is_said_to_its_end(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as first:
            new = spoken("Now it is something else.", SpokenKind.FINDING, protects=True)
            revised = update(2, new).model_copy(update={"withdraws": ("0001.1", "0001.2")})
        first.streams.commit(revised, update_id(2))
        async with succeeding(first) as second:
            await asyncio.sleep(30.0)
            assert second.room.phases(f"{ITEM}.r1")[-1] == "spoken"
            assert second.room.phases(NEXT) == ["queued", "cancelled"]
            assert second.room.phases(PUT_RIGHT)[-1] == "spoken"

    virtual.run(scene())

"""Scenes on virtual time: more critical findings than the queue has room for."""

from __future__ import annotations

import asyncio

from exaim_core import SpokenKind
from realtime.listener.reception import CROWDED
from tests.realtime.making import spoken, update, update_id, utterance
from tests.realtime.reading import ITEM, reading
from tests.realtime.scene import Scene
from tests.realtime.test_return import welcomes
from tts_queue import Priority

ROOM = 128


def crowded_at_s(s: Scene) -> list[float]:
    assert {b["text"] for b in s.room.bodies("notice")} <= {CROWDED}
    return [round(said.at_s) for said in s.room.of_type("notice")]


def test_a_flood_of_alarms_while_nobody_hears_ends_nothing_and_is_told_to_who_comes_back(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.client.leave()
            await s.until(12.0)
            for number in range(2, ROOM + 4):
                alarm = spoken(f"Value {number} is high.", SpokenKind.CRITICAL, critical_key=f"k{number}")
                s.streams.commit(update(number, alarm), update_id(number))
            await s.until(200.0)
            last = [s.room.phases(f"{update_id(n)}.1")[-1] for n in range(ROOM, ROOM + 4)]
            assert last == ["queued"] * 2 + ["expired"] * 2
            assert crowded_at_s(s) == [12]
            await s.client.come()
            await s.until(220.0)
            assert crowded_at_s(s) == [12, 200]
            assert "Critical findings first." in welcomes(s)[0]
            assert s.room.phases(f"{update_id(2)}.1")[-1] == "spoken"
            assert s.room.phases(ITEM)[-1] == "held"

    virtual.run(scene())


def test_a_successor_that_finds_more_alarms_than_there_is_room_for_goes_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        again = [
            utterance(f"a{n}", kind="critical", priority=Priority.CRITICAL, critical_key=f"k{n}")
            for n in range(ROOM + 2)
        ]
        async with s.running(again=again) as run:
            await s.until(2.0)
            await s.client.come()
            await s.until(30.0)
            assert not run.done()
            assert s.room.phases("a0")[-1] == "spoken"
            assert s.room.phases(f"a{ROOM + 1}") == ["queued", "expired"]
            assert crowded_at_s(s) == [0, 2]

    virtual.run(scene())

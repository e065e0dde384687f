"""Scenes on virtual time: a team that thinks whether somebody listens or not, and who comes to it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from agents.stream import EventType
from exaim_core import SpokenKind
from realtime.speech.before import FIRST
from realtime.speech.progress import AgentsStage
from realtime.speech.returning import Whereabouts, arrival_text
from realtime.testing import event
from tests.realtime.making import spoken, update, update_id, utterance
from tests.realtime.reading import spoken_ids
from tests.realtime.scene import GREETING, RATE_HZ, SESSION, Scene

ARRIVAL = f"{SESSION}.notice.arrival"
ALARM = spoken("Potassium is 6.9.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")
CAUTION = spoken("No penicillin: an allergy is on record.", SpokenKind.CAUTION, protects=True)


def test_who_comes_late_is_greeted_told_where_the_team_is_and_hears_what_waited_alarms_first(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene(live=True)
        async with s.running():
            s.streams.think("Doctor Zero", "Peaked T waves.")
            s.streams.commit(update(1, CAUTION), update_id(1))
            await s.until(70.0)
            s.streams.think("Doctor One", "Potassium is 6.9.")
            s.streams.commit(update(2, ALARM), update_id(2))
            await s.until(100.0)
            assert s.sink.sounding() == []
            await s.client.come()
            await s.until(125.0)
            assert s.text_of(GREETING) == (
                "EXAIM, decision support only. Live case. A case. A critical finding first."
            )
            assert s.text_of(ARRIVAL) == "2 summaries so far. The agents are still thinking, after a minute."
            assert spoken_ids(s)[:4] == [GREETING, f"{update_id(2)}.1", ARRIVAL, f"{update_id(1)}.1"]
            assert s.sink.sounding()[0][0] / RATE_HZ < 101.0
            assert all(s.room.phases(uid)[-1] == "spoken" for uid in spoken_ids(s))
            assert s.room.bodies("mode") == [] or s.room.bodies("mode")[-1]["mode"] == "free"

    virtual.run(scene())


def test_who_is_there_before_the_team_is_told_so_and_hears_it_begin(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True)
        async with s.running():
            await s.client.come()
            await s.until(12.0)
            assert s.text_of(GREETING) == "EXAIM, decision support only. Live case. A case."
            assert s.text_of(ARRIVAL) == "The agents have not begun yet."
            s.streams.commit(update(1, CAUTION), update_id(1))
            await s.until(20.0)
            assert s.room.phases(f"{update_id(1)}.1")[-1] == "spoken"
            assert [command.kind for command in s.asked()] == ["ready"]

    virtual.run(scene())


def test_who_is_ready_before_the_session_has_begun_is_greeted_and_hears(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True)
        ready = asyncio.create_task(s.client.come())
        await asyncio.sleep(2.0)
        assert not ready.done(), "there is nobody yet who could take it"
        async with s.running():
            await ready
            await s.until(9.0)
            assert s.room.phases(GREETING)[-1] == "spoken"

    virtual.run(scene())


def test_a_successor_before_anybody_came_greets_and_does_not_welcome_back(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True, before=replace(FIRST, vacant_s=3.0))
        waited = utterance(f"{update_id(1)}.1.r1", "No penicillin.", update_id=update_id(1), protects=True)
        async with s.running(again=[waited]):
            await s.until(30.0)
            assert s.sink.sounding() == []
            await s.client.come()
            await s.until(45.0)
            assert [uid for uid in spoken_ids(s) if uid != ARRIVAL] == [GREETING, waited.utterance_id]
            assert not [b for b in s.room.bodies("utterance") if b["kind"] == "welcome"]

    virtual.run(scene())


def test_who_was_greeted_once_is_welcomed_back_by_a_successor(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True, before=replace(FIRST, begun=True, vacant_s=200.0))
        waited = utterance(f"{update_id(1)}.1.r1", "No penicillin.", update_id=update_id(1), protects=True)
        async with s.running(again=[waited]):
            await s.client.come()
            await s.until(20.0)
            assert [b["kind"] for b in s.room.bodies("utterance")].count("greeting") == 0
            assert any(b["kind"] == "welcome" for b in s.room.bodies("utterance"))

    virtual.run(scene())


def test_nobody_comes_and_the_room_is_left_to_be_opened_again(virtual: asyncio.Runner) -> None:
    async def scene() -> str:
        s = Scene(live=True)
        async with s.running() as run:
            s.streams.think("Doctor Zero", "Peaked T waves.")
            await s.until(310.0)
            return await run

    assert virtual.run(scene()) == "abandoned"


def test_a_team_that_breaks_off_is_told_to_who_comes_late(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True)
        async with s.running():
            s.streams.log(event(0, kind=EventType.ERROR), event(1, kind=EventType.END))
            await s.until(5.0)
            await s.client.come()
            await s.until(20.0)
            assert "The agents have stopped with an error." in s.text_of(ARRIVAL)

    virtual.run(scene())


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (Whereabouts("A", heard=0, made=0, begun=False), "The agents have not begun yet."),
        (
            Whereabouts("A", heard=0, made=0, stage=AgentsStage.INTAKE),
            "No summary yet. The agents are reading the case.",
        ),
        (
            Whereabouts("A", heard=0, made=7, new=7, minutes=3, stage=AgentsStage.DONE, criticals=2),
            "7 summaries so far. The agents have finished, after three minutes.",
        ),
    ],
)
def test_where_a_live_team_is(at: Whereabouts, text: str) -> None:
    assert arrival_text(at) == text

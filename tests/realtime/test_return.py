"""Scenes on virtual time: the listener drops off, comes back, or another window takes its place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from exaim_core import SpokenKind
from infra.streams import Command
from realtime.room.livekit_room import Joined, ParticipantLeft
from realtime.speech.before import StateBefore
from realtime.testing import scene_wall_ms
from tests.realtime.making import spoken, update, update_id
from tests.realtime.scene import GREETING, ME, RATE_HZ, SESSION, Scene
from tts_queue import Phase

ONE, TWO, THREE = (f"{update_id(n)}.1" for n in (1, 2, 3))
WELCOME = "Welcome back. Recorded case. A case. We were on summary 1 of 1. The agents are still thinking."
CLAUSES = "One two three four five six seven eight nine. Ten eleven twelve thirteen fourteen fifteen."
ALARM = spoken("Potassium is 6.9.", SpokenKind.CRITICAL, critical_key="k", urgency="critical")


async def begin(s: Scene) -> None:
    """Let the listener come, and be in the second clause of the first item, with its beats confirming."""
    await s.client.come()
    await s.until(6.0)
    assert s.room.phases(GREETING)[-1] == "spoken"
    s.streams.commit(update(1, spoken(CLAUSES)), update_id(1))
    await s.until(11.5)
    assert len([b for b in s.room.bodies("segment") if b["utterance_id"] == ONE]) == 2


@asynccontextmanager
async def begun() -> AsyncIterator[Scene]:
    """Give a session as `begin` leaves it."""
    s = Scene()
    async with s.running():
        await begin(s)
        yield s


def spoken_order(s: Scene) -> list[str]:
    """Return the ids of the clauses in the order in which they sounded."""
    return [b["utterance_id"] for b in s.room.bodies("segment") if b["utterance_id"] != GREETING]


def welcomes(s: Scene) -> list[str]:
    return list(dict.fromkeys(b["text"] for b in s.room.bodies("utterance") if b["kind"] == "welcome"))


def test_who_reloads_is_welcomed_and_hears_on_from_the_clause_that_was_cut(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with begun() as s:
            s.client.leave()
            await s.until(12.0)
            assert s.room.phases(ONE)[-1] == "held"
            assert s.room.bodies("mode")[-1]["mode"] == "away"
            await s.until(15.0)
            came_s = s.loop.time()
            await s.client.come()
            await s.until(40.0)
            assert welcomes(s) == [WELCOME]
            first = next(start for start, _ in s.sink.sounding() if start > came_s * RATE_HZ)
            assert first / RATE_HZ - came_s < 1.0
            segments = [b for b in s.room.bodies("segment") if b["utterance_id"] == ONE]
            assert [
                w["text"] for w in segments[2]["words"]
            ] == "Ten eleven twelve thirteen fourteen fifteen.".split()
            assert len(segments) == 3
            assert s.room.phases(ONE)[-1] == "spoken"
            assert s.room.bodies("mode")[-1]["mode"] == "free"

    virtual.run(scene())


def test_who_was_killed_is_missed_by_its_beats_and_welcomed_when_it_joins_anew(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with begun() as s:
            s.client.beating = False
            killed_s = s.loop.time()
            await s.until(killed_s + 1.9)
            assert s.room.phases(ONE)[-1] == "held", "within two seconds"
            await s.until(killed_s + 60.0)
            s.room.offer(ParticipantLeft(ME))
            await s.client.come()
            await s.until(killed_s + 90.0)
            assert len(welcomes(s)) == 1
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


def test_who_joins_anew_before_being_missed_takes_the_place_of_the_old_one(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with begun() as s:
            s.client.beating = False
            await asyncio.sleep(0.3)
            s.room.offer(ParticipantLeft(ME, unexplained=True))  # the older connection is put out by the SFU
            s.room.offer(Joined(ME))
            await asyncio.sleep(0.1)
            assert s.room.phases(ONE)[-1] == "held", "the newcomer does not hear yet"
            assert s.room.bodies("notice") == [], "nor does it see"
            s.client.beating = True
            await s.client.say(1)
            await asyncio.sleep(0.2)
            assert [b["code"] for b in s.room.bodies("notice")] == ["taken_over"]
            await asyncio.sleep(25.0)
            assert len(welcomes(s)) == 1
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


def test_a_window_that_was_put_out_by_another_is_told_of(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with begun() as s:
            s.room.offer(ParticipantLeft(ME, unexplained=True))
            await s.client.come()
            await asyncio.sleep(25.0)
            assert [b["code"] for b in s.room.bodies("notice")] == ["taken_over"]
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


@pytest.mark.parametrize("news_s", [0.0, 0.5, 2.9])
@pytest.mark.parametrize("told_to_leave", [True, False])
def test_a_ready_that_overtakes_the_news_of_its_joining_is_enough(
    virtual: asyncio.Runner, news_s: float, told_to_leave: bool
) -> None:
    """The SFU tells up to 3 s late of who joined, or was put out, and has published nothing."""

    async def scene() -> None:
        async with begun() as s:
            s.client.beating = False
            if told_to_leave:
                s.room.offer(ParticipantLeft(ME))
            await asyncio.sleep(8.0)
            assert s.room.phases(ONE)[-1] == "held"
            await s.client.say(1)
            await asyncio.sleep(news_s)
            if not told_to_leave:
                s.room.offer(ParticipantLeft(ME, unexplained=True))
            s.room.offer(Joined(ME))
            s.client.beating = True
            await asyncio.sleep(25.0)
            assert len(welcomes(s)) == 1
            assert s.room.bodies("notice") == [], "nobody was put out who was alive"
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


def test_a_flap_of_the_line_is_a_tone_and_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with begun() as s:
            s.client.beating = False
            await asyncio.sleep(6.0)
            assert s.room.phases(ONE)[-1] == "held"
            s.client.beating = True
            await asyncio.sleep(12.0)
            assert welcomes(s) == []
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


def test_what_pressed_meanwhile_comes_after_the_alarms_and_before_the_rest_for_half_a_minute(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with begun() as s:
            s.client.leave()
            await s.until(20.0)
            banned = [
                spoken(f"Caution: no drug number {n} may be given in any dose today.", presses=True)
                for n in range(12)
            ]
            s.streams.commit(update(2, *banned, ALARM), update_id(2))
            await s.until(200.0)
            await s.client.come()
            await s.until(300.0)
            order = list(dict.fromkeys(spoken_order(s)[2:]))
            welcome = f"{SESSION}.welcome.3.1"
            asked = order.index(f"{SESSION}.question.{welcome}")
            ids = [f"{update_id(2)}.{n}" for n in range(1, 13)]
            assert order[:3] == [welcome, f"{update_id(2)}.13", ids[0]]
            assert 5 <= asked < 12, "half a minute of what presses, then the question"
            assert order[2:asked] == ids[: asked - 2]
            assert {*order[asked + 1 :]} == {ONE, *(f"{uid}.r1" for uid in ids[asked - 2 :])}, (
                "nothing is missing"
            )

    virtual.run(scene())


def test_what_goes_on_pressing_keeps_the_rest_waiting_for_half_a_minute_at_most(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with begun() as s:
            s.client.leave()
            await s.until(200.0)
            await s.client.come()
            for n in range(2, 27):
                ban = spoken(f"Caution: no drug number {n} may be given in any dose today.", presses=True)
                s.streams.commit(update(n, ban), update_id(n))
                await asyncio.sleep(3.0)
            order = list(dict.fromkeys(spoken_order(s)[2:]))
            welcome = f"{SESSION}.welcome.3.1"
            asked = order.index(f"{SESSION}.question.{welcome}")
            assert 4 <= asked < 12
            assert ONE in order[asked:], "what was cut goes on, though ban after ban comes"

    virtual.run(scene())


def test_critical_findings_come_first_after_the_welcome_then_the_cut_clause_then_the_rest(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with begun() as s:
            s.client.leave()
            await s.until(20.0)
            s.streams.commit(update(2, spoken("Sodium is 132.", topic="sodium")), update_id(2))
            s.streams.commit(update(3, ALARM), update_id(3))
            await s.until(200.0)
            await s.client.come()
            await s.until(250.0)
            assert welcomes(s) == [
                (
                    "Welcome back. Recorded case. A case. "
                    "We were on summary 1 of 3, 2 new while you were away. "
                    "The agents are still thinking. A critical finding first."
                )
            ]
            order = list(dict.fromkeys(spoken_order(s)[2:]))
            welcome = f"{SESSION}.welcome.3.1"
            assert order == [welcome, THREE, f"{SESSION}.question.{welcome}", ONE, TWO]
            assert all(s.room.phases(uid)[-1] == "spoken" for uid in (ONE, TWO, THREE)), "nothing is missing"

    virtual.run(scene())


def test_nothing_grows_too_old_while_nobody_hears(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with begun() as s:
            s.client.leave()
            for number in range(2, 8):
                s.streams.commit(update(number, spoken(f"Finding {number} is this.")), update_id(number))
                await asyncio.sleep(30.0)
            await s.client.come()
            await asyncio.sleep(60.0)
            said = [f"{update_id(number)}.1" for number in range(1, 8)]
            assert all(s.room.phases(uid)[-1] == "spoken" for uid in said)
            assert all(s.room.phases(uid).count("spoken") == 1 for uid in said), "nothing twice"

    virtual.run(scene())


@pytest.mark.parametrize(("away_s", "ends"), [(299.0, False), (301.0, True)])
def test_the_grace_is_five_minutes_from_the_last_beat(
    virtual: asyncio.Runner, away_s: float, ends: bool
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running() as run:
            await begin(s)
            s.client.beating = False
            await s.until(s.client.last_beat_s + away_s)
            assert run.done() is ends
            if ends:
                assert run.result() == "abandoned"
            else:
                s.room.offer(ParticipantLeft(ME))
                await s.client.come()
                await asyncio.sleep(25.0)
                assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


def test_a_quiet_that_was_asked_for_outlasts_a_reload(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with begun() as s:
            await s.client.say(2, "stop")
            s.client.leave()
            await s.until(20.0)
            await s.client.come()
            await s.until(40.0)
            assert len(welcomes(s)) == 1
            assert s.room.phases(ONE)[-1] == "held"
            assert s.room.bodies("snapshot")[-1]["mode"]["mode"] in ("away", "quiet")
            assert s.room.bodies("mode")[-1]["mode"] == "quiet"
            await s.client.say(2, "go_on")
            await s.until(60.0)
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


def test_a_second_return_is_welcomed_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with begun() as s:
            for _ in range(2):
                s.client.leave()
                await asyncio.sleep(5.0)
                await s.client.come()
                await asyncio.sleep(1.0)
            await asyncio.sleep(25.0)
            told = list(
                dict.fromkeys(b["utterance_id"] for b in s.room.bodies("utterance") if b["kind"] == "welcome")
            )
            assert [s.room.phases(uid)[-1] for uid in told] == ["cut", "spoken"]
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


def test_a_stranger_is_told_of(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.streams.append_command(Command(kind="stranger", by="api", at_ms=0))
            await asyncio.sleep(1.0)
            assert [b["code"] for b in s.room.bodies("notice")] == ["stranger"]

    virtual.run(scene())


def test_a_page_is_told_that_its_team_is_read_with_a_delay(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            for kind in ("read_late", "read_in_time"):
                await s.streams.append_command(Command(kind=kind, by="reasoner", at_ms=0))
            await asyncio.sleep(1.0)
            told = [(b["code"], b["text"]) for b in s.room.bodies("notice")]
            late = "This team writes faster than it can be read; it is read with a delay."
            assert told == [("read_late", late), ("read_in_time", "The team's words are read in time again.")]

    virtual.run(scene())


@pytest.mark.parametrize(
    ("kinds", "told"), [(["read_late"], ["read_late"]), (["read_late", "read_in_time"], []), ([], [])]
)
def test_a_delay_that_the_voice_before_told_of_is_told_by_its_successor_while_it_lasts(
    virtual: asyncio.Runner, kinds: list[str], told: list[str]
) -> None:
    async def scene() -> None:
        s = Scene(before=StateBefore(vacant_s=6.0, now_ms=scene_wall_ms() + 10_000))
        for kind in kinds:
            await s.streams.append_command(Command(kind=kind, by="reasoner", at_ms=0))
        async with s.running():
            await s.client.come()
            await asyncio.sleep(1.0)
            assert [b["code"] for b in s.room.bodies("notice")] == told

    virtual.run(scene())


def test_a_delay_that_ended_while_no_voice_was_there_is_not_told_as_lasting(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(before=StateBefore(vacant_s=6.0, now_ms=scene_wall_ms() + 10_000))
        await s.streams.append_command(Command(kind="read_late", by="reasoner", at_ms=0))
        await asyncio.sleep(10.0)
        await s.streams.append_command(Command(kind="read_in_time", by="reasoner", at_ms=0))
        async with s.running():
            await s.client.come()
            await asyncio.sleep(1.0)
            assert [b["code"] for b in s.room.bodies("notice")] == ["read_in_time"]

    virtual.run(scene())


@pytest.mark.parametrize(("vacant_s", "told"), [(6.0, 1), (20.0, 2), (None, 2)])
def test_a_stranger_is_told_of_by_one_worker(
    virtual: asyncio.Runner, vacant_s: float | None, told: int
) -> None:
    async def scene() -> None:
        before = StateBefore(vacant_s=vacant_s, now_ms=scene_wall_ms() + 10_000)
        s = Scene(before=before)  # what came 10 s before it began, and what comes while it is there
        await s.streams.append_command(Command(kind="stranger", by="api", at_ms=0))
        await asyncio.sleep(10.0)
        async with s.running({GREETING: Phase.SPOKEN}):
            await s.client.come()
            await s.streams.append_command(Command(kind="stranger", by="api", at_ms=0))
            await asyncio.sleep(1.0)
            assert [b["code"] for b in s.room.bodies("notice")] == ["stranger"] * told

    virtual.run(scene())

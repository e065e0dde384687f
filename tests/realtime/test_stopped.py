"""Scenes on virtual time: a worker dies in a quiet, and its successor leaves alone what was stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from exaim_core import SpokenItem, SpokenKind
from infra.ledger import LedgerEntry
from infra.streams import Command, LoggedCommand
from realtime.ears import VoiceBegan
from realtime.interruption import Mode
from realtime.speech.alerts import AGAIN_AFTER_S
from realtime.speech.before import StateBefore, read_before
from realtime.speech.takeover import Takeover, take_over
from realtime.speech.waiting import ADMITTED_AFTER_S
from realtime.testing import EPOCH_MS, ScriptedRoom, scene_wall_ms
from tests.realtime.making import entry, spoken, update, update_id, utterance
from tests.realtime.reading import modes, reading, words_heard
from tests.realtime.scene import ME, Scene
from tts_queue import HoldCause, Phase, Priority

ALARM = f"{update_id(2)}.1"
AGAIN = f"{ALARM}.r1"
TWICE = f"{ALARM}.r2"
OTHER = f"{update_id(3)}.1"
KEY = utterance("k", "Potassium is 6.9.", kind="critical", priority=Priority.CRITICAL, critical_key="k")


def alarm(text: str = "Potassium is 6.9 now.", key: str = "k") -> SpokenItem:
    return spoken(text, SpokenKind.CRITICAL, critical_key=key, urgency="critical")


async def sounding(s: Scene, uid: str) -> None:
    """Wait until the second word of an utterance sounds."""
    while s.room.bodies("segment")[-1]["utterance_id"] != uid:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.5)


async def stop(s: Scene, how: str) -> None:
    if how == "voice":
        await s.ears.say("Stop.", lasts_s=0.4)
    else:
        await s.client.say(2, how)


def ledger(*workers: Scene) -> list[LedgerEntry]:
    """Return what the workers of a session have written, the moves of takeovers aside."""
    moves = {move.utterance_id: move for each in workers for move in each.log.moves}
    return [
        LedgerEntry(u, move, 1, 1, 0, round(EPOCH_MS + 1000 * (move.at_s if move else u.queued_at_s)))
        for each in workers
        for u in each.log.created
        for move in [moves.get(u.utterance_id)]
    ]


async def left_by(*workers: Scene) -> tuple[StateBefore, Takeover]:
    """Return what a successor finds and does, in the order in which a worker begins."""
    entries, commands = ledger(*workers), await workers[0].streams.read_commands("0-0", block_ms=1, count=99)
    before = read_before(commands, entries, vacant_s=6.0, now_ms=scene_wall_ms())
    left = before.take_over(entries, now_s=workers[0].loop.time())
    workers[-1].log.moves += left.cut
    return before, left


@asynccontextmanager
async def succeeding(*workers: Scene) -> AsyncIterator[Scene]:
    """Give the next worker of the session, whom the clinician stays to hear."""
    before, left = await left_by(*workers)
    s = Scene(streams=workers[0].streams, room=ScriptedRoom(before_us=frozenset({ME})), before=before)
    async with s.running(left.finished, left.again):
        await s.client.come()
        yield s


@pytest.mark.parametrize("how", ["voice", "stop"])
def test_an_alarm_that_was_stopped_stays_so_for_two_minutes_or_until_we_may_go_on(
    virtual: asyncio.Runner, how: str
) -> None:
    async def scene() -> None:
        async with reading() as first:
            first.streams.commit(update(2, alarm()), update_id(2))
            await sounding(first, ALARM)
            await stop(first, how)
            await asyncio.sleep(5.0)
            assert first.room.phases(ALARM) == ["queued", "speaking", "held"]
        async with succeeding(first) as second:
            await asyncio.sleep(30.0)
            assert (modes(second)[-1], second.room.phases(AGAIN)) == ("quiet", ["queued"])
        async with succeeding(first, second) as third:
            await asyncio.sleep(5.0)
            third.streams.commit(update(3, alarm("Lactate is 9. It was 4 before.", "l")), update_id(3))
            await asyncio.sleep(30.0)
            assert (modes(third)[-1], third.room.phases(AGAIN)) == ("quiet", ["queued"])
            assert third.room.phases(OTHER)[-1] == "spoken"
            said = [b["words"] for b in third.room.bodies("segment") if b["utterance_id"] == OTHER]
            assert len(said) == 2, "what is stopped does not hurry it"
            await third.client.say(2, "go_on")
            await asyncio.sleep(10.0)
            assert third.room.phases(AGAIN) == ["queued", "cancelled"], "it is told from its beginning"
            assert third.room.phases(TWICE)[-1] == "spoken"
            await third.client.say(3, "stop")
            await asyncio.sleep(AGAIN_AFTER_S)
            assert third.room.phases(f"{ALARM}.r3")[-1] == "spoken", "this one was not stopped"

    virtual.run(scene())


@pytest.mark.parametrize(("how", "after_s"), [("voice", AGAIN_AFTER_S), ("wait", ADMITTED_AFTER_S)])
def test_a_successor_tells_an_alarm_that_was_stopped_after_as_long_a_silence(
    virtual: asyncio.Runner, how: str, after_s: float
) -> None:
    async def scene() -> None:
        async with reading() as first:
            first.streams.commit(update(2, alarm()), update_id(2))
            await sounding(first, ALARM)
            await stop(first, how)
            await asyncio.sleep(5.0)
        async with succeeding(first) as second:
            await asyncio.sleep(after_s + 8.0)
            assert second.room.phases(TWICE)[-1] == "spoken"
            assert words_heard(second, TWICE) == "Potassium is 6.9 now.".split()
            assert modes(second)[-1] == ("waiting" if how == "wait" else "quiet")

    virtual.run(scene())


@pytest.mark.parametrize("voice", [False, True])
def test_an_alarm_that_came_into_the_quiet_is_told(virtual: asyncio.Runner, voice: bool) -> None:
    async def scene() -> None:
        async with reading() as first:
            await first.client.say(2, "stop")
            await asyncio.sleep(1.0)
            first.streams.commit(update(2, alarm()), update_id(2))
            await sounding(first, ALARM)
            if voice:  # that nobody has judged when the worker dies
                first.ears.tell(VoiceBegan(1, first.loop.time()))
                await asyncio.sleep(0.2)
            assert first.room.phases(ALARM)[-1] == ("held" if voice else "speaking")
        async with succeeding(first) as second:
            await asyncio.sleep(10.0)
            assert (modes(second)[-1], second.room.phases(AGAIN)[-1]) == ("quiet", "spoken")

    virtual.run(scene())


def commands(*effects: str) -> list[LoggedCommand]:
    """Return turns with these effects, a second apart."""
    return [
        LoggedCommand(f"{n}-0", 1_000 * n, Command(kind="turn", by="x", at_ms=0, args={"effect": effect}), n)
        for n, effect in enumerate(effects, start=1)
    ]


@pytest.mark.parametrize(
    ("effects", "mode", "silenced_ms"),
    [
        (["quiet", "go_on"], Mode.QUIET, 1_000),
        (["quiet", "wait"], Mode.WAITING, 2_000),
        (["quiet", "ask"], Mode.QUIET, 2_000),
        (["quiet", "answer"], Mode.QUIET, 1_000),
        (["quiet", "answer", "refuse_order", "more"], Mode.QUIET, 1_000),
        (["wait", "answer"], Mode.FREE, None),
        (["quiet", "answer", "resume"], Mode.FREE, None),
        (["quiet", "resume"], Mode.FREE, None),
        (["ask"], Mode.FREE, None),
    ],
)
def test_since_when_we_are_silent_is_read_of_the_turns(
    effects: Sequence[str], mode: Mode, silenced_ms: int | None
) -> None:
    before = read_before(commands(*effects), [], vacant_s=1.0, now_ms=9_000.0)
    assert (before.mode, before.silenced_ms) == (mode, silenced_ms)


@pytest.mark.parametrize(
    ("phase", "cause", "at_ms", "silenced_ms", "stopped"),
    [
        (Phase.HELD, HoldCause.VOICE, 4_000, 5_000, True),
        (Phase.HELD, HoldCause.USER, 5_002, 5_000, True),  # by hand: the two are written side by side
        (Phase.HELD, HoldCause.VOICE, 6_000, 5_000, False),
        (Phase.HELD, HoldCause.TAKEOVER, 6_000, 5_000, False),
        (Phase.HELD, HoldCause.VOICE, 4_000, None, False),
        (Phase.SPEAKING, None, 4_000, 5_000, False),
    ],
)
def test_what_was_held_when_silence_was_asked_for_was_stopped(
    phase: Phase, cause: HoldCause | None, at_ms: int, silenced_ms: int | None, stopped: bool
) -> None:
    found = entry(KEY, phase, cause=cause, at_ms=at_ms)
    left = take_over([found], now_s=0.0, silenced_ms=silenced_ms)
    assert [(each.utterance_id, each.stopped) for each in left.again] == [("k.r1", stopped)]
    (cut,) = left.cut
    gone = take_over([LedgerEntry(KEY, cut, 1, 2, 0, 9_000)], now_s=0.0, silenced_ms=silenced_ms)
    assert [each.stopped for each in gone.again] == [stopped], "it was gone before it could offer it"

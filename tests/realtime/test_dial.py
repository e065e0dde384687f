"""Scenes on virtual time: the clinician asks for another pace or loudness, by voice and by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from realtime.interruption import Mode
from realtime.speech.before import StateBefore, read_before
from tests.realtime.reading import ITEM, NEXT, SECOND, modes, our_question, reading, turns, words_heard
from tests.realtime.scene import LONG, Scene
from tests.realtime.test_successor import AGAIN, GREETED, LEFT, log, stayed
from tts_queue import Dial
from tts_queue.testing import SteadyVoice

LATE = 1.12  # of the second item, where no slower was asked for


def dials(s: Scene) -> list[tuple[float, float]]:
    """Return the pace and the loudness as the page was told them, without repeats."""
    told = [(b["rate"], b["volume_db"]) for b in s.room.bodies("mode")]
    return [dial for n, dial in enumerate(told) if n == 0 or told[n - 1] != dial]


def made(voice: SteadyVoice, text: str) -> tuple[float, float]:
    """Return the rate and the loudness at which the voice was last asked for `text`."""
    return next((p.rate, p.volume_db) for said, p in reversed(voice.asked) if said == text)


@asynccontextmanager
async def heard_out(said: str) -> AsyncIterator[tuple[Scene, SteadyVoice]]:
    """Give a session to which `said` was said inside its long item, once all is spoken."""
    voice = SteadyVoice()
    async with reading(voice=voice) as s:
        await s.ears.say(said)
        await s.until(60.0)
        assert s.room.phases(NEXT)[-1] == "spoken"
        yield s, voice


@pytest.mark.parametrize(
    ("said", "dial"), [("Slower, please.", (0.9, 0.0)), ("Speak up.", (1.0, 3.0))], ids=["slower", "louder"]
)
def test_slower_and_louder_say_it_again_so_and_all_after_it(
    virtual: asyncio.Runner, said: str, dial: tuple[float, float]
) -> None:
    async def scene() -> None:
        async with heard_out(said) as (s, voice):
            assert s.room.phases(ITEM)[-1] == "cancelled"
            assert words_heard(s, f"{ITEM}.r1") == LONG.split()
            assert s.room.phases(f"{ITEM}.r1")[-1] == "spoken"
            assert made(voice, SECOND) == (dial[0] if dial[0] < 1 else LATE, dial[1])
            assert dials(s)[-1] == dial
            assert modes(s)[-1] == "free"

    virtual.run(scene())


@pytest.mark.parametrize(
    ("said", "dial"), [("Speed up.", (1.1, 0.0)), ("Too loud.", (1.0, -3.0))], ids=["faster", "softer"]
)
def test_faster_and_softer_go_on_from_the_word_and_hold_from_the_next_clause_on(
    virtual: asyncio.Runner, said: str, dial: tuple[float, float]
) -> None:
    async def scene() -> None:
        async with heard_out(said) as (s, voice):
            assert s.room.phases(f"{ITEM}.r1") == []
            assert words_heard(s, ITEM) == LONG.split()
            assert s.room.phases(ITEM)[-1] == "spoken"
            assert dials(s)[-1] == dial
            assert made(voice, SECOND) == (LATE, dial[1])

    virtual.run(scene())


def test_faster_ends_no_quiet_and_is_heard_after_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Quiet.")
            await s.ears.say("Faster.")
            await s.until(20.0)
            assert (modes(s)[-1], s.room.phases(ITEM)[-1]) == ("quiet", "held")
            await s.ears.say("Go on.")
            await s.until(60.0)
            assert s.room.phases(ITEM)[-1] == "spoken"
            assert dials(s)[-1] == (1.1, 0.0)

    virtual.run(scene())


def test_faster_ends_our_question_and_leaves_the_mode_as_it_was(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await our_question(s)
            assert modes(s)[-1] == "asking"
            await s.ears.say("Faster.")
            await s.until(13.0)
            assert modes(s)[-1] == "free"
            assert s.room.phases(ITEM)[-1] == "speaking"

    virtual.run(scene())


def test_at_its_bound_it_stays_and_says_it_again_all_the_same(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            for number in range(3):
                await s.ears.say("Slower.")
                await s.until(12.0 + 4 * number)
            assert dials(s) == [(1.0, 0.0), (0.9, 0.0), (0.8, 0.0)]
            assert s.room.phases(f"{ITEM}.r2")[-1] == "cancelled"
            assert s.room.phases(f"{ITEM}.r3")[-1] == "speaking"
            await s.ears.say("Normal speed.")
            await s.until(30.0)
            assert dials(s)[-1] == (1.0, 0.0)
            assert s.room.phases(f"{ITEM}.r4") == []

    virtual.run(scene())


def test_the_commands_do_what_the_words_do_and_the_usual_is_of_its_own_kind(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            kinds = ["slower", "louder", "louder", "usual_pace", "faster", "softer", "usual_volume"]
            for seq, kind in enumerate(kinds, start=2):
                assert (await s.client.say(seq, kind))["ok"]
            await s.until(9.0)
            assert dials(s)[-1] == (1.1, 0.0)
            assert [effect for effect, _ in turns(s)] == kinds
            assert {b["via"] for b in s.room.bodies("turn")} == {"button"}

    virtual.run(scene())


# --- a successor


def test_a_successor_speaks_at_the_pace_that_was_asked_for(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = SteadyVoice()
        before = StateBefore(vacant_s=6.0, dial=Dial(0.8, 3.0))
        s = Scene(room=stayed(), voice=voice, before=before)
        async with s.running(GREETED, [LEFT]):
            await s.client.come()
            await s.until(12.0)
            assert s.room.phases(AGAIN)[-1] == "spoken"
            assert {(p.rate, p.volume_db) for _, p in voice.asked} == {(0.8, 3.0)}
            assert dials(s)[-1] == (0.8, 3.0)

    virtual.run(scene())


def test_what_a_worker_kept_gives_its_dial_and_reading_it_twice_the_same(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.ears.say("Slower.")
            await s.ears.say("Louder.")
            await s.ears.say("Slower.")
            await s.ears.say("Slower.")
            await s.until(30.0)
            kept = await s.streams.read_commands("0-0", block_ms=1, count=99)
            for _ in range(2):
                before = read_before(kept, [], vacant_s=1.0, now_ms=0.0)
                assert (before.dial.rate, before.dial.volume_db) == dials(s)[-1] == (0.8, 3.0)

    virtual.run(scene())


@pytest.mark.parametrize(
    ("effects", "mode", "dial"),
    [
        (("slower", "wait", "faster"), Mode.WAITING, Dial()),
        (("quiet", "slower"), Mode.FREE, Dial(0.9)),
        (("louder", "slower", "usual_pace", "quiet"), Mode.QUIET, Dial(1.0, 3.0)),
        (("faster", "faster", "faster", "slower"), Mode.FREE, Dial(1.1)),
    ],
)
def test_the_dial_is_what_the_turns_made_it(effects: tuple[str, ...], mode: Mode, dial: Dial) -> None:
    commands = log(*(("turn", {"effect": effect}) for effect in effects))
    before = read_before(commands, [], vacant_s=1.0, now_ms=0.0)
    assert (before.mode, before.dial) == (mode, dial)

"""Scenes on virtual time: the store goes away while the voice speaks, and comes back."""

from __future__ import annotations

import asyncio

import pytest

from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import ITEM, NEXT, modes, reading, sounding_from, words_heard
from tests.realtime.scene import LONG, RATE_HZ, Scene

TWO = f"{update_id(2)}.1"


def gone(s: Scene, away: bool) -> None:
    """Let the store go, and the lease run out with it; or let both come back."""
    s.lease, s.log.down = not away, away


def codes(s: Scene) -> list[str]:
    return [b["code"] for b in s.room.bodies("notice")]


@pytest.mark.parametrize("away_s", [5.0, 60.0, 250.0])
def test_the_voice_is_silent_while_the_store_is_gone_and_goes_on_from_the_held_clause(
    virtual: asyncio.Runner, away_s: float
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.until(10.0)
            gone(s, True)
            await s.until(10.2)
            assert s.room.bodies("utterance")[-1]["cause"] == "store"
            assert codes(s) == ["store_gone"]
            s.streams.commit(update(2, spoken("Sodium is 132.", protects=True)), update_id(2))
            await s.until(10.0 + away_s)
            assert [start for start, _ in s.sink.sounding() if start > 10.1 * RATE_HZ] == []
            gone(s, False)
            await s.until(30.0 + away_s)
            assert codes(s) == ["store_gone", "store_back"]
            assert words_heard(s, ITEM) == LONG.split()
            assert [s.room.phases(uid)[-1] for uid in (ITEM, NEXT, TWO)] == ["spoken"] * 3
            assert [u.utterance_id for u in s.log.created].count(TWO) == 1
            assert s.log.phases(ITEM) == ["queued", "speaking", "held", "speaking", "spoken"]

    virtual.run(scene())


def test_a_lease_that_runs_out_is_enough_for_silence(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.lease = False
            await s.until(9.0)
            assert sounding_from(s, 8.1) is None
            s.lease = True
            await s.until(30.0)
            assert words_heard(s, ITEM) == LONG.split()

    virtual.run(scene())


def test_a_voice_while_the_store_is_gone_does_not_tell_that_it_is_back(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            gone(s, True)
            await s.until(9.0)
            await s.ears.say("Mm-hm.", lasts_s=0.4)
            await s.until(40.0)
            assert codes(s) == ["store_gone"]
            gone(s, False)
            await s.until(60.0)
            assert codes(s) == ["store_gone", "store_back"]

    virtual.run(scene())


def test_what_the_clinician_asks_while_the_store_is_gone_is_done(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            gone(s, True)
            await s.until(9.0)
            await s.client.say(2, "stop")
            gone(s, False)
            await s.until(15.0)
            assert (modes(s)[-1], s.room.phases(ITEM)[-1]) == ("quiet", "held")
            await s.client.say(3, "go_on")
            await s.until(35.0)
            assert s.room.phases(NEXT)[-1] == "spoken"

    virtual.run(scene())

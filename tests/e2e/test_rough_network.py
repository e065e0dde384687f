"""A clinician hears a case through a bad network, and another through none for ten seconds: a real SFU."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import numpy as np
import pytest

from infra.ledger import LedgerEntry
from lab.chaos.audit import lost, twice
from lab.chaos.impairment import CLEAR, DARK, ROUGH, Impairment
from lab.chaos.media import Tally
from lab.chaos.network import false_holds, welcomes
from lab.chaos.ports import media_port
from lab.chaos.relay import SfuRelay, before_sfu
from lab.demo.listener import Grant, Listener, Received, end_session, listen, open_session
from tests.e2e.conftest import UpStack, ledger_of, until_in_the_books
from tests.e2e.mini import CASE_ID
from tts_queue import HoldCause, Phase

pytestmark = [pytest.mark.real, pytest.mark.timeout(240)]

CASE_WITHIN_S = 110.0
DARK_S = 10.0
PLAYED_OUT_S = 6.0  # of darkness: what was on its way, and what a jitter buffer conceals, is over
AGAIN_WITHIN_S = 40.0  # the SDK mends its connection, and beats come again: 5 s, and `make chaos` measures it
PACKET_SAMPLES = 960


@dataclass(frozen=True, slots=True)
class Rough:
    """A whole case through 5 % loss, 100 ms of jitter and a round trip of 300 ms."""

    messages: list[Received]
    entries: list[LedgerEntry]
    down: Tally


@dataclass(frozen=True, slots=True)
class Dark:
    """A whole case with ten seconds of darkness. Samples and packets: before it, and a second of it."""

    entries: list[LedgerEntry]
    held: list[LedgerEntry]
    again_after_s: float
    samples_before: int
    packets_before: int
    packets_in_the_dark: int
    loudest_in_the_dark: int


@pytest.fixture(scope="module")
def both(up: UpStack) -> tuple[Rough, Dark]:
    """Run the two side by side, each behind a relay of its own."""

    async def run() -> tuple[Rough, Dark]:
        return await asyncio.gather(rough(up), dark(up))

    return asyncio.run(run())


async def rough(up: UpStack) -> Rough:
    async with behind_a_relay(up, 2, "127.0.0.2") as (grant, relay):
        relay.impairment.now = ROUGH
        async with listen(grant) as listener:
            await listener.command("ready")
            entries = await all_is_said(up, grant, listener)
            return Rough(list(listener.messages), entries, relay.media.down)


async def dark(up: UpStack) -> Dark:
    async with behind_a_relay(up, 3, "127.0.0.3") as (grant, relay):
        async with listen(grant) as listener:
            await listener.command("ready")
            await listener.wait_for(item_speaking, CASE_WITHIN_S)
            await asyncio.sleep(0.6)
            before = listener.heard.samples, relay.media.down.given
            began_s = time.monotonic()
            relay.impairment.now = DARK
            await asyncio.sleep(PLAYED_OUT_S)
            given, heard = relay.media.down.given, listener.heard.samples
            await asyncio.sleep(1.0)
            passed, sound = relay.media.down.given - given, listener.heard.pcm()[heard:]
            await asyncio.sleep(began_s + DARK_S - 1.0 - time.monotonic())
            held = [e for e in await entries_of(up, grant) if e.cause is HoldCause.LISTENER]
            await asyncio.sleep(began_s + DARK_S - time.monotonic())
            relay.impairment.now, light_s = CLEAR, time.monotonic()
            entries = await all_is_said(up, grant, listener)
            again = [m.at_s for m in listener.messages if item_speaking(m) and m.at_s > light_s]
    return Dark(
        entries=entries,
        held=held,
        again_after_s=again[0] - light_s if again else float("inf"),
        samples_before=before[0],
        packets_before=before[1],
        packets_in_the_dark=passed,
        loudest_in_the_dark=int(np.abs(sound.astype(np.int32)).max(initial=0)),
    )


@asynccontextmanager
async def behind_a_relay(up: UpStack, seed: int, at: str) -> AsyncIterator[tuple[Grant, SfuRelay]]:
    grant = await open_session(up.api_url, CASE_ID)
    port = media_port(up.sent_dir.parent / "run")
    async with before_sfu(grant.livekit_url, port, Impairment(seed), at=at) as relay:
        try:
            yield replace(grant, livekit_url=relay.url), relay
        finally:
            await end_session(up.api_url, grant)


async def entries_of(up: UpStack, grant: Grant) -> list[LedgerEntry]:
    async with ledger_of(up.redis_url, grant) as ledger:
        return await ledger.entries()


def item_speaking(message: Received) -> bool:
    body = message.body
    return bool(message.type == "utterance" and body["phase"] == "speaking" and body["update_id"])


async def all_is_said(up: UpStack, grant: Grant, listener: Listener) -> list[LedgerEntry]:
    await listener.until_all_is_said(CASE_WITHIN_S)
    async with ledger_of(up.redis_url, grant) as ledger:
        return await until_in_the_books(ledger)


def test_what_the_listener_hears_goes_through_the_relay_and_not_around_it(both: tuple[Rough, Dark]) -> None:
    _, dark = both
    assert dark.packets_before >= 0.8 * dark.samples_before / PACKET_SAMPLES
    assert dark.packets_in_the_dark == 0
    assert dark.loudest_in_the_dark < 100, "sound came round the relay"


def test_a_rough_network_holds_once_at_most_welcomes_nobody_and_loses_nothing(
    both: tuple[Rough, Dark],
) -> None:
    rough, _ = both
    assert rough.down.lost > 0.03 * rough.down.taken, "the network was rough"
    assert false_holds(rough.messages) <= 1, "the aim is one in ten minutes"
    assert welcomes(rough.messages) == 0
    assert (lost([], rough.entries), twice(rough.entries)) == ([], [])


def test_ten_seconds_of_darkness_are_held_for_and_nothing_is_lost(both: tuple[Rough, Dark]) -> None:
    _, dark = both
    assert [entry.phase for entry in dark.held] == [Phase.HELD]
    assert dark.again_after_s <= AGAIN_WITHIN_S
    assert (lost([], dark.entries), twice(dark.entries)) == ([], [])

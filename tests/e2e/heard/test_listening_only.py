"""Who has no microphone, who comes from another window, and who says what can't be: nobody of them speaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from infra.ledger import LedgerEntry
from lab.demo.listener import Received, listen
from tests.e2e.conftest import PROMISED_S, UpStack, ledger_of
from tests.e2e.heard.scenes import of
from tests.e2e.test_talking import SOON_S, session, token

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]


async def nobody_has_a_microphone(up: UpStack) -> tuple[str, bool]:
    """Return what is told of the microphone, and whether a button stopped the voice."""
    async with session(up) as grant:
        async with listen(grant) as listener:
            await listener.command("ready")
            snapshot = await listener.wait_for(lambda m: _is(m, "snapshot"), SOON_S)
            await listener.wait_for(lambda m: _is(m, "utterance", kind="leading", phase="spoken"), SOON_S)
            stopped = bool((await listener.command("stop"))["ok"])
            await listener.wait_for(lambda m: _is(m, "mode", mode="quiet"), PROMISED_S)
            return snapshot.body["ears"]["state"], stopped


@of(nobody_has_a_microphone, lasts_s=25.0)
def test_a_listener_without_a_microphone_is_told_so_and_hears_all_the_same(found: tuple[str, bool]) -> None:
    ears, stopped = found
    assert ears == "none"
    assert stopped, "the buttons do the same"


@dataclass(frozen=True, slots=True)
class Taken:
    """A session that another window took over: what a stranger got, and whether the first window is still in."""

    stranger: int
    first_is_in: bool


async def another_window_comes(up: UpStack) -> Taken:
    async with session(up) as grant:
        async with listen(grant) as first:
            await first.command("ready")
            await first.wait_for(lambda m: _is(m, "utterance", kind="leading", phase="speaking"), SOON_S)
            fresh = (await token(up, grant)).json()["token"]
            async with listen(replace(grant, token=fresh)) as second:
                await second.command("ready")
                await second.wait_for(lambda m: _is(m, "notice", code="taken_over"), SOON_S)
                await second.wait_for(
                    lambda m: _is(m, "utterance", kind="welcome", phase="speaking"), PROMISED_S
                )
                await second.wait_for(lambda m: _is(m, "utterance", kind="welcome", phase="spoken"), SOON_S)
                refused = await token(up, grant, "not-the-secret")
                await second.wait_for(lambda m: _is(m, "notice", code="stranger"), SOON_S)
                return Taken(refused.status_code, first.room.isconnected())


@of(another_window_comes, lasts_s=25.0)
def test_the_newest_window_takes_the_session_over_and_a_stranger_is_refused(found: Taken) -> None:
    assert found == Taken(401, first_is_in=False)


async def a_position_is_made_up(up: UpStack) -> Sequence[LedgerEntry]:
    async with session(up) as grant:
        async with listen(grant, beats=False) as listener:
            await listener.command("ready")
            for seq in range(1, 40):
                lie = {"v": 1, "seq": seq, "clock": "samples", "position": 10**9 + seq, "onset": None}
                packet = json.dumps(lie)
                await listener.room.local_participant.publish_data(packet, reliable=False, topic="exaim.beat")
                await asyncio.sleep(0.25)
            async with ledger_of(up.redis_url, grant) as ledger:
                return await ledger.entries()


@of(a_position_is_made_up, lasts_s=12.0)
def test_a_position_that_was_never_sent_is_not_believed(found: Sequence[LedgerEntry]) -> None:
    assert found
    for entry in found:
        if entry.move is not None:
            assert entry.move.heard <= entry.move.sent <= entry.move.total


def _is(message: Received, type_: str, **wanted: Any) -> bool:
    return message.type == type_ and all(message.body.get(name) == value for name, value in wanted.items())

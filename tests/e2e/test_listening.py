"""A clinician joins a real room and hears a case: with our protocol, and with none."""

from __future__ import annotations

import asyncio
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.recording import recordings
from infra.ledger import LedgerEntry
from lab.demo import account, hearing
from lab.demo.books import books
from lab.demo.facts import Told
from lab.demo.listener import Grant, Listener, ListenerError, end_session, listen, open_session
from tests.e2e.conftest import UpStack, ledger_of, until_in_the_books
from tests.e2e.mini import CASE_ID
from tests.e2e.test_talking import session

pytestmark = [pytest.mark.real, pytest.mark.timeout(240)]

SOON_S = 60.0  # a bound for busy cores
CASE_WITHIN_S = 110.0  # ten seconds of reasoning, and everything that is said of it


@dataclass(frozen=True, slots=True)
class Heard:
    """A whole case: what reached a client, and what the store has of it."""

    session_id: str
    pcm: NDArray[np.int16]
    messages: list[Any]
    captions: list[str]
    told: Told


@pytest.fixture(scope="module")
def both(up: UpStack) -> tuple[Heard, Heard]:
    """Play the case to a client with our protocol and to one with none, side by side."""

    async def run() -> tuple[Heard, Heard]:
        return await asyncio.gather(with_our_protocol(up), as_a_stock_client(up))

    return asyncio.run(run())


async def with_our_protocol(up: UpStack) -> Heard:
    async with session(up, CASE_ID) as grant, listen(grant) as clinician:
        assert await clinician.command("ready") == {"v": 1, "ok": True}
        await clinician.until_all_is_said(CASE_WITHIN_S)
        closing = await clinician.wait_for(_closing_spoken, SOON_S)
        assert closing.body["text"].startswith("Finished.")
        heard = await _heard(up, grant, clinician)
        assert (await clinician.command("dance"))["error"]["code"] == "unknown_kind"
    return heard


async def as_a_stock_client(up: UpStack) -> Heard:
    async with session(up, CASE_ID) as grant, listen(grant, beats=False) as client:
        await client.until_all_is_said(CASE_WITHIN_S)
        return await _heard(up, grant, client)


async def _heard(up: UpStack, grant: Grant, client: Listener) -> Heard:
    async with ledger_of(up.redis_url, grant) as ledger:
        await until_in_the_books(ledger)
    told = await books(up.redis_url, grant.session_id)
    messages, captions = list(client.messages), list(client.captions)
    return Heard(grant.session_id, client.heard.pcm(), messages, captions, told)


def test_a_clinician_hears_a_whole_case(up: UpStack, both: tuple[Heard, Heard]) -> None:
    heard, _ = both
    shown = frozenset(m.body["update_id"] for m in heard.messages if m.type == "update")
    books = account.account(heard.told.updates, heard.told.entries, shown)
    assert books.items >= 3
    assert books.unaccounted == ()
    _assert_heard(recordings(up.sent_dir, heard.session_id)[-1], heard.pcm, heard.told.entries)
    _assert_page_first(heard.messages)
    _assert_captions(heard.captions, heard.messages)


def test_a_stock_client_hears_a_whole_case(up: UpStack, both: tuple[Heard, Heard]) -> None:
    _, heard = both
    assert len(account.spoken_stretches(heard.told.entries)) >= 4
    _assert_heard(recordings(up.sent_dir, heard.session_id)[-1], heard.pcm, heard.told.entries)
    assert any("Finished." in caption for caption in heard.captions)


async def test_two_sessions_hear_nothing_of_each_other(up: UpStack) -> None:
    async with session(up, CASE_ID) as first, session(up, CASE_ID) as second:
        async with listen(first) as speaking, listen(second, plays=False) as waiting:
            await speaking.command("ready")
            await speaking.wait_for(_spoken, CASE_WITHIN_S)
            silent = waiting.heard.pcm()

    assert silent.size > 0
    assert int(np.abs(silent).max()) < 100
    assert {m.type for m in waiting.messages} <= {"hello", "reasoning", "ears"}


async def test_ending_by_the_api_says_goodbye_and_closes_the_room(up: UpStack) -> None:
    async with session(up, CASE_ID) as grant, listen(grant) as clinician:
        await clinician.command("ready")
        await end_session(up.api_url, grant)
        goodbye = await clinician.wait_for(lambda message: message.type == "ended", SOON_S)
    assert goodbye.body == {"reason": "ended_by_clinician"}


async def test_an_unknown_case_is_refused_with_the_known_ones(up: UpStack) -> None:
    with pytest.raises(ListenerError, match=rf"unknown_case.*{CASE_ID}"):
        await open_session(up.api_url, "case-nowhere")


def _closing_spoken(message: Any) -> bool:
    body = message.body
    return bool(message.type == "utterance" and body["kind"] == "closing" and body["phase"] == "spoken")


def _spoken(message: Any) -> bool:
    return bool(message.type == "utterance" and message.body["phase"] == "spoken")


def _assert_heard(sent_file: Path, heard: NDArray[np.int16], entries: Sequence[LedgerEntry]) -> None:
    """Find every segment that the ledger calls SPOKEN in what reached the listener."""
    with wave.open(str(sent_file), "rb") as file:
        sent = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    stretches = account.spoken_stretches(entries)
    assert stretches
    offset = hearing.align(sent, heard, [(each.start_sample, each.samples) for each in stretches])
    assert offset is not None, "nothing of what was sent was heard"
    for each in stretches:
        found = hearing.find(sent, heard, each.start_sample, each.samples, offset)
        assert found.missed <= 1, f"{each} was not heard near {each.start_sample + offset}: {found}"
        offset = found.start_sample - each.start_sample


def _assert_page_first(messages: list[Any]) -> None:
    """The page has an update before anything of it is spoken (in the order of the messages' seq)."""
    shown: dict[str, int] = {m.body["update_id"]: m.seq for m in messages if m.type == "update"}
    begun = [
        m for m in messages if m.type == "utterance" and m.body["phase"] == "speaking" and m.body["update_id"]
    ]
    assert begun
    assert all(shown[m.body["update_id"]] < m.seq for m in begun)


def _assert_captions(captions: list[str], messages: list[Any]) -> None:
    """Whoever knows only LiveKit's captions reads, clause by clause, what our own clients read."""
    spoken = {m.body["utterance_id"]: m.body["text"] for m in messages if _spoken(m)}
    read = " ".join(captions)
    assert all(text in read for text in spoken.values())


def test_a_listener_is_needed_for_nothing_else(up: UpStack) -> None:
    """The stack's own processes still live after all of the above."""
    assert all(Path(f"/proc/{pid}").exists() for pid in up.pids.values())

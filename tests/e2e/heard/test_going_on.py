"""A session to which nobody came back in time, on a whole stack: opened again, it says what was not heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from infra.keys import SessionKeys
from infra.ledger import LedgerEntry, SpeechLedger
from infra.sessions import SessionStore, Status
from infra.sfu import Sfu
from infra.store import connect
from infra.streams import SessionStreams
from lab.chaos.audit import lost, root, twice
from lab.demo.listener import Grant, Listener, listen, open_session
from tests.e2e import mini
from tests.e2e.conftest import UpStack
from tests.e2e.heard.scenes import of
from tts_queue import Phase, is_over

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

SAID_WITHIN_S = REPORT_WITHIN_S = 60.0  # bounds for busy cores
ALL_WITHIN_S = 110.0


@dataclass(slots=True)
class Visits:
    """A clinician who comes and goes."""

    up: UpStack
    api: httpx.AsyncClient
    store: Redis
    grant: Grant

    async def call(self, method: str, path: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.grant.client_secret}"}
        return await self.api.request(method, f"/sessions/{self.grant.session_id}{path}", headers=headers)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Listener]:
        """Join, say that it hears, and see that something sounds."""
        async with listen(self.grant) as listener:
            await listener.ready("the-device")
            yield listener
            assert listener.heard.onsets, "nothing sounded"

    async def until_an_item_is_heard(self) -> None:
        """Stay until one more item was heard to its end."""
        before = set(spoken(await self.ledger()))
        async with asyncio.timeout(SAID_WITHIN_S):
            while not set(spoken(await self.ledger())) - before:
                await asyncio.sleep(0.1)

    async def until_all_is_said(self) -> None:
        """Stay until nothing waits any more."""
        async with asyncio.timeout(ALL_WITHIN_S):
            while not all(is_over(each.phase) for each in await self.ledger()):
                await asyncio.sleep(0.1)

    async def stay_away(self) -> None:
        """Let the grace be over, as the voice does it, and the report be made."""
        environ = Path(f"/proc/{self.up.pids['api']}/environ").read_text(encoding="utf-8").split("\0")
        given = dict(line.split("=", 1) for line in environ if line)
        await SessionStore(self.store).end(self.grant.session_id, Status.ABANDONED)
        async with Sfu(*(given[f"LIVEKIT_{name}"] for name in ("URL", "API_KEY", "API_SECRET"))) as sfu:
            await sfu.delete_room(self.grant.room)
        async with asyncio.timeout(REPORT_WITHIN_S):
            while (await self.call("GET", "/report")).status_code != 200:
                await asyncio.sleep(0.2)

    async def be_forgotten(self) -> None:
        """Let the store lose all that it has of the session; the database keeps it."""
        names = [name for name in await self.store.keys("exaim:*") if self.grant.session_id in str(name)]
        assert names
        await self.store.delete(*names)

    async def reopen(self) -> None:
        answer = await self.call("POST", "/reopen")
        assert answer.status_code == 200, answer.text
        self.grant = replace(self.grant, token=answer.json()["token"])

    async def ledger(self) -> list[LedgerEntry]:
        return await SpeechLedger(self.store, self.keys).entries()

    async def updates(self) -> dict[str, int]:
        """Return how many items each update has."""
        found = await SessionStreams(self.store, self.keys).read_updates(count=1_000)
        return {each.update_id: len(each.update.get("items", ())) for each in found}

    @property
    def keys(self) -> SessionKeys:
        return SessionKeys(self.grant.session_id, self.grant.session_id)


def spoken(entries: list[LedgerEntry]) -> list[str]:
    """Return the items of updates that were heard to their end, by the ids of their first offerings."""
    items = [each for each in entries if each.utterance.update_id is not None]
    return [root(each.utterance.utterance_id) for each in items if each.phase is Phase.SPOKEN]


@dataclass(frozen=True, slots=True)
class Reopened:
    """A session that was opened again twice: its books, what was heard by each visit's end, and how it ended."""

    entries: list[LedgerEntry]
    updates: dict[str, int]
    heard: tuple[set[str], set[str]]
    status: str
    too_late: int


async def a_session_is_reopened(up: UpStack) -> Reopened:
    async with (
        httpx.AsyncClient(base_url=up.api_url, timeout=20.0) as api,
        connect(up.redis_url) as client,
    ):
        visits = Visits(up, api, client, await open_session(up.api_url, mini.CASE_ID))
        async with visits.listening():
            await visits.until_an_item_is_heard()
        await visits.stay_away()
        first = set(spoken(await visits.ledger()))

        await visits.reopen()
        async with visits.listening():
            await visits.until_an_item_is_heard()
        await visits.stay_away()
        second = set(spoken(await visits.ledger()))

        await visits.be_forgotten()
        await visits.reopen()
        async with visits.listening():
            await visits.until_all_is_said()
        entries, updates = await visits.ledger(), await visits.updates()
        ended = (await visits.call("POST", "/end")).json()
        too_late = await visits.call("POST", "/reopen")
    return Reopened(entries, updates, (first, second), ended["status"], too_late.status_code)


@of(a_session_is_reopened, lasts_s=50.0)
def test_what_was_not_heard_is_heard_after_a_reopening_from_the_store_and_one_from_the_database(
    found: Reopened,
) -> None:
    first, second = found.heard
    wanted = [f"{update}.{n}" for update, items in found.updates.items() for n in range(1, items + 1)]
    assert lost(wanted, found.entries) == []
    assert twice(found.entries) == []
    assert set() < first < second < set(spoken(found.entries))
    assert (found.status, found.too_late) == ("COMPLETED", 409)

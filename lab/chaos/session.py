"""One session under fault: its pages, its network, and what the store says of it meanwhile."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from infra import store
from infra.errors import StoreError
from infra.keys import SessionKeys
from infra.ledger import LedgerEntry, SpeechLedger
from infra.streams import SessionStreams
from lab.chaos.audit import Audit, Heard, audit
from lab.chaos.pages import PageProcess, heard
from lab.chaos.relay import SfuRelay
from lab.chaos.runs import Run
from lab.chaos.watching import Look, look
from lab.demo.listener import Grant, ListenerError
from lab.tellers import Told
from tts_queue import is_over

LOOK_EVERY_S: Final = 0.25
CLAUSE_SAMPLES: Final = 2 * 48_000  # a clause long enough to be hit inside
TOKEN_WITHIN_S: Final = 30.0
READY_WITHIN_S: Final = 30.0
MOST_UPDATES: Final = 1_000


@dataclass(slots=True)
class Past:
    """A page that is gone: what it told, and when it went."""

    told: list[Told]
    until_s: float


@dataclass(slots=True)
class Session:
    """One session. `page` is the one that has it now; `past` are those before it."""

    grant: Grant
    api_url: str
    redis_url: str
    relay: SfuRelay
    page: PageProcess
    past: list[Past] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    faults: list[dict[str, Any]] = field(default_factory=list)
    needed: int = 0  # faults that ended its voice

    async def join(self, page: PageProcess) -> float:
        """Let `page` join with a fresh token; return when. Raises: ListenerError."""
        order = {
            "api_url": self.api_url,
            "session_id": self.grant.session_id,
            "secret": self.grant.client_secret,
            "url": self.relay.url,
            "token": await self._token(),
            "device": f"page-{self.grant.session_id}",  # one browser: a second tab of it, and not another one
        }
        return await page.join(order)

    async def hand_over(self, page: PageProcess) -> None:
        """Take `page` as the one that has the session; the one before it is to be ended by the caller."""
        self.past.append(Past(self.page.told, time.monotonic()))
        self.page = page

    async def _token(self) -> str:
        headers = {"Authorization": f"Bearer {self.grant.client_secret}"}
        path = f"/sessions/{self.grant.session_id}/token"
        async with httpx.AsyncClient(base_url=self.api_url, timeout=5.0) as api:
            until_s = time.monotonic() + TOKEN_WITHIN_S
            said = "the API could not be reached"
            while time.monotonic() < until_s:
                try:
                    answer = await api.post(path, headers=headers)
                except httpx.HTTPError:
                    pass
                else:
                    if answer.is_success:
                        return str(answer.json()["token"])
                    said = f"{answer.status_code}: {answer.text}"
                await asyncio.sleep(0.5)
        raise ListenerError(f"no token within {TOKEN_WITHIN_S:.0f} s ({said})")

    async def until_in_a_clause(self, within_s: float) -> str | None:
        """Wait until a long clause begins; return its utterance's id, or None if none does."""
        since_s = time.monotonic()

        def begun(told: Told) -> bool:
            if told["what"] != "segment" or told["at"] < since_s:
                return False
            return int(told["body"]["samples"]) >= CLAUSE_SAMPLES

        try:
            told = await self.page.wait_for(begun, within_s, "a clause")
        except ListenerError:
            return None
        return str(told["body"]["utterance_id"])

    def spoken_at(self, utterance_id: str) -> float | None:
        """Return when the page was told that an utterance was spoken to its end, or None."""
        for told in self.all_told():
            if told["what"] == "utterance" and told["body"]["utterance_id"] == utterance_id:
                if told["body"]["phase"] == "spoken":
                    return float(told["at"])
        return None

    def all_told(self) -> list[Told]:
        """Return what all pages told."""
        return [told for past in self.past for told in past.told] + self.page.told

    def pages(self) -> list[Heard]:
        """Return what each page heard so far."""
        now_s = time.monotonic()
        return [
            *(heard(past.told, past.until_s) for past in self.past),
            heard(self.page.told, now_s),
        ]

    def sound(self, pages: list[Heard] | None = None) -> list[Run]:
        """Return all sound that was heard, by any page."""
        found = self.pages() if pages is None else pages
        return [run for page in found for runs in page.sound.values() for run in runs]

    async def watch(self) -> None:
        """Look at the ledger until cancelled; a store that is gone leaves a gap."""
        client = store.connect(self.redis_url)
        try:
            ledger = SpeechLedger(client, self._keys)
            while True:
                try:
                    self.looks.append(look(await ledger.entries(), time.monotonic()))
                except StoreError:
                    pass
                await asyncio.sleep(LOOK_EVERY_S)
        finally:
            await client.aclose()

    async def until_all_is_said(self, within_s: float) -> bool:
        """Wait until the closing is over and nothing waits; return whether it came to that."""
        until_s = time.monotonic() + within_s
        while time.monotonic() < until_s:
            try:
                entries = await self._entries()
            except StoreError:
                entries = []
            closed = any(entry.utterance.kind == "closing" for entry in entries)
            if closed and all(is_over(entry.phase) for entry in entries):
                return True
            await asyncio.sleep(1.0)
        return False

    async def account(self, out: Path) -> Audit:
        """Return the session's audit; leave the ledger and all that was told in `out`. Raises: StoreError."""
        client = store.connect(self.redis_url)
        try:
            updates = await SessionStreams(client, self._keys).read_updates(count=MOST_UPDATES)
            entries = await SpeechLedger(client, self._keys).entries()
        finally:
            await client.aclose()
        items = {each.update_id: len(each.update.get("items", ())) for each in updates}
        await asyncio.to_thread(self._keep, out, entries)
        return audit(self.grant.session_id, items, entries, self.pages(), self.looks, self.needed)

    async def _entries(self) -> list[LedgerEntry]:
        client = store.connect(self.redis_url)
        try:
            return await SpeechLedger(client, self._keys).entries()
        finally:
            await client.aclose()

    @property
    def _keys(self) -> SessionKeys:
        return SessionKeys(self.grant.session_id, self.grant.session_id)

    def _keep(self, out: Path, entries: list[LedgerEntry]) -> None:
        out.mkdir(parents=True, exist_ok=True)
        kept = {
            "faults": self.faults,
            "ledger": [asdict(entry) for entry in entries],
            "looks": [asdict(each) for each in self.looks],
            "told": self.all_told(),
        }
        text = json.dumps(kept, indent=1, default=str)
        (out / f"{self.grant.session_id}.json").write_text(text + "\n", encoding="utf-8")

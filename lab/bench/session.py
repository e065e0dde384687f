"""A session that this process reasons for: what it commits is spoken, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import Redis

from exaim_core import AgentSummary, SpokenItem, SpokenKind, Update
from infra import store
from infra.clock import wall_ms
from infra.leases import Lease
from infra.ledger import LedgerEntry, SpeechLedger
from infra.sessions import SessionRecord, SessionStore
from infra.settings import Settings
from infra.sfu import Sfu
from infra.sfu_port import clinician_identity, room_of, voice_dispatch
from infra.streams import SessionStreams
from lab.demo.listener import Grant, ListenerError


class BenchSession:
    """Says what it is given. The items are corrections, which the budget excepts: none waits for a turn."""

    def __init__(self, client: Redis, record: SessionRecord, lease: Lease, sfu: Sfu, url: str) -> None:
        self._streams = SessionStreams(client, record.keys)
        self._ledger = SpeechLedger(client, record.keys)
        self._record = record
        self._lease = lease
        self._sfu = sfu
        self._url = url
        self._number = 0

    def grant(self) -> Grant:
        """Return what the clinician's client needs; the same identity each time."""
        session_id, room = self._record.session_id, self._record.room
        token = self._sfu.token(clinician_identity(session_id), room).jwt
        return Grant(session_id, room, self._url, token, "")

    async def commit(self, text: str) -> tuple[str, float]:
        """Commit one item; return its utterance id, and the monotonic time before. Raises: StoreError."""
        self._number += 1
        uid = f"u-{self._record.session_id}-{self._number:04d}"
        update = _update(self._number, text, time.time())
        at_s = time.monotonic()
        await self._streams.commit_update(update, uid, self._lease.fence)
        return f"{uid}.1", at_s

    async def entry(self, utterance_id: str) -> LedgerEntry | None:
        """Return what the ledger has of an utterance. Raises: StoreError."""
        entries = await self._ledger.entries()
        return next((each for each in entries if each.utterance.utterance_id == utterance_id), None)


@asynccontextmanager
async def bench_session(settings: Settings, case_id: str = "case-bench") -> AsyncIterator[BenchSession]:
    """Make a session, its room and its voice; end it after the block.

    It counts as reasoned, so no reasoner takes it. The case's paper, if there is one, is the voice's.
    Raises: ListenerError: somebody else reasons about it.
    """
    client = store.connect(settings.redis_url)
    record = _record(case_id)
    try:
        async with Sfu(settings.livekit_url, settings.livekit_api_key, settings.livekit_api_secret) as sfu:
            await SessionStore(client).create(record)
            await sfu.create_room(record.room, "{}", voice_dispatch(record.session_id, record.thread_id))
            lease = Lease(client, record.keys, "reason")
            if await lease.acquire() is None:
                raise ListenerError("another process reasons about the bench's session")
            holding = asyncio.create_task(lease.hold(), name="bench-lease")
            try:
                yield BenchSession(client, record, lease, sfu, settings.livekit_url)
            finally:
                holding.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await holding
                await SessionStore(client).end(record.session_id)
                await sfu.delete_room(record.room)
    finally:
        await client.aclose()


def _record(case_id: str) -> SessionRecord:
    session_id = f"s-bench{secrets.token_hex(6)}"
    return SessionRecord(
        session_id=session_id,
        thread_id=session_id,
        case_id=case_id,
        title="Bench",
        agents=("doctor0",),
        room=room_of(session_id),
        reasoning="finished",
        secret_sha256="0" * 64,
        created_at_ms=wall_ms(),
    )


def _update(number: int, text: str, at_s: float) -> Update:
    nothing = "None stated."
    return Update(
        number=number,
        path="A",
        reason="boundary_cue",
        summary=AgentSummary(
            status_action=text[:150],
            key_findings=nothing,
            differential_rationale=nothing,
            uncertainty_confidence=nothing,
            recommendation_next_step=nothing,
            agent_contributions=nothing,
        ),
        items=(
            SpokenItem(
                item_id=str(number),
                kind=SpokenKind.CORRECTION,
                text=text,
                urgency="important",
                agents=("doctor0",),
            ),
        ),
        last_delta_at_s=at_s,
    )

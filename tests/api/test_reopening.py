"""Going on with a session while another process opens one in the same thread."""

from __future__ import annotations

import asyncio

import pytest

from infra.outbox import Outbox
from infra.sessions import Change, SessionRecord, SessionStore, Status
from infra.settings import Settings
from infra.sfu_testing import ScriptedSfu
from infra.store import connect
from routes.errors import ApiError
from routes.parts import Parts
from routes.quotas import Quotas
from routes.reopening import reopen
from tests.infra.making import session


class OpenedMeanwhile(SessionStore):
    """Just before a record is changed, another process opens a session in the same thread."""

    async def change(self, session_id: str, change: Change, attempts: int = 10) -> SessionRecord:
        record = await self.get(session_id)
        if record.status is Status.ABANDONED:
            await self.create(session("s-other", record.thread_id))
        return await super().change(session_id, change, attempts)


async def test_a_session_opened_in_the_thread_meanwhile_has_it(settings: Settings) -> None:
    async with connect(settings.redis_url) as client:
        store = OpenedMeanwhile(client)
        await store.create(session("s-1", "t-1"))
        found = await store.end("s-1", Status.ABANDONED)
        parts = Parts(
            settings=settings,
            client=client,
            sessions=store,
            sfu=ScriptedSfu([]),  # no room is made, and none is deleted
            cases={},
            watcher=None,
            watching=None,
            opening=asyncio.Lock(),
            outbox=Outbox(client),
            records=None,
            recorder=None,
            recording=None,
            quotas=Quotas.of(client, store, settings),
        )
        with pytest.raises(ApiError) as refused:
            await reopen(parts, found)
        assert (refused.value.status, refused.value.code) == (409, "thread_busy")
        assert (await store.get("s-1")).status is Status.ABANDONED
        assert await store.live() == ["s-other"]

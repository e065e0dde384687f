"""A store without memory, as a clinician and `/health` see it: nothing new, but a way back and an end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from infra.settings import Settings
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from tests.api.serving import CASE, bearer, refusal, serving

pytestmark = pytest.mark.real


@asynccontextmanager
async def full(settings: Settings) -> AsyncIterator[None]:
    """Leave the store no memory while the block lasts."""
    async with connect(settings.redis_url) as client:
        kept = str((await client.config_get("maxmemory"))["maxmemory"])
        await client.config_set("maxmemory", "1")
        yield
        await client.config_set("maxmemory", kept)


async def test_a_session_is_come_back_to_and_ended_and_none_is_opened(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room"), Expect("agent_present", answer=False), Expect("delete_room")])
    async with serving(settings, sfu) as client:
        opened = (await client.post("/sessions", json={"case_id": CASE})).json()
        path, secret = f"/sessions/{opened['session_id']}", bearer(opened["client_secret"])
        async with full(settings):
            refused = await client.post("/sessions", json={"case_id": CASE})
            stranger = await client.post(f"{path}/token", headers=bearer("not the secret"))
            token = await client.post(f"{path}/token", headers=secret)
            ended = await client.post(f"{path}/end", headers=secret)
            again = await client.post(f"{path}/token", headers=secret)
    assert refusal(refused) == (503, "store_unavailable")
    assert "maxmemory" in refused.json()["error"]["message"]
    assert refusal(stranger) == (401, "wrong_secret")
    assert (token.status_code, ended.status_code, ended.json()["status"]) == (200, 200, "COMPLETED")
    assert refusal(again) == (410, "session_ended")
    sfu.assert_finished()


async def test_health_names_it_with_its_mend(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("check")] * 2)) as client:
        async with full(settings):
            without = await client.get("/health")
        with_room = (await client.get("/health")).json()
    assert (without.status_code, without.json()["parts"]["store"]["ok"]) == (503, False)
    assert "raise maxmemory" in without.json()["parts"]["store"]["detail"]
    assert without.json()["sessions"] == 0
    assert with_room["parts"]["store"]["ok"]

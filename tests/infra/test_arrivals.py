from __future__ import annotations

from typing import cast

import pytest
from redis.asyncio import Redis

from infra.arrivals import NAME, Arrival, is_arriving
from infra.keys import SessionKeys
from tests.infra.test_leases import until

pytestmark = pytest.mark.real


async def arriving(store: Redis, keys: SessionKeys) -> bool:
    return is_arriving(cast("str | None", await store.get(keys.name(NAME))))


async def test_one_job_is_on_its_way_until_it_is_there(store: Redis, keys: SessionKeys) -> None:
    first, second = Arrival(store, keys, "j-1"), Arrival(store, keys, "j-2")
    assert await first.claim()
    assert await first.claim(), "it renews its own"
    assert not await second.claim()
    assert await arriving(store, keys)
    await second.over()
    assert not await second.claim(), "who was refused ends nobody else's"
    await first.over()
    assert not await arriving(store, keys)
    assert not await first.claim(), "a renewal that was under way then does not bring it back"
    assert await second.claim()


async def test_a_claim_that_nobody_renews_runs_out(store: Redis, keys: SessionKeys) -> None:
    second = Arrival(store, keys, "j-2")
    assert await Arrival(store, keys, "j-1", ttl_s=0.2).claim()

    async def taken() -> bool | None:
        return await second.claim() or None

    assert await until(taken)


async def test_of_two_sessions_each_has_its_own(store: Redis, keys: SessionKeys) -> None:
    assert await Arrival(store, keys, "j-1").claim()
    assert await Arrival(store, SessionKeys("t-1", "s-2"), "j-2").claim()

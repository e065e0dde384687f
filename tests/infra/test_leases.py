from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from redis.asyncio import Redis

from infra.errors import LeaseLost
from infra.keys import SessionKeys
from infra.leases import Lease
from infra.store import connect
from tests.servers import valkey

pytestmark = pytest.mark.real

T = TypeVar("T")

SHORT_S = 1.0  # a lease for tests; long enough that a busy core does not eat it


async def until(ask: Callable[[], Awaitable[T | None]], within_s: float = 20.0) -> T:
    """Ask again every 5 ms until there is an answer: the store's clock can't be jumped."""
    async with asyncio.timeout(within_s):
        while (answer := await ask()) is None:
            await asyncio.sleep(0.005)
        return answer


async def test_one_owner_has_a_lease_and_the_other_kind_is_free(store: Redis, keys: SessionKeys) -> None:
    first = Lease(store, keys, "voice")
    fence = await first.acquire()
    assert fence is not None
    assert first.fence == fence
    assert first.valid
    assert await Lease(store, keys, "voice").acquire() is None
    assert await Lease(store, keys, "reason").acquire() is not None
    assert await Lease(store, SessionKeys("t-1", "s-2"), "voice").acquire() is not None


async def test_a_lease_never_held_has_no_fence(store: Redis, keys: SessionKeys) -> None:
    lease = Lease(store, keys, "voice")
    assert not lease.valid
    with pytest.raises(LeaseLost):
        _ = lease.fence
    await lease.release()


async def test_of_twenty_that_want_a_lease_at_once_one_gets_it(store: Redis, keys: SessionKeys) -> None:
    got = await asyncio.gather(*(Lease(store, keys, "voice").acquire() for _ in range(20)))
    assert sum(fence is not None for fence in got) == 1


async def test_who_asks_again_because_the_answer_was_lost_gets_a_new_epoch(
    store: Redis, keys: SessionKeys
) -> None:
    lease = Lease(store, keys, "voice")
    first, second = await lease.acquire(), await lease.acquire()
    assert first is not None
    assert second is not None
    assert (first.epoch, second.epoch) == (1, 2)


async def test_a_lease_that_is_not_renewed_goes_over_and_is_never_valid_with_two(
    store: Redis, keys: SessionKeys
) -> None:
    first, second = (Lease(store, keys, "voice", ttl_s=SHORT_S) for _ in range(2))
    stale = await first.acquire()
    assert first.valid
    fence = await until(second.acquire)
    assert not first.valid, "the former owner stops before the successor can start"
    assert second.valid
    assert stale is not None
    assert fence.epoch == stale.epoch + 1
    with pytest.raises(LeaseLost):
        await first.renew()
    with pytest.raises(LeaseLost):
        _ = first.fence


async def test_the_local_deadline_counts_from_before_the_call(store: Redis, keys: SessionKeys) -> None:
    clock = iter([100.0, 103.69, 103.71, 200.0, 203.69, 203.71])
    lease = Lease(store, keys, "voice", ttl_s=4.0, now_s=lambda: next(clock))
    await lease.acquire()
    assert [lease.valid, lease.valid] == [True, False]
    await lease.renew()
    assert [lease.valid, lease.valid] == [True, False]


async def test_holding_keeps_a_lease_beyond_its_time_to_live(store: Redis, keys: SessionKeys) -> None:
    held, other = (Lease(store, keys, "voice", ttl_s=SHORT_S) for _ in range(2))
    fence = await held.acquire()
    holding = asyncio.create_task(held.hold(), name="hold")
    until_s = asyncio.get_running_loop().time() + 2 * SHORT_S
    while asyncio.get_running_loop().time() < until_s:
        assert await other.acquire() is None
        assert held.valid
        await asyncio.sleep(0.02)
    holding.cancel()
    await asyncio.gather(holding, return_exceptions=True)
    assert held.fence == fence, "cancelling does not let go"


async def test_holding_ends_when_a_successor_has_the_lease(store: Redis, keys: SessionKeys) -> None:
    held = Lease(store, keys, "reason", ttl_s=SHORT_S)
    await held.acquire()
    await store.delete(keys.name("lease:reason"))  # as its time to live does
    assert await Lease(store, keys, "reason").acquire() is not None
    with pytest.raises(LeaseLost, match="successor"):
        async with asyncio.timeout(5.0):
            await held.hold()
    assert not held.valid


async def test_who_lets_go_is_followed_at_once_and_may_write_no_more(store: Redis, keys: SessionKeys) -> None:
    first = Lease(store, keys, "voice")
    before = await first.acquire()
    await first.release()
    await first.release()
    assert not first.valid
    assert await store.get(keys.name("fence:voice")) == "1:", "its token is no longer the one"
    after = await Lease(store, keys, "voice").acquire()
    assert before is not None
    assert after is not None
    assert after.epoch == before.epoch + 1


async def test_a_release_that_comes_late_does_not_take_the_successors_lease(
    store: Redis, keys: SessionKeys
) -> None:
    first, second = Lease(store, keys, "voice"), Lease(store, keys, "voice")
    await first.acquire()
    await store.delete(keys.name("lease:voice"))
    await second.acquire()
    await first.release()
    assert await store.get(keys.name("lease:voice")) == second.owner
    await second.renew()


async def test_a_lease_that_ran_out_and_went_to_nobody_is_taken_up_again(
    store: Redis, keys: SessionKeys
) -> None:
    lease = Lease(store, keys, "voice")
    fence = await lease.acquire()
    await store.delete(keys.name("lease:voice"))
    await lease.renew()
    assert lease.fence == fence
    assert await Lease(store, keys, "voice").acquire() is None


async def test_a_store_that_crashes_and_comes_back_costs_no_lease(
    tmp_path_factory: pytest.TempPathFactory, keys: SessionKeys
) -> None:
    with valkey(tmp_path_factory.mktemp("crash")) as server:
        client = connect(server.url)
        lease = Lease(client, keys, "voice", ttl_s=SHORT_S)
        fence = await lease.acquire()
        holding = asyncio.create_task(lease.hold(), name="hold")
        server.crash()
        await until(lambda: _given(not lease.valid))
        server.start()
        await until(lambda: _given(lease.valid))
        assert lease.fence == fence
        holding.cancel()
        await asyncio.gather(holding, return_exceptions=True)
        await client.aclose()


async def test_who_loses_the_store_for_longer_than_the_grace_gives_up(
    tmp_path_factory: pytest.TempPathFactory, keys: SessionKeys
) -> None:
    now_s = 1_000.0
    with valkey(tmp_path_factory.mktemp("gone")) as server:
        client = connect(server.url)
        lease = Lease(client, keys, "voice", ttl_s=SHORT_S, now_s=lambda: now_s)
        await lease.acquire()
        server.crash()
        now_s += 301.0
        with pytest.raises(LeaseLost, match="gone for too long"):
            async with asyncio.timeout(10.0):
                await lease.hold()
        await client.aclose()


async def test_a_store_that_comes_back_empty_takes_the_lease_with_it(store: Redis, keys: SessionKeys) -> None:
    lease = Lease(store, keys, "voice", ttl_s=SHORT_S)
    await lease.acquire()
    await store.flushall()
    with pytest.raises(LeaseLost, match="the session expired"):
        await lease.hold()
    assert not lease.valid


async def _given(condition: bool) -> bool | None:
    return condition or None


async def test_who_takes_a_lease_learns_for_how_long_nobody_had_it(store: Redis, keys: SessionKeys) -> None:
    first, second, third = (Lease(store, keys, "voice", ttl_s=SHORT_S) for _ in range(3))
    assert first.vacant_s is None
    await first.acquire()
    assert first.vacant_s is None, "nobody ever had it"
    await first.renew()
    await until(second.acquire)
    assert second.vacant_s is not None
    assert SHORT_S - 0.01 <= second.vacant_s < 20.0, "since it was last renewed"
    vacant_s = second.vacant_s
    await second.acquire()
    assert second.vacant_s == vacant_s, "asked again because the answer was lost"
    await second.release()
    await third.acquire()
    assert third.vacant_s is not None
    assert third.vacant_s < 0.2, "since it was let go"

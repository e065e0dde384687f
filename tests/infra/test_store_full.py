"""A store without memory: what ends or renews goes on, what is new is refused; on each kind of server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from infra.clock import wall_ms
from infra.embedded.ports import LOOPBACK, Transport, choose
from infra.errors import StoreFull
from infra.keys import ENDED, LIVE
from infra.leases import Lease
from infra.outbox import Outbox
from infra.reports.recorder import Recorder
from infra.sessions import SETTLE_MS, SessionStore, Status
from infra.store import check, connect
from tests.checkpoints.servers import redis_server, running
from tests.infra.making import session
from tests.infra.story import lived
from tests.servers import StoreServer

pytestmark = pytest.mark.real


@pytest.fixture(params=["embedded", "redis"])
def url(request: pytest.FixtureRequest, store_server: StoreServer, tmp_path: Path) -> Iterator[str]:
    if request.param == "embedded":
        yield store_server.url
        return
    port = choose(tmp_path / "ports.json", [("port", Transport.TCP)])["port"]
    with running(redis_server(), tmp_path / "redis", port):
        yield f"redis://{LOOPBACK}:{port}"


@pytest_asyncio.fixture
async def client(url: str) -> AsyncIterator[Redis]:
    async with connect(url) as client:
        await client.flushall()
        yield client


@asynccontextmanager
async def full(client: Redis) -> AsyncIterator[None]:
    """Leave the store no memory while the block lasts."""
    kept = str((await client.config_get("maxmemory"))["maxmemory"])
    await client.config_set("maxmemory", "1")
    try:
        yield
    finally:
        await client.config_set("maxmemory", kept)


async def test_it_says_so_and_refuses_what_is_new(client: Redis) -> None:
    async with full(client):
        found = await check(client)
        with pytest.raises(StoreFull, match="raise maxmemory"):
            await SessionStore(client).create(session("s-1"))
        with pytest.raises(StoreFull):
            await Lease(client, session("s-1").keys, "voice").acquire()
    assert found.full and "no memory left" in "".join(found.warnings)
    assert not (await check(client)).full
    assert await client.keys("*") == []


async def test_a_lease_is_renewed_and_let_go(client: Redis) -> None:
    record = await SessionStore(client).create(session("s-1"))
    lease = Lease(client, record.keys, "voice", ttl_s=60.0)
    await lease.acquire()
    async with full(client):
        await client.pexpire(record.keys.name("lease:voice"), 1_000)
        await lease.renew()
        assert await client.pttl(record.keys.name("lease:voice")) > 50_000
        assert lease.valid
        await lease.release()
        assert not await client.exists(record.keys.name("lease:voice"))


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.ABANDONED])
@pytest.mark.parametrize("thread_id", [None, "t-1"])
async def test_a_session_is_ended_and_listed_to_be_recorded(
    client: Redis, status: Status, thread_id: str | None
) -> None:
    sessions = SessionStore(client)
    await sessions.create(session("s-1", thread_id=thread_id))
    async with full(client):
        ended = await sessions.end("s-1", status)
        assert ended.status is status
        assert (await client.zcard(LIVE), await client.zcard(ENDED)) == (0, 1)
    entry = await Outbox(client).read(ended.keys)
    assert entry is not None and entry.report == "due"


async def test_a_session_stays_listed_as_live(client: Redis) -> None:
    long_ago = SessionStore(client, now_ms=lambda: wall_ms() - 60_000)
    await long_ago.create(session("s-1"))
    async with full(client):
        await SessionStore(client).heartbeat("s-1")
    assert await SessionStore(client).silent_s("s-1") < 30.0


async def test_what_is_over_gets_its_report_and_leaves_the_list(client: Redis) -> None:
    await lived(client)
    async with full(client):
        record = await SessionStore(client).end("s-1")
        await Recorder(client, None, now_ms=lambda: wall_ms() + 2 * SETTLE_MS).round()
        assert await client.zcard(ENDED) == 0
    entry = await Outbox(client).read(record.keys)
    assert entry is not None and (entry.report, entry.sql) == ("made", "off")


async def test_a_claim_is_one_processs_and_what_left_the_list_stays_off(client: Redis) -> None:
    outbox, keys = Outbox(client), session("s-1").keys
    async with full(client):
        assert [await outbox.claim(keys, 60.0) for _ in range(2)] == [True, False]
        assert 50_000 < await client.pttl(keys.name("recording")) <= 60_000
        await outbox.later("s-1", 1_000)
    assert await client.zcard(ENDED) == 0

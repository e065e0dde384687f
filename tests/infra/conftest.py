"""A real store for the tests of what lies on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from infra.keys import SessionKeys
from infra.store import connect
from tests.servers import StoreServer, valkey


@pytest.fixture(scope="session")
def store_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreServer]:
    """One store for all tests that do not stop it."""
    with valkey(tmp_path_factory.mktemp("store")) as server:
        yield server


@pytest_asyncio.fixture
async def store(store_server: StoreServer) -> AsyncIterator[Redis]:
    """A client of an empty store."""
    client = connect(store_server.url)
    await client.flushall()
    yield client
    await client.aclose()


@pytest.fixture
def keys() -> SessionKeys:
    """Keys of a session whose thread has another name."""
    return SessionKeys("t-1", "s-1")

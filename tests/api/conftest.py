"""A real store for the API's tests, and settings that point at it."""

from __future__ import annotations

from pathlib import Path

import pytest
from redis import Redis

from infra.settings import Settings
from tests.api.serving import settings_for
from tests.servers import StoreServer


@pytest.fixture
def store_url(store_server: StoreServer) -> str:
    """Return the address of an empty store, the one of all tests that do not stop it."""
    with Redis.from_url(store_server.url) as client:
        client.flushall()
    return store_server.url


@pytest.fixture
def settings(tmp_path: Path, store_url: str) -> Settings:
    return settings_for(tmp_path, store_url)

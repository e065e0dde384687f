"""The saver on the embedded store."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis

from infra.checkpoints import RedisSaver


@pytest.fixture
def saver(store: Redis) -> RedisSaver:
    """Return a saver without a fence."""
    return RedisSaver(store)

"""A real store for the API's tests, and settings that point at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.settings import Settings
from tests.api.serving import settings_for
from tests.servers import valkey


@pytest.fixture
def store_url(tmp_path: Path) -> Iterator[str]:
    with valkey(tmp_path) as server:
        yield server.url


@pytest.fixture
def settings(tmp_path: Path, store_url: str) -> Settings:
    return settings_for(tmp_path, store_url)

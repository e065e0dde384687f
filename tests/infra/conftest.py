"""A session's keys for the tests of what lies on the store."""

from __future__ import annotations

import pytest

from infra.keys import SessionKeys


@pytest.fixture
def keys() -> SessionKeys:
    """Keys of a session whose thread has another name."""
    return SessionKeys("t-1", "s-1")

"""Plays the scenes of the tests that run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.conftest import UpStack
from tests.e2e.heard.scenes import Played, longest_first


@pytest.fixture(scope="package")
def played(up: UpStack, request: pytest.FixtureRequest) -> Played:
    """Play each scene that a test of this run looks at, once."""
    scenes = longest_first(getattr(item, "function", None) for item in request.session.items)
    found = Played()
    asyncio.run(found.play(up, scenes))
    return found


@pytest.fixture
def found(played: Played, request: pytest.FixtureRequest) -> Any:
    """Return what came of the test's scene."""
    return played.result(request.function.scene)

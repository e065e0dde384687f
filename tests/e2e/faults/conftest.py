"""One stack for the tests that kill and stop its parts: others' tests should not feel it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import UpStack, stack


@pytest.fixture(scope="package")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UpStack]:
    """Return a stack that these tests have to themselves. Each leaves it with all parts in place again."""
    with stack(tmp_path_factory.mktemp("own")) as running:
        yield running

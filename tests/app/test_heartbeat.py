"""The sign of life that a part gives by touching its ready file."""

from __future__ import annotations

import asyncio
import errno
import os
from types import SimpleNamespace
from typing import cast

import pytest

from app.heartbeat import BEAT_S, beating
from infra.settings import Settings


class FullDisk:
    """A ready file that can't be touched from the second time to the fourth."""

    touched = 0

    def exists(self) -> bool:
        return True

    def touch(self) -> None:
        self.touched += 1
        if 2 <= self.touched <= 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_beat_that_fails_is_told_once_and_those_after_it_come(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    file = FullDisk()

    async def scene() -> None:
        async with beating(cast("Settings", SimpleNamespace(ready_file=file))):
            await asyncio.sleep(10 * BEAT_S - 0.1)

    virtual.run(scene())
    assert file.touched == 10
    assert [record.getMessage() for record in caplog.records] == [
        "no sign of life can be given: No space left on device"
    ]

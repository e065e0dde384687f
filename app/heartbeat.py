"""Give a sign of life to the parent process: the event loop touches the ready file each second.

A process that serves no socket can't be asked whether it works; a loop that is stuck, or stopped, touches
nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from infra.settings import Settings

BEAT_S: Final = 0.8  # below the second between two looks


@contextlib.asynccontextmanager
async def beating(settings: Settings) -> AsyncIterator[None]:
    """Touch the ready file over and over for as long as the block lasts, if there is one."""
    if settings.ready_file is None:
        yield
        return
    beats = asyncio.create_task(_beat(settings), name="heartbeat")
    try:
        yield
    finally:
        beats.cancel()
        await asyncio.wait({beats})


async def _beat(settings: Settings) -> None:
    file = settings.ready_file
    while file is not None:
        if file.exists():  # made by announce_ready, and by nothing else: it says that the part is ready
            file.touch()
        await asyncio.sleep(BEAT_S)

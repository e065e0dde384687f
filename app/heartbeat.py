"""Give a sign of life to the parent process: the event loop touches the ready file each second.

A process that serves no socket can't be asked whether it works; a loop that is stuck, or stopped, touches
nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Final

from infra.settings import Settings

log = logging.getLogger(__name__)

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
    file, fails = settings.ready_file, False
    while file is not None:
        try:
            if file.exists():  # made by announce_ready, and by nothing else: it says that the part is ready
                file.touch()
        except OSError as error:  # it may pass before the parent takes this part for stuck
            if not fails:
                log.warning("no sign of life can be given: %s", error.strerror or type(error).__name__)
            fails = True
        else:
            fails = False
        await asyncio.sleep(BEAT_S)

"""Leave the ledger whole when a session ends, or is handed over to a successor."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Final

from tts_queue import HoldCause, SpeechQueue

log = logging.getLogger(__name__)

LEAVING_S: Final = 1.0  # for the ledger; whoever is told to leave has seconds
CLOSING_S: Final = 1.5  # the API waits 3 s for the voice to leave before it takes the room away


async def close_ledger(queue: SpeechQueue, session_id: str) -> None:
    """End all unfinished utterances in the ledger, within `CLOSING_S`; without a store they stay open."""
    try:
        async with asyncio.timeout(CLOSING_S):
            await queue.abandon("session ended")
    except TimeoutError:
        log.warning("the ledger of %s was not closed in time", session_id)


async def hold_for_successor(queue: SpeechQueue) -> None:
    """Hold all speech at once, and return when the ledger is written, or after `LEAVING_S`."""
    queue.hold(HoldCause.TAKEOVER)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LEAVING_S):
            await queue.settled()

"""Write the clinician's turns and acknowledgments to the session's log, beside the speech."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from agents.stream import StreamFull
from infra.errors import StoreError
from infra.streams import Command

log = logging.getLogger(__name__)

BOUND: Final = 256  # that wait for a store which is away; turns come seconds apart
AGAIN_S: Final = 1.0


class Notes:
    """Appends commands in order, one at a time, each retried until the store has it."""

    def __init__(self, append: Callable[[Command], Awaitable[bool]]) -> None:
        self._append = append
        self._waiting: deque[Command] = deque()
        self._some = asyncio.Event()
        self.dropped = 0

    def keep(self, command: Command) -> None:
        """Queue a command to be written. At `BOUND` the oldest is dropped, counted and logged."""
        if len(self._waiting) >= BOUND:
            self._waiting.popleft()
            self.dropped += 1
            log.warning("a note was dropped, as %d wait for the store: %d so far", BOUND, self.dropped)
        self._waiting.append(command)
        self._some.set()

    async def run(self) -> None:
        """Write until cancelled; a command that failed is retried before any other."""
        while True:
            await self._some.wait()
            while self._waiting:
                command = self._waiting[0]
                try:
                    await self._append(command)
                except StreamFull:
                    self.dropped += 1
                    log.warning("a note found no room in the store: %d dropped so far", self.dropped)
                except StoreError as error:
                    log.warning("a note waits for the store: %s", type(error).__name__)
                    await asyncio.sleep(AGAIN_S)
                    continue
                if self._waiting and self._waiting[0] is command:
                    self._waiting.popleft()
            self._some.clear()

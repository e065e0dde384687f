"""Read a session's streams across outages: a reader waits until the store is back.

A voice that holds the lease has nothing to read while the store is away, and goes on reading where it was
when the store is back. How long it waits is not decided here: the lease is lost for good after the grace
(`infra.leases.GIVE_UP_S`), and that ends the readers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from infra.errors import StoreUnavailable
from infra.streams import Command, Logged, LoggedCommand, LoggedUpdate, SessionStreams

log = logging.getLogger(__name__)

AGAIN_S: Final = 0.25  # the client has tried for up to 5 s by itself

Entry = TypeVar("Entry")


@dataclass(slots=True)
class OutageTolerantStreams:
    """Reads as `SessionStreams` does; while the store is away there is nothing new."""

    streams: SessionStreams
    _away: bool = False  # logged once per outage

    async def read_events(self, after_id: str, *, block_ms: int, count: int) -> list[Logged]:
        """Return the agents' events after `after_id`, waiting up to `block_ms` for the first."""
        return await self._read(lambda: self.streams.read_events(after_id, block_ms, count))

    async def read_updates(self, after_id: str, *, block_ms: int, count: int) -> list[LoggedUpdate]:
        """Return the engine's updates, likewise."""
        return await self._read(lambda: self.streams.read_updates(after_id, block_ms, count))

    async def read_commands(self, after_id: str, *, block_ms: int, count: int) -> list[LoggedCommand]:
        """Return what was asked of the session, likewise."""
        return await self._read(lambda: self.streams.read_commands(after_id, block_ms, count))

    async def team_silent_s(self) -> float | None:
        """Return how long ago the team's program gave a sign. Raises: StoreUnavailable: nobody knows."""
        return await self.streams.team_silent_s()

    async def append_command(self, command: Command) -> bool:
        """Ask something of the session; False if this very command is there already.

        Raises: StoreUnavailable, StreamFull: who asked is told at once.
        """
        return await self.streams.append_command(command)

    async def _read(self, read: Callable[[], Awaitable[list[Entry]]]) -> list[Entry]:
        try:
            found = await read()
        except StoreUnavailable as error:
            if not self._away:
                log.warning("nothing can be read for now: %s", error)
            self._away = True
            await asyncio.sleep(AGAIN_S)
            return []
        self._away = False
        return found

"""Store the newest place in the speech, for a successor.

A place is an utterance, the number of its last move, and the clause that began to sound last, from 0.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from tts_queue import LogUnavailable, Move, SegmentStarted

log = logging.getLogger(__name__)

AGAIN_S: Final = 0.5  # after the store gave no answer

Keep = Callable[[str, int, int], Awaitable[None]]


async def keep_nowhere(utterance_id: str, number: int, clause: int) -> None:
    """Keep no place."""


class Bookmark:
    """Writes the clause that began to sound last; one overtaken by a newer clause is never written."""

    def __init__(self, keep: Keep) -> None:
        """`keep` takes an utterance's id, the number of its last move, and the clause, from 0."""
        self._keep = keep
        self._moves: dict[str, int] = {}  # number of each utterance's last move
        self._place: tuple[str, int, int] | None = None
        self._moved = asyncio.Event()

    def moved(self, move: Move) -> None:
        """Record an utterance's newest move; never waits."""
        self._moves[move.utterance_id] = move.number

    def began(self, clause: SegmentStarted) -> None:
        """Record the clause that begins to sound; never waits."""
        self._place = (clause.utterance_id, self._moves[clause.utterance_id], clause.index)
        self._moved.set()

    async def run(self) -> None:
        """Write until cancelled. Raises what the store raises beside LogUnavailable."""
        while True:
            await self._moved.wait()
            self._moved.clear()
            if self._place is not None:
                await self._write(*self._place)

    async def _write(self, utterance_id: str, number: int, clause: int) -> None:
        try:
            await self._keep(utterance_id, number, clause)
        except LogUnavailable:
            log.warning("the place in the speech is not kept for now")
            await asyncio.sleep(AGAIN_S)
            self._moved.set()

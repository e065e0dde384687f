"""Where in the speech we are, kept in the store for a successor: only the newest place counts.

A place is an utterance, the number of its last move, and the clause that began to sound last, from 0; the
number after the last clause's says that all of it was sent, and need not be said again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from tts_queue import LogUnavailable, Move, Phase, SegmentStarted

log = logging.getLogger(__name__)

AGAIN_S: Final = 0.5  # after the store gave no answer

Keep = Callable[[str, int, int], Awaitable[None]]


class Bookmark:
    """Writes the clause that began to sound last; what a newer one overtakes is never written."""

    def __init__(self, keep: Keep) -> None:
        """`keep` takes an utterance's id, the number of its last move, and the clause, from 0."""
        self._keep = keep
        self._moves: dict[str, int] = {}  # number of each utterance's last move
        self._last: SegmentStarted | None = None  # the last clause of an utterance, not yet sent to its end
        self._place: tuple[str, int, int] | None = None
        self._moved = asyncio.Event()

    def moved(self, move: Move) -> None:
        """Take note of a move; never waits."""
        self._moves[move.utterance_id] = move.number
        if move.phase_to is not Phase.SPEAKING:
            self._last = None

    def began(self, clause: SegmentStarted) -> None:
        """Take note that a clause begins to sound; never waits."""
        self._put(clause.utterance_id, clause.index)
        self._last = clause if clause.index + 1 == clause.of else None

    def sent(self, samples: int) -> None:
        """Take note of how much has left: perhaps an utterance to its last sample."""
        last = self._last
        if last is not None and samples >= last.start_sample + last.samples:
            self._last = None
            self._put(last.utterance_id, last.of)

    def _put(self, utterance_id: str, clause: int) -> None:
        self._place = (utterance_id, self._moves[utterance_id], clause)
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

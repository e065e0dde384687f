"""Track the task writes under way, so that a checkpoint can wait for those it was made of."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterator
from contextlib import contextmanager


class InFlight:
    """Counts operations under way by where they go. One event loop; holds nothing once all have ended."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, set[asyncio.Future[None]]] = {}

    @contextmanager
    def under_way(self, place: Hashable) -> Iterator[None]:
        """Count one operation on `place` until the block ends, however it does."""
        ended = asyncio.get_running_loop().create_future()
        ours = self._under_way.setdefault(place, set())
        ours.add(ended)
        try:
            yield
        finally:
            ended.set_result(None)
            ours.discard(ended)
            if not ours:
                self._under_way.pop(place, None)

    async def settled(self, place: Hashable) -> None:
        """Wait until what is under way on `place` now has ended; what comes later is not waited for."""
        if ours := self._under_way.get(place):
            await asyncio.wait(tuple(ours))

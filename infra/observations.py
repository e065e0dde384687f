"""Read the observations of a session's model calls from its event log, which outlives processes."""

from __future__ import annotations

from collections import deque
from typing import Final

from agents.streaming.observing import Observer
from agents.streaming.sockets import Observation
from infra.streams import SessionStreams

READ_COUNT: Final = 1_000
MOST: Final = 10_000  # the newest; each turn of an agent brings three or four


async def read_observations(streams: SessionStreams, *, most: int = MOST) -> list[Observation]:
    """Return the newest `most` observations, oldest first. Raises: StoreUnavailable, CorruptSession.

    The log holds them: they live as long as it does, and within its bounds.
    """
    observer = Observer()
    found: deque[Observation] = deque(maxlen=most)
    after = "0-0"
    while logged := await streams.read_events(after, count=READ_COUNT):
        for entry in logged:
            found.extend(observer.saw(entry.event, event_id=entry.id, at_ms=entry.at_ms))
        after = logged[-1].id
    return list(found)

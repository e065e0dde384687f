"""Find which messages to a live team are answered, for a restarted team that reads its inbox anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from redis.asyncio import Redis

from agents.stream import StreamEvent, TurnMark
from infra.keys import SessionKeys
from infra.streams import SessionStreams

READ_AT_ONCE: Final = 1_000


async def answered_messages(
    client: Redis, keys: SessionKeys, read: Callable[[StreamEvent], None] | None = None
) -> set[str]:
    """Return the messages that have their answer in the log; `read` is given each event of it, in order."""
    streams, after = SessionStreams(client, keys), "0-0"
    found: set[str] = set()
    while logged := await streams.read_events(after, count=READ_AT_ONCE):
        after = logged[-1].id
        if read is not None:
            for each in logged:
                read(each.event)
        ended = (each.event for each in logged if each.event.mark is TurnMark.TURN_END)
        found |= {event.in_reply_to for event in ended if event.in_reply_to is not None}
    return found

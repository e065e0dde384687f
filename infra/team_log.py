"""The event log of a session whose team runs elsewhere: its events come over HTTP, into the same log.

The team's own count guards the log instead of a lease: one sender numbers its events without a gap, so what
comes twice is passed over, and whoever reasons only reads. Nothing follows END, nor the seal that a holder of
the `reason` lease puts on the log of a team that fell silent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from redis.asyncio import Redis

from agents.stream import EventType, StreamEvent, StreamFull
from infra.errors import Fenced, LogSealed, SequenceGap
from infra.keys import SessionKeys
from infra.leases import Fence
from infra.scripts import Scripts, answering
from infra.streams import EVENT_BOUND

BYTE_BOUND: Final = 16 * 1024 * 1024  # of one log, as JSON: five times the largest recorded case
KEPT_EVENTS: Final = 16  # of the bound, for ERROR and END: a team can always end
KEPT_BYTES: Final = 64 * 1024
_ENDING: Final = frozenset({EventType.ERROR, EventType.END})


class TeamLog:
    """Takes a live team's events into its session's log. Each call has its deadline (StoreUnavailable)."""

    def __init__(
        self,
        client: Redis,
        keys: SessionKeys,
        *,
        event_bound: int = EVENT_BOUND,
        byte_bound: int = BYTE_BOUND,
    ) -> None:
        self._client, self._keys = client, keys
        self._event_bound, self._byte_bound = event_bound, byte_bound
        self._scripts = Scripts(client, keys)

    async def take(self, events: Sequence[StreamEvent]) -> int:
        """Append `events`, ascending by `seq`, all or none; those that are there are passed over.

        Returns the newest `seq` of the team's that is stored, or -1; so no events at all ask for that.

        Raises: StreamFull, SequenceGap; LogSealed: the reasoning is over.
        """
        ending = all(event.type in _ENDING for event in events)
        events_bound = self._event_bound - (0 if ending else KEPT_EVENTS)
        bytes_bound = self._byte_bound - (0 if ending else KEPT_BYTES)
        ends = bool(events) and events[-1].type is EventType.END
        pairs = [part for event in events for part in (event.seq, event.to_wire())]
        word, detail = await self._scripts.run("take_events", events_bound, bytes_bound, int(ends), *pairs)
        match word:
            case "OVER":
                raise LogSealed(int(detail))
            case "GAP":
                found = (event.seq for event in events if event.seq > int(detail))
                raise SequenceGap(int(detail), next(found, events[-1].seq))
            case "FULL":
                raise StreamFull(events_bound)
        return int(detail)

    async def seal(self, events: Sequence[StreamEvent], fence: Fence) -> bool:
        """Append `events`, which end the reasoning in the team's place; False if the team spoke first.

        Raises: Fenced (the reason lease guards it).
        """
        pairs = [part for event in events for part in (event.seq, event.to_wire())]
        word, _ = await self._scripts.run("seal_events", fence.token, *pairs)
        if word == "FENCED":
            raise Fenced("reason")
        return word == "OK"

    async def sealed(self) -> bool:
        """Return whether the team may add nothing any more."""
        async with answering("the seal of a log"):
            return bool(await self._client.hexists(self._keys.name("heads"), "sealed"))

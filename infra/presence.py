"""Tell whether somebody is in a live session: a voice, or a client with a recent sign.

A stack that was stopped leaves its sessions open, to be returned to for the grace. Whoever comes back asks
for a token first; until then such a session sleeps: it needs no room, no voice, no reasoning and no slot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis

from infra.scripts import answering
from infra.sessions import SessionRecord, SessionStore
from infra.store import clock_ms

LATELY_S: Final = 20.0
"""A page that lost its room asks for a token each 15 s at least."""

REPLACED_S: Final = 10.0
"""A lost voice has a successor within this time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceSigns:
    """The signs that somebody is in a session, with their ages in seconds.

    Args:
        lease_s: what is left of the `voice` lease; 0: nobody holds it.
        vacant_s: since the lease was last held, if nobody holds it; None: nobody ever did.
        silent_s: since a client opened the session, opened it again, or asked for a token.
    """

    lease_s: float = 0.0
    vacant_s: float | None = None
    silent_s: float = 0.0

    @property
    def held(self) -> bool:
        """Whether the session has a voice."""
        return self.lease_s > 0.0

    @property
    def asleep(self) -> bool:
        """Whether nobody has been there for a while."""
        replaced = self.vacant_s is not None and self.vacant_s < REPLACED_S
        return not self.held and not replaced and self.silent_s >= LATELY_S


async def signs_of(client: Redis, sessions: SessionStore, record: SessionRecord) -> PresenceSigns:
    """Read a session's signs. Raises: StoreUnavailable, CorruptSession."""
    async with answering("voice lease"):
        left_ms = int(await client.pttl(record.keys.name("lease:voice")))
        if left_ms > 0:
            return PresenceSigns(lease_s=left_ms / 1000)
        held = await client.hget(record.keys.name("heads"), "held:voice")
        held_ms = None if held is None else int(held)
    now_ms = int(await clock_ms(client))
    silent_s = await sessions.silent_s(record.session_id)
    vacant_s = None if held_ms is None else max(0, now_ms - held_ms) / 1000
    return PresenceSigns(vacant_s=vacant_s, silent_s=silent_s)

"""Values that several tests of the store need."""

from __future__ import annotations

from redis.asyncio import Redis

from agents.stream import EventType, StreamEvent, TokenType
from infra.keys import SessionKeys
from infra.leases import Fence, Lease, LeaseKind
from infra.sessions import SessionRecord


def events(first: int, last: int, text: str = "word {} ") -> list[StreamEvent]:
    """Return token events with `seq` from `first` to `last`, both inclusive."""
    return [
        StreamEvent(
            type=EventType.TOKEN,
            token_type=TokenType.LLM_RESPONSE,
            data=text.format(seq),
            thread_id="t-1",
            trace_id="r-1",
            session_id="s-1",
            agent_id="doctor0",
            seq=seq,
        )
        for seq in range(first, last + 1)
    ]


async def taken(client: Redis, keys: SessionKeys, kind: LeaseKind) -> Fence:
    """Take a free lease and return its fence."""
    fence = await Lease(client, keys, kind).acquire()
    assert fence is not None, f"the {kind} lease is not free"
    return fence


async def taken_over(client: Redis, keys: SessionKeys, kind: LeaseKind) -> tuple[Fence, Fence]:
    """Return the fence of one whose lease ran out, and that of its successor."""
    stale = await taken(client, keys, kind)
    await client.delete(keys.name(f"lease:{kind}"))  # as its time to live does
    return stale, await taken(client, keys, kind)


def session(session_id: str = "s-1", thread_id: str | None = None) -> SessionRecord:
    """Return a record that was never stored."""
    return SessionRecord(
        session_id=session_id,
        thread_id=thread_id or session_id,
        case_id="case-1",
        room=f"case-{session_id}",
        secret_sha256="0" * 64,
        created_at_ms=1_790_000_000_000,
    )

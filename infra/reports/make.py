"""A session's report, from the store to the value."""

from __future__ import annotations

from redis.asyncio import Redis

from infra.reports.build import build_report
from infra.reports.material import NothingHappened, read_material
from infra.reports.model import Report
from infra.sessions import SessionRecord


async def make_report(client: Redis, record: SessionRecord, now_ms: int) -> Report | None:
    """Return the report; None: nothing happened. Raises: StoreError."""
    try:
        return build_report(await read_material(client, record), generated_at_ms=now_ms)
    except NothingHappened:
        return None

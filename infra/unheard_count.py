"""Count what was still to be said when a session ended; the page offers to come back for it.

Counted from the ledger, so that it is known at once, before there is a report. The report keeps the count for
when the ledger is gone.
"""

from __future__ import annotations

from redis.asyncio import Redis

from infra.database import StoredSession
from infra.errors import CorruptSession, NewerSchema, TornSession
from infra.keys import SessionKeys
from infra.ledger import SpeechLedger
from infra.outbox import Outbox
from infra.reports.reading import read_report
from infra.reports.speech import unheard
from infra.scripts import answering
from infra.streams import UPDATE_BOUND, SessionStreams


async def read_unheard(client: Redis, keys: SessionKeys) -> int | None:
    """Return how many items of updates waited, or were cut short, when the session ended.

    None: its records can't be read, or not whole. Raises: StoreUnavailable.
    """
    async with answering("a ledger"):
        stripped = await client.hexists(keys.name("heads"), "stripped")
    if stripped:  # the store needed the room (`infra.log_bytes`), and the report has it
        report = await Outbox(client).report(keys)
        return None if report is None else _of_report(report)
    try:
        entries = await SpeechLedger(client, keys).entries()
        updates = await SessionStreams(client, keys).read_updates(count=UPDATE_BOUND)
    except (TornSession, CorruptSession, NewerSchema):
        return None
    return unheard(entries, {made.update_id: len(made.update.get("items", ())) for made in updates})


def unheard_of_stored(stored: StoredSession) -> int | None:
    """Return as much of a session that only the database has; None if it has no report that can be read."""
    return None if stored.report is None else _of_report(stored.report)


def _of_report(text: str) -> int | None:
    try:
        report = read_report(text)
    except (CorruptSession, NewerSchema):  # who asks for the report itself is told
        return None
    if report.unheard is None:  # an older one: what it ended first counts as cut there
        return report.counts.waiting + report.counts.unaccounted
    return report.unheard

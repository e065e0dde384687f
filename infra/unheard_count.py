"""Count what was still to be said when a session ended; the page offers to come back for it.

Counted from the ledger, so that it is known at once, before there is a report; what only the database still
has is counted from the report.
"""

from __future__ import annotations

from collections.abc import Sequence

from redis.asyncio import Redis

from infra.database import StoredSession
from infra.errors import CorruptSession, NewerSchema, TornSession
from infra.keys import SessionKeys
from infra.ledger import LedgerEntry, SpeechLedger
from infra.outbox import Outbox
from infra.reports.reading import read_report
from infra.scripts import answering
from infra.streams import UPDATE_BOUND, LoggedUpdate, SessionStreams
from tts_queue.phases import is_over

ENDED_FIRST = "session ended"
"""The reason of what the voice took back because the session ended."""


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
    return unheard(entries, updates)


def unheard(entries: Sequence[LedgerEntry], updates: Sequence[LoggedUpdate]) -> int:
    """Return how many items wait in the ledger, or never came to it; greetings and answers do not count."""
    offered = {entry.utterance.utterance_id for entry in entries}
    waiting = sum(
        entry.utterance.update_id is not None and (not is_over(entry.phase) or entry.reason == ENDED_FIRST)
        for entry in entries
    )
    return waiting + sum(
        f"{made.update_id}.{number}" not in offered
        for made in updates
        for number in range(1, len(made.update.get("items", ())) + 1)
    )


def unheard_of_stored(stored: StoredSession) -> int | None:
    """Return as much of a session that only the database has; None if it has no report that can be read."""
    return None if stored.report is None else _of_report(stored.report)


def _of_report(text: str) -> int | None:
    try:
        counts = read_report(text).counts
    except (CorruptSession, NewerSchema):  # who asks for the report itself is told
        return None
    return counts.waiting + counts.unaccounted

"""What the store has of a session."""

from __future__ import annotations

from typing import Final

from exaim_core import Update
from infra import store
from infra.keys import SessionKeys
from infra.ledger import SpeechLedger
from infra.streams import SessionStreams
from lab.demo.facts import Told

MOST_UPDATES: Final = 10_000


async def books(redis_url: str, session_id: str) -> Told:
    """Return a session's updates and its ledger as they are now. Raises: StoreError."""
    client = store.connect(redis_url)
    try:
        keys = SessionKeys(session_id, session_id)
        logged = await SessionStreams(client, keys).read_updates(count=MOST_UPDATES)
        entries = await SpeechLedger(client, keys).entries()
    finally:
        await client.aclose()
    return Told({each.update_id: Update.model_validate(each.update) for each in logged}, tuple(entries))

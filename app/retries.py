"""Decide when a session whose reasoning failed is tried again. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from agents.stream import StreamFenced, StreamUnavailable
from infra.errors import Fenced, LeaseLost, StaleVersion, StoreUnavailable

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 60.0  # how late a record that was mended is noticed

PASSING: Final = (StoreUnavailable, StreamUnavailable, LeaseLost, Fenced, StreamFenced, StaleVersion)
"""What says nothing of the session: the store was away, or another holds the lease. Tried again at once."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before the next try, and when that is, on any one clock."""

    wait_s: float
    until_s: float


class Retries:
    """The recent failures by session: each one in a row doubles the wait."""

    def __init__(self) -> None:
        self._waits: dict[str, Backoff] = {}

    def due(self, session_id: str, now_s: float) -> bool:
        """Return whether a session may be tried now."""
        wait = self._waits.get(session_id)
        return wait is None or now_s >= wait.until_s

    def failed(self, session_id: str, now_s: float) -> float:
        """Record a failure; return how long to wait, in seconds."""
        before = self._waits.get(session_id)
        wait_s = FIRST_WAIT_S if before is None else min(LONGEST_WAIT_S, before.wait_s * 2)
        self._waits[session_id] = Backoff(wait_s, now_s + wait_s)
        return wait_s

    def went_well(self, session_id: str) -> None:
        """Forget a session's failures."""
        self._waits.pop(session_id, None)

    def keep(self, live: Collection[str]) -> None:
        """Forget the sessions that are not among these."""
        kept = set(live)
        self._waits = {each: wait for each, wait in self._waits.items() if each in kept}

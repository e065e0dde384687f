"""What is kept of the updates that were made: the newest summaries and the words told, both bounded."""

from __future__ import annotations

from collections import deque
from typing import Final

from exaim_core.schema import AgentSummary, Update

SUMMARIES: Final = 2_000  # some hours of a busy case; 2 MB
TOLD: Final = 500  # items; a wording that was told before those is news again


class Kept:
    """The updates of one case, as far back as anybody asks. `made` counts them all."""

    def __init__(self) -> None:
        self.made = 0
        self.told: deque[str] = deque(maxlen=TOLD)  # texts of items, oldest first
        self._summaries: deque[AgentSummary] = deque(maxlen=SUMMARIES)

    def add(self, update: Update) -> None:
        """Take an update in; the oldest that is beyond the bound goes."""
        self.made += 1
        self._summaries.append(update.summary)
        self.told.extend(item.text for item in update.items)

    @property
    def summaries(self) -> tuple[AgentSummary, ...]:
        """Return the summaries that are kept, oldest first."""
        return tuple(self._summaries)

    def after(self, read: int) -> AgentSummary:
        """Return what comes after the first `read` summaries; the oldest kept, if that is gone."""
        return self._summaries[max(read - self.made, -len(self._summaries))]

    def newest(self, count: int, *, skip: int = 0) -> tuple[AgentSummary, ...]:
        """Return the newest `count` summaries before the last `skip`, oldest first."""
        kept = self.summaries
        kept = kept[: len(kept) - skip] if skip else kept
        return kept[-count:] if count else ()

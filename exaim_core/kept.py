"""Keep the newest summaries and the texts that were spoken, both within bounds."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Iterable
from typing import Final

from exaim_core.schema import AgentSummary, Update

SUMMARIES: Final = 2_000  # some hours of a busy case; 2 MB
TOLD: Final = 500  # items; a wording older than these is news again


class KeptUpdates:
    """The newest updates of one case. `made` counts all that were ever made."""

    def __init__(self) -> None:
        self.made = 0
        self.told: deque[str] = deque(maxlen=TOLD)  # texts of items, oldest first
        self._summaries: deque[AgentSummary] = deque(maxlen=SUMMARIES)
        self._news = asyncio.Event()  # set, and replaced, at every update
        self._over = False

    def add(self, update: Update) -> None:
        """Keep an update; beyond the bound the oldest goes."""
        self.made += 1
        self._summaries.append(update.summary)
        self.told.extend(item.text for item in update.items)
        self._tell_news()

    def close(self) -> None:
        """Note that no further update follows."""
        self._over = True
        self._tell_news()

    def _tell_news(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def stream(self) -> AsyncIterator[AgentSummary]:
        """Yield every summary from the first, waiting for the next one, until `close` is called.

        A reader that falls behind by more than are kept goes on with the oldest of those.
        """
        read = 0
        while True:
            news = self._news
            while read < self.made:
                summary = self.after(read)
                read = max(read + 1, self.made - SUMMARIES + 1)
                yield summary
            if self._over and read == self.made:
                return
            if news is self._news:
                await news.wait()

    def naming(self, names: Iterable[str]) -> tuple[AgentSummary, ...]:
        """Return the kept summaries that name one of `names` as whole words, in any case."""
        named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)
        return tuple(each for each in self._summaries if named.search(each.agent_contributions))

    @property
    def summaries(self) -> tuple[AgentSummary, ...]:
        """Return the kept summaries, oldest first."""
        return tuple(self._summaries)

    def after(self, read: int) -> AgentSummary:
        """Return the summary that follows the first `read` ones; the oldest kept if that one is gone."""
        return self._summaries[max(read - self.made, -len(self._summaries))]

    def newest(self, count: int, *, skip: int = 0) -> tuple[AgentSummary, ...]:
        """Return the newest `count` summaries before the last `skip`, oldest first."""
        kept = self.summaries
        kept = kept[: len(kept) - skip] if skip else kept
        return kept[-count:] if count else ()

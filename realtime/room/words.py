"""Keep the agents' newest words for the page, joining pieces that follow each other. Bounded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

from realtime.protocol import TraceItem

KEPT_CHARS: Final = 200_000  # as on the page (web/src/state/view.ts); the larger shipped case has 15,000
KEPT_PIECES: Final = 4_000  # of agents that speak at once, a few words each
PIECE_CHARS: Final = 1_536  # JSON takes six bytes for a character at most
_NEAR: Final = 6  # agents that speak at once: a piece goes on with one of the newest few


class Words:
    """The newest words of all agents, in the order in which they came."""

    def __init__(self) -> None:
        self._pieces: deque[TraceItem] = deque()
        self._chars = 0

    def add(self, items: Iterable[TraceItem]) -> None:
        """Add what was said; the oldest beyond the bounds are dropped."""
        for item in items:
            self._put(item)
            self._chars += len(item.text)
        while self._chars > KEPT_CHARS or len(self._pieces) > KEPT_PIECES:
            self._chars -= len(self._pieces.popleft().text)

    def _put(self, item: TraceItem) -> None:
        for at in range(-1, -min(_NEAR, len(self._pieces)) - 1, -1):
            before = self._pieces[at]
            if before.agent_id == item.agent_id:
                if goes_on(before, item) and len(before.text) + len(item.text) <= PIECE_CHARS:
                    self._pieces[at] = joined(before, item)
                    return
                break
        self._pieces.append(item)

    def pieces(self) -> Sequence[TraceItem]:
        """Return them, oldest first."""
        return tuple(self._pieces)


def goes_on(before: TraceItem, item: TraceItem) -> bool:
    """Return whether an item follows another of its kind without a gap."""
    same = (before.agent_id, before.turn, type(before)) == (item.agent_id, item.turn, type(item))
    return same and before.start + len(before.text) == item.start


def joined(before: TraceItem, item: TraceItem) -> TraceItem:
    """Return two items as one."""
    return before.model_copy(update={"text": before.text + item.text})

"""Keep which deltas an update accounts for: each delta of each agent is covered exactly once."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from exaim_core.schema import Covered


@dataclass(slots=True)
class _Pending:
    seqs: list[int] = field(default_factory=list)
    times_s: list[float] = field(default_factory=list)
    released: int = 0  # how many of `seqs` the gate has let through


class Coverage:
    """Keeps, for every agent, the deltas that no update covers yet."""

    def __init__(self) -> None:
        self._pending: dict[str, _Pending] = {}

    def add(self, agent_id: str, seq: int, at_s: float) -> None:
        """Note a delta that came in."""
        pending = self._pending.get(agent_id)
        if pending is None:
            pending = self._pending[agent_id] = _Pending()
        pending.seqs.append(seq)
        pending.times_s.append(at_s)

    def release(self, agent_id: str, last_seq: int) -> None:
        """Note that the gate has let through the agent's text up to and including delta `last_seq`."""
        pending = self._pending[agent_id]
        pending.released = bisect_left(pending.seqs, last_seq + 1)

    def take(self, untold_from: dict[str, int]) -> tuple[tuple[Covered, ...], float | None]:
        """Cover all released deltas, except each agent's from its `untold_from` on.

        Returns the ranges in the order of their first delta, and the time in seconds of the last
        delta in them; None if there is none.
        """
        covered: list[Covered] = []
        last_at_s: float | None = None
        for agent_id, pending in self._pending.items():
            count = pending.released
            if agent_id in untold_from:
                count = min(count, bisect_left(pending.seqs, untold_from[agent_id]))
            if not count:
                continue
            covered.append(
                Covered(agent_id=agent_id, first_seq=pending.seqs[0], last_seq=pending.seqs[count - 1])
            )
            last_at_s = max(last_at_s or 0.0, pending.times_s[count - 1])
            del pending.seqs[:count], pending.times_s[:count]
            pending.released -= count
        return tuple(sorted(covered, key=lambda part: part.first_seq)), last_at_s

"""Report models that have been silent for long, by agent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from exaim_core.text.names import spoken_name

WAIT_TOLD_S: Final = 20.0  # a model that is silent for longer is told of: docs/teams.md
WAIT_AGAIN_S: Final = 60.0


@dataclass(slots=True)
class _Wait:
    agent: str
    since_s: float
    told_s: float
    thinks: bool = False


class Waits:
    """The calls that are under way. Of one event loop."""

    def __init__(self) -> None:
        self._waits: list[_Wait] = []

    @contextmanager
    def awaiting(self, agent: str) -> Iterator[None]:
        """An agent is being asked; it may be asked several things at once."""
        now_s = _now_s()
        wait = _Wait(agent, now_s, now_s)
        self._waits.append(wait)
        try:
            yield
        finally:
            self._waits.remove(wait)

    def heard(self, agent: str, *, thinks: bool) -> None:
        """An agent's model has written something: thinking lets one wait on, words do not."""
        for wait in self._waits:
            if wait.agent == agent:
                wait.thinks = thinks
                if not thinks:
                    wait.since_s = wait.told_s = _now_s()

    def overdue(self) -> list[tuple[str, str]]:
        """Return who is to be told of now, and in which words: after 20 s, then every minute."""
        now_s, found = _now_s(), {}
        for wait in self._waits:
            first = wait.told_s == wait.since_s
            if now_s - wait.told_s >= (WAIT_TOLD_S if first else WAIT_AGAIN_S):
                wait.told_s = now_s
                does = "is still thinking" if wait.thinks else "has not answered yet"
                found[wait.agent] = f"{spoken_name(wait.agent)} {does} after {round(now_s - wait.since_s)} s"
        return list(found.items())


def _now_s() -> float:
    return asyncio.get_running_loop().time()

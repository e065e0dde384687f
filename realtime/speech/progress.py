"""How far the reasoning is, and how far the clinician has come in it: exact, from the streams."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from agents.stream import EventType, TokenType
from infra.streams import Logged

_SYNTHESIS = frozenset({TokenType.FINAL_SYNTHESIS_LLM_RESPONSE, TokenType.FINAL_SYNTHESIS_LLM_THINKING})


class AgentsStage(enum.Enum):
    """What the agents are at."""

    INTAKE = enum.auto()  # nothing is summed up yet
    DELIBERATION = enum.auto()
    SYNTHESIS = enum.auto()  # they write their conclusion
    DONE = enum.auto()
    SILENT = enum.auto()  # they have said nothing for long, and may go on
    BROKEN = enum.auto()  # they stopped with an error


@dataclass(slots=True)
class Progress:
    """Counts of summaries, and the store's times of the agents' first and newest event, in ms."""

    heard: int = 0  # number of the summary of which something sounded last; 0: none yet
    made: int = 0
    known: int = 0  # of those made, how many there were when the listener was last here
    first_ms: int | None = None
    last_ms: int | None = None
    synthesis: bool = False
    finished: bool = False
    failed: bool = False
    over: bool = False  # they have ended, though the last summary may not be there yet
    silent: bool = False  # they have said nothing for long
    looked: bool = False  # all that was said before us was read
    since_ms: float = float("-inf")  # what was made up to then was made while the listener was here

    def saw_events(self, logged: Sequence[Logged]) -> None:
        """Take events of the agents, in order."""
        for entry in logged:
            if self.first_ms is None:
                self.first_ms = entry.at_ms
            self.last_ms = entry.at_ms
            if entry.event.type is EventType.TOKEN:
                self.synthesis = entry.event.token_type in _SYNTHESIS
            self.failed = self.failed or entry.event.type is EventType.ERROR
            self.over = self.over or entry.event.type in (EventType.ERROR, EventType.END)

    def saw_update(self, number: int, *, at_ms: int, end: bool) -> None:
        """Take the newest update."""
        self.made = number
        if at_ms <= self.since_ms:
            self.known = number
        self.finished = self.finished or end

    def listener_left(self) -> None:
        """What is made from now on is new to the listener."""
        self.known, self.since_ms = self.made, float("-inf")

    @property
    def nothing_yet(self) -> bool:
        """Return whether the agents have not said a word so far."""
        return self.looked and self.first_ms is None

    @property
    def new(self) -> int:
        """Return how many summaries were made while the listener was away."""
        return max(0, self.made - self.known)

    @property
    def minutes(self) -> int:
        """Return for how many minutes, to the nearest, the agents have been at it."""
        if self.first_ms is None or self.last_ms is None:
            return 0
        return (self.last_ms - self.first_ms + 30_000) // 60_000

    @property
    def stage(self) -> AgentsStage:
        """Return what the agents are at."""
        if self.failed:
            return AgentsStage.BROKEN
        if self.finished:
            return AgentsStage.DONE
        if self.silent:
            return AgentsStage.SILENT
        if self.synthesis:
            return AgentsStage.SYNTHESIS
        return AgentsStage.DELIBERATION if self.made else AgentsStage.INTAKE

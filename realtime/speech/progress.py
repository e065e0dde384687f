"""Count how far the reasoning is, and how far the clinician has followed it, from the streams."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from agents.stream import EventType, TokenType
from infra.streams import Logged

_SYNTHESIS = frozenset({TokenType.FINAL_SYNTHESIS_LLM_RESPONSE, TokenType.FINAL_SYNTHESIS_LLM_THINKING})


class AgentsStage(enum.Enum):
    """The stage of the agents' reasoning."""

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
    known: int = 0  # summaries that had been made when the listener was last here
    first_ms: int | None = None
    last_ms: int | None = None
    synthesis: bool = False
    finished: bool = False
    failed: bool = False
    over: bool = False  # they have ended, though the last summary may not be there yet
    silent: bool = False  # they have said nothing for long
    looked: bool = False  # the stream was read once to its end
    since_ms: float = float("-inf")  # summaries up to this time were made while the listener was here

    def saw_events(self, logged: Sequence[Logged]) -> None:
        """Count the agents' events, in order."""
        for entry in logged:
            if self.first_ms is None:
                self.first_ms = entry.at_ms
            self.last_ms = entry.at_ms
            if entry.event.type is EventType.TOKEN:
                self.synthesis = entry.event.token_type in _SYNTHESIS
            self.failed = self.failed or entry.event.type is EventType.ERROR
            self.over = self.over or entry.event.type in (EventType.ERROR, EventType.END)

    def saw_update(self, number: int, *, at_ms: int, end: bool) -> None:
        """Count the newest update."""
        self.made = number
        if at_ms <= self.since_ms:
            self.known = number
        self.finished = self.finished or end

    def listener_left(self) -> None:
        """Count summaries from now on as new to the listener, who left."""
        self.known, self.since_ms = self.made, float("-inf")

    @property
    def nothing_yet(self) -> bool:
        """Return whether the agents are known to have said nothing so far."""
        return self.looked and self.first_ms is None

    @property
    def new(self) -> int:
        """Return how many summaries were made while the listener was away."""
        return max(0, self.made - self.known)

    @property
    def minutes(self) -> int:
        """Return how long the agents have been reasoning, to the nearest minute."""
        if self.first_ms is None or self.last_ms is None:
            return 0
        return (self.last_ms - self.first_ms + 30_000) // 60_000

    @property
    def stage(self) -> AgentsStage:
        """Return the stage of the agents' reasoning."""
        if self.failed:
            return AgentsStage.BROKEN
        if self.finished:
            return AgentsStage.DONE
        if self.silent:
            return AgentsStage.SILENT
        if self.synthesis:
            return AgentsStage.SYNTHESIS
        return AgentsStage.DELIBERATION if self.made else AgentsStage.INTAKE

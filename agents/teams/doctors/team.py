"""The doctors as a team."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from functools import partial
from typing import Final

from agents.stream import TeamEvent
from agents.teams.doctors.graph import SUPERVISOR, build_doctors_graph, start
from agents.teams.port import Case, Inbox, Models
from agents.teams.running import Outcome, Running, run_graph

FEWEST: Final = 2
MOST: Final = 4


class DoctorsTeam:
    """Two to four doctors in turns, and a supervisor who rules. `outcome` is its last state."""

    name = "doctors"

    def __init__(self, how: Running | None = None, *, doctors: int = 3) -> None:
        if not FEWEST <= doctors <= MOST:
            raise ValueError(f"there may be {FEWEST} to {MOST} doctors, not {doctors}")
        self._how = how or Running()
        self._doctors = tuple(f"doctor{number}" for number in range(doctors))
        self.outcome: Outcome = {}

    @property
    def agents(self) -> tuple[str, ...]:
        """Return who will speak; each is a role of its own."""
        return (*self._doctors, SUPERVISOR)

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles that may have models of their own."""
        return self.agents

    def run(self, case: Case, models: Models, inbox: Inbox) -> AsyncGenerator[TeamEvent, None]:
        """Reason about a case; see `agents.teams.port.Team`."""
        self.outcome = {}
        build = partial(build_doctors_graph, doctors=self._doctors, rounds=self._how.budget.rounds)
        return run_graph(build, start, case, models, inbox, self._how, self.outcome)

"""The CDSS as a team."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from functools import partial

from agents.stream import TeamEvent
from agents.teams.cdss.graph import build_cdss_graph, start
from agents.teams.cdss.state import ORCHESTRATOR, SPECIALISTS
from agents.teams.port import Case, Inbox, Models
from agents.teams.running import Outcome, Running, run_graph


class CdssTeam:
    """The CDSS: an orchestrator asks specialists, and concludes. `outcome` is its last state."""

    name = "cdss"
    roles = (ORCHESTRATOR, *SPECIALISTS)

    def __init__(self, how: Running | None = None) -> None:
        self._how = how or Running()
        self.outcome: Outcome = {}

    @property
    def agents(self) -> tuple[str, ...]:
        """Return who will speak."""
        return (*SPECIALISTS, ORCHESTRATOR)

    def run(self, case: Case, models: Models, inbox: Inbox) -> AsyncGenerator[TeamEvent, None]:
        """Reason about a case; see `agents.teams.port.Team`."""
        self.outcome = {}
        build = partial(build_cdss_graph, rounds=self._how.budget.rounds)
        return run_graph(build, start, case, models, inbox, self._how, self.outcome)

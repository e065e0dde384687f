"""MDAgents on the port of a team: the same work, heard while it is done."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from agents.stream import TeamEvent
from agents.teams.checking import checked
from agents.teams.event_queue import EventQueue
from agents.teams.mdagents.asking import Asker
from agents.teams.mdagents.heard import Heard
from agents.teams.mdagents.ledger import Ledger
from agents.teams.mdagents.outcome import Outcome
from agents.teams.mdagents.settings import VOICE, Settings
from agents.teams.mdagents.solving import solve
from agents.teams.mdagents.work import Work
from agents.teams.port import Case, Inbox, Models
from agents.teams.running import Running, told
from agents.teams.said_before import SaidBefore
from agents.teams.tasks import Tasks

ROLES: Final = ("assessor", "recruiter", "physician", "assistant", "moderator", "coordinator")
HEARD: Final = Running(structured="text")  # the way of JSON that can be heard while it is written


class MDAgentsTeam:
    """A team that adapts to the case. `how`: its bounds, its checkpoints, and how models give JSON.

    `outcome` and `account` are those of its last run.
    """

    def __init__(self, settings: Settings = VOICE, how: Running = HEARD) -> None:
        self._settings, self._how = settings, how
        self.outcome: Outcome | None = None
        self.account = Ledger()

    @property
    def name(self) -> str:
        """What it is called."""
        return "mdagents"

    @property
    def agents(self) -> tuple[str, ...]:
        """Return who is known to speak beforehand: nobody, as the experts are recruited for the case."""
        return ()

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles that may have models of their own; an expert's is its name."""
        return ROLES

    async def run(self, case: Case, models: Models, inbox: Inbox) -> AsyncGenerator[TeamEvent, None]:
        """Reason, and yield events numbered from 0, END last. Closing it ends every call under way."""
        kept = self._how.kept
        queue = EventQueue(secrets.token_hex(8), first_turn=kept.first_turn if kept else 0)
        away = kept.away if kept else ()
        work = told(queue, self._work(case, models, inbox, queue, away), away)
        async with aclosing(queue.fetch(work)) as events:
            async for event in events:
                yield event

    async def _work(
        self, case: Case, models: Models, inbox: Inbox, queue: EventQueue, away: tuple[type[Exception], ...]
    ) -> None:
        checked(case)
        tasks = await Tasks.of(self._how.kept)
        heard = Heard(queue, self._how.kept.said if self._how.kept else SaidBefore())
        await heard.void_half_turns()
        callers = self._how.callers(models)
        asker = Asker(callers, heard, bounds=self._how.ledger(), waits=queue.waits, tasks=tasks)
        work = Work(case.text, case.options, self._settings, asker, listener=heard, inbox=inbox, tasks=tasks)
        self.outcome, self.account = work.outcome, asker.ledger
        try:
            await solve(work)
        except away:
            raise  # whoever goes on voids what is half told
        except Exception:
            await heard.withdraw()
            raise
        await heard.withdraw()

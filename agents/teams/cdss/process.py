"""Run the CDSS in the caller's process, without the stack: a case in, a result and summaries out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final

from agents.stream import THOUGHT, DecisionKind, EventType, TeamEvent, TurnMark
from agents.teams.cdss.graph import build_cdss_graph, start
from agents.teams.cdss.state import ORCHESTRATOR
from agents.teams.checking import checked
from agents.teams.clinical_case import ClinicalCase
from agents.teams.decisions import decisions_in
from agents.teams.errors import TeamError
from agents.teams.models import OneModel
from agents.teams.port import Case, Models, NoInbox
from agents.teams.running import Outcome, Running, run_graph
from exaim_core import EXAIM, AgentSummary, CasePaper

log = logging.getLogger(__name__)

BEHIND_S: Final = 30.0  # for the summaries of the last words, once the team is done
MOST_BEHIND: Final = 10_000  # events that wait for the summaries; then they see no more of this case


class CDSS:
    """Processes cases, one at a time. By default all roles ask the model of the role `mas` (models.yaml)."""

    def __init__(self, models: Models | None = None, *, how: Running | None = None) -> None:
        self._models = models or OneModel()
        self._how = how or Running()
        self.exaim = EXAIM()
        self._used = False
        self._busy = asyncio.Lock()

    async def process_case(self, case: ClinicalCase | str, use_streaming: bool = True) -> dict[str, Any]:
        """Reason about a case, and return what came of it: docs/teams.md names the keys.

        The team never waits for a summary and depends on none: they are for people to look at. A new case begins
        with new summaries, so that no patient's are shown with another's.

        Raises: CaseRefused; TeamError: no agent could be asked; LLMError: what model to set.
        """
        self._models.of(ORCHESTRATOR)  # so that what is missing is said before anything is asked
        told = checked(case.to_case() if isinstance(case, ClinicalCase) else Case(case_id="case", text=case))
        async with self._busy:
            if self._used:
                self.reset()
            self._used = True
            if told.paper is not None:
                self.exaim = EXAIM(paper=CasePaper.model_validate(told.paper))
            outcome = await self._reasoned(told, replace(self._how, streams=use_streaming))
            return self._result(told, outcome)

    def get_all_summaries(self) -> list[AgentSummary]:
        """Return the summaries of the case that was processed last."""
        return list(self.exaim.get_all_summaries())

    def get_summaries_by_agent(self, agent_id: str) -> list[AgentSummary]:
        """Return those that name the agent."""
        return list(self.exaim.get_summaries_by_agent(agent_id))

    def reset(self) -> None:
        """Forget the case: a new engine, and nothing that still feeds the old one."""
        self.exaim = EXAIM()
        self._used = False

    # -- inside ----------------------------------------------------------------------------------

    async def _reasoned(self, case: Case, how: Running) -> Outcome:
        outcome: Outcome = {}
        broke_off = ""
        beside = _Beside(self.exaim)

        def build(calls: Any) -> Any:
            return build_cdss_graph(calls, how.budget.rounds)

        async with beside:
            events = run_graph(build, start, case, self._models, NoInbox(), how, outcome)
            async with aclosing(events):
                async for event in events:
                    beside.offer(event)
                    if event.type is EventType.ERROR:
                        broke_off = event.data
        if broke_off:
            raise TeamError(broke_off)
        return outcome

    def _result(self, case: Case, outcome: Outcome) -> dict[str, Any]:
        said = outcome.get("said", [])
        called = list(dict.fromkeys(each["agent"] for each in said if each["agent"] != ORCHESTRATOR))
        final = str(outcome.get("final", ""))
        return {
            "case_summary": case.text,
            "final_synthesis": final,
            "running_summary": str(outcome.get("summary", "")),
            "specialists_called": called,
            "iteration_count": int(outcome.get("round", 0)),
            "agent_summaries": self.get_all_summaries(),
            "final_recommendation": _recommended(final),
            "agents_called": [ORCHESTRATOR, *called],
            "unheard": list(dict.fromkeys(outcome.get("failed", []))),
        }


def _recommended(final: str) -> dict[str, Any]:
    """Return the synthesis's statements in the form it was asked for; none if it has none."""
    found = decisions_in(final, chairs=True)
    of = {kind: [each.text for each in found if each.kind is kind] for kind in DecisionKind}
    return {
        "diagnosis": next(iter(of[DecisionKind.FINAL]), ""),
        "action": next(iter(of[DecisionKind.ORDER]), ""),
        "actions": of[DecisionKind.ORDER],
        "contraindications": of[DecisionKind.PROHIBITION],
    }


class _Beside:
    """Feeds an engine with a team's words, in a task of its own, whose failure is only logged."""

    def __init__(self, exaim: EXAIM) -> None:
        self._exaim = exaim
        self._queue: asyncio.Queue[TeamEvent | None] = asyncio.Queue(MOST_BEHIND)
        self._lost = 0

    async def __aenter__(self) -> _Beside:
        self._task = asyncio.create_task(self._fed(), name="summaries")
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            if self._queue.full():
                self._queue.get_nowait()
            self._queue.put_nowait(None)
            await asyncio.wait({self._task}, timeout=BEHIND_S)
        finally:
            self._task.cancel()
            await asyncio.wait({self._task})
        if self._lost:
            log.warning("the summaries lack %d pieces: the engine was too far behind", self._lost)

    def offer(self, event: TeamEvent) -> None:
        """Take an event without waiting."""
        try:
            self._queue.put_nowait(event)
        except asyncio.QueueFull:
            self._lost += 1

    async def _fed(self) -> None:
        while (event := await self._queue.get()) is not None:
            await _quietly(self._take(event))
        await _quietly(self._exaim.finish())

    async def _take(self, event: TeamEvent) -> None:
        agent = event.agent_id
        if agent is None:
            return
        if event.type is EventType.TOKEN and event.token_type not in THOUGHT:
            await self._exaim.on_new_token(agent, event.data)
        elif event.mark in (TurnMark.TURN_END, TurnMark.TURN_ABORTED):
            await self._exaim.flush_agent(agent)


async def _quietly(work: Awaitable[Any]) -> None:
    try:
        await work
    except Exception as error:
        log.warning("a summary failed: %s", type(error).__name__)

"""The nodes of the CDSS's graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.stream import ProgressKind, TokenContext
from agents.teams.answering import heard
from agents.teams.asking import question
from agents.teams.calling import Ask, Calls, missing
from agents.teams.cdss.state import ORCHESTRATOR, ROUNDS, SPECIALISTS, Asked, CdssState, NextTask, Route
from agents.teams.errors import NobodyAnswers
from exaim_core.text.names import inner, spoken_name

FIRST_TASK: Final = (
    "Give your view of the case from your field: what is most likely, what is dangerous now, what is to be done, and "
    "what must not be given to this patient."
)
"""What all are asked where the orchestrator can't say whom to ask."""


class Nodes:
    """The nodes of one run."""

    def __init__(self, calls: Calls, rounds: int | None) -> None:
        self._calls = calls
        self._rounds = min(rounds or ROUNDS, ROUNDS)

    async def orchestrate(self, state: CdssState) -> CdssState:
        """Take what the clinician sent, and plan the next round, or end the discussion."""
        round = state.get("round", 0) + 1
        left = [each for each in SPECIALISTS if each not in state.get("failed", [])]
        facts, answers = await heard(
            self._calls,
            f"messages:{round}",
            case=state["case"],
            round=round,
            chair=ORCHESTRATOR,
            agents={each: each for each in (ORCHESTRATOR, *left)},
            said=state.get("said", []),
            notes=state.get("notes", []),
        )
        new: CdssState = {"said": answers, "notes": facts}
        if not left or round > self._rounds or self._calls.is_spent():
            return {**new, "done": True, "plan": []}
        seen: CdssState = {**state, "notes": [*state.get("notes", []), *facts]}
        route = await self._route(seen, round, left)
        if not route.next:
            return {**new, "done": True, "plan": [], "summary": route.summary or state.get("summary", "")}
        plan = [{"agent": each.specialist, "task": each.task} for each in route.next]
        await self._tell_round(round, [each["agent"] for each in plan])
        return {**new, "round": round, "plan": plan, "summary": route.summary, "done": False}

    async def specialist(self, asked: Asked) -> CdssState:
        """Have one specialist do its task."""
        agent = asked["agent"]
        messages = question(
            "cdss_specialist",
            asked["case"],
            kind="turn",
            round=asked["round"],
            said=asked["said"],
            notes=asked["notes"],
            words={"specialty": agent.replace("_", " "), "focus": SPECIALISTS[agent]},
            task=asked["task"],
            summary=asked["summary"],
        )
        said = await self._calls.said(
            Ask(
                agent=agent,
                role=agent,
                key=f"{agent}:{asked['round']}",
                messages=messages,
                round=asked["round"],
            )
        )
        return {"failed": missing(said)} if said["failed"] else {"said": [said]}

    async def synthesise(self, state: CdssState) -> CdssState:
        """Conclude from what there is. Raises: NobodyAnswers: there is nothing."""
        if not state.get("said"):
            raise NobodyAnswers(spent=self._calls.is_spent() and not state.get("failed"))
        await self._calls.step(
            "synthesis", ProgressKind.SYNTHESIS, (ORCHESTRATOR,), "The conclusion is written"
        )
        messages = question(
            "cdss_synthesis",
            state["case"],
            kind="synthesis",
            round=state.get("round", 0),
            said=state["said"],
            notes=state.get("notes", []),
            summary=state.get("summary", ""),
            unheard=state.get("failed", []),
        )
        said = await self._calls.said(
            Ask(
                agent=ORCHESTRATOR,
                role=ORCHESTRATOR,
                key="synthesis",
                messages=messages,
                context=TokenContext.FINAL_SYNTHESIS,
                closing=True,
                chairs=True,
            )
        )
        failed: CdssState = {"failed": [ORCHESTRATOR], "final": ""}
        return failed if said["failed"] else {"final": said["text"]}

    # -- inside ----------------------------------------------------------------------------------

    async def _route(self, state: CdssState, round: int, left: Sequence[str]) -> Route:
        """Return the orchestrator's plan for agents that exist; without a plan all are asked first."""
        messages = question(
            "cdss_orchestrator",
            state["case"],
            kind="route",
            round=round,
            said=state.get("said", []),
            notes=state.get("notes", []),
            words={"specialists": ", ".join(left)},
            summary=state.get("summary", ""),
            unheard=state.get("failed", []),
        )
        ask = Ask(agent=ORCHESTRATOR, role=ORCHESTRATOR, key=f"route:{round}", messages=messages, round=round)
        found = await self._calls.formed(ask, Route)
        planned = found.answer or Route()
        tasks = {_known(each.specialist, left): each for each in reversed(planned.next)}
        named = [tasks[agent].model_copy(update={"specialist": agent}) for agent in left if agent in tasks]
        if not named and round == 1:
            named = [_everybody(agent) for agent in left]
        return planned.model_copy(update={"next": [] if planned.done and round > 1 else named})

    async def _tell_round(self, round: int, agents: Sequence[str]) -> None:
        named = [inner(spoken_name(each)) for each in agents]
        names = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
        text = f"Round {round}: {names} {'is' if len(agents) == 1 else 'are'} asked"
        await self._calls.step(f"round:{round}", ProgressKind.ROUND, agents, text, round)


def _known(name: str, left: Sequence[str]) -> str:
    """Return whom a model meant by a name; "" if there is nobody of that name."""
    wanted = "_".join(name.strip().casefold().replace("-", " ").replace("_", " ").split())
    return wanted if wanted in left else ""


def _everybody(agent: str) -> NextTask:
    return NextTask(specialist=agent, task=FIRST_TASK)

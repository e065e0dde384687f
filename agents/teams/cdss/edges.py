"""Choose the next node of the CDSS's graph. Asynchronous, as LangGraph runs others in a thread."""

from __future__ import annotations

from typing import Final

from langgraph.types import Send

from agents.teams.cdss.state import Asked, CdssState

SPECIALIST: Final = "specialist"
SYNTHESIS: Final = "synthesis"


async def after_orchestrator(state: CdssState) -> list[Send] | str:
    """Return every specialist of the plan, all at once, or the synthesis."""
    if state.get("done") or not state.get("plan"):
        return SYNTHESIS
    return [Send(SPECIALIST, _asked(state, each)) for each in state["plan"]]


def _asked(state: CdssState, plan: dict[str, str]) -> Asked:
    return Asked(
        case=state["case"],
        round=state["round"],
        agent=plan["agent"],
        task=plan["task"],
        summary=state.get("summary", ""),
        said=state.get("said", []),
        notes=state.get("notes", []),
    )

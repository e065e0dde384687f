"""A callback handler that makes any LangChain or LangGraph application a live team; needs langchain-core."""

from __future__ import annotations

from agents.live.team import LiveTeam
from exaim_core.callback import AgentCallbackHandler, AgentOf, agent_of


class TeamCallbackHandler(AgentCallbackHandler):
    """Gives each answer of an application's models to a live team, as a turn of its graph's node.

    async with LiveTeam(opened) as team:
        await app.ainvoke(question, config={"callbacks": [TeamCallbackHandler(team)]})

    `agent_of` names the agent by a run's metadata; None means: not an agent, pass over.
    """

    def __init__(self, team: LiveTeam, *, agent_of: AgentOf = agent_of) -> None:
        super().__init__(team, agent_of=agent_of)


__all__ = ["TeamCallbackHandler"]

"""The graph of the CDSS.

orchestrator ─▶ the specialists of the round, all at once ─▶ orchestrator ─▶ … ─▶ synthesis
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from agents.teams.calling import Calls
from agents.teams.cdss.edges import SPECIALIST, SYNTHESIS, after_orchestrator
from agents.teams.cdss.nodes import Nodes
from agents.teams.cdss.state import ORCHESTRATOR, CdssState
from agents.teams.port import Case


def build_cdss_graph(calls: Calls, rounds: int | None = None) -> Any:
    """Return the graph of one run, not compiled yet."""
    nodes = Nodes(calls, rounds)
    graph: Any = StateGraph(CdssState)
    graph.add_node(ORCHESTRATOR, calls.keeping(nodes.orchestrate))
    graph.add_node(SPECIALIST, calls.keeping(nodes.specialist))
    graph.add_node(SYNTHESIS, calls.keeping(nodes.synthesise))
    graph.add_edge(START, ORCHESTRATOR)
    graph.add_conditional_edges(ORCHESTRATOR, after_orchestrator, [SPECIALIST, SYNTHESIS])
    graph.add_edge(SPECIALIST, ORCHESTRATOR)
    graph.add_edge(SYNTHESIS, END)
    return graph


def start(case: Case) -> CdssState:
    """Return the state that a case begins with."""
    return {"case": case.text, "round": 0, "said": [], "failed": [], "notes": [], "final": ""}

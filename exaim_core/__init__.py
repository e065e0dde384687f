"""EXAIM: which part of many agents' reasoning is worth a clinician's attention, and in what words.

Names are imported when first used, so that importing the package stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from exaim_core.boundaries import BoundaryRule
    from exaim_core.callback import ExaimCallbackHandler as ExaimCallbackHandler
    from exaim_core.clock import Clock, ManualClock
    from exaim_core.errors import DeltaOutOfOrder, EngineError, Finished
    from exaim_core.exaim import EXAIM
    from exaim_core.live import LiveFeed
    from exaim_core.llm.agents import BufferAgent, SummarizerAgent
    from exaim_core.llm.config import LLMRole
    from exaim_core.llm.registry import get_llm
    from exaim_core.names import spoken_name
    from exaim_core.paper import CasePaper
    from exaim_core.schema import (
        DISPUTED,
        REPEATED,
        AgentSummary,
        Cite,
        Covered,
        Delta,
        Dropped,
        Fallback,
        SpokenItem,
        SpokenKind,
        Update,
    )
    from exaim_core.segments import AgentSegment
    from exaim_core.token_gate import GateLimits, TokenGate
    from exaim_core.view import BoardView

_HOMES: Final = {
    "EXAIM": "exaim",
    "AgentSegment": "segments",
    "AgentSummary": "schema",
    "BoardView": "view",
    "BoundaryRule": "boundaries",
    "BufferAgent": "llm.agents",
    "CasePaper": "paper",
    "Cite": "schema",
    "Clock": "clock",
    "Covered": "schema",
    "Delta": "schema",
    "DeltaOutOfOrder": "errors",
    "Dropped": "schema",
    "EngineError": "errors",
    "ExaimCallbackHandler": "callback",
    "Fallback": "schema",
    "Finished": "errors",
    "GateLimits": "token_gate",
    "LLMRole": "llm.config",
    "LiveFeed": "live",
    "ManualClock": "clock",
    "DISPUTED": "schema",
    "REPEATED": "schema",
    "SpokenItem": "schema",
    "SpokenKind": "schema",
    "SummarizerAgent": "llm.agents",
    "TokenGate": "token_gate",
    "Update": "schema",
    "get_llm": "llm.registry",
    "spoken_name": "names",
}
# ExaimCallbackHandler is not among them: it is made of langchain-core, which only its user needs.
__all__ = [
    "DISPUTED",
    "EXAIM",
    "REPEATED",
    "AgentSegment",
    "AgentSummary",
    "BoardView",
    "BoundaryRule",
    "BufferAgent",
    "CasePaper",
    "Cite",
    "Clock",
    "Covered",
    "Delta",
    "DeltaOutOfOrder",
    "Dropped",
    "EngineError",
    "Fallback",
    "Finished",
    "GateLimits",
    "LLMRole",
    "LiveFeed",
    "ManualClock",
    "SpokenItem",
    "SpokenKind",
    "SummarizerAgent",
    "TokenGate",
    "Update",
    "get_llm",
    "spoken_name",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"exaim_core.{_HOMES[name]}"), name)

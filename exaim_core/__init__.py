"""EXAIM: which part of many agents' reasoning is worth a clinician's attention, and in what words.

Names are imported when first used, so that importing the package stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from exaim_core.board.view import BoardView
    from exaim_core.callback import ExaimCallbackHandler as ExaimCallbackHandler
    from exaim_core.exaim import EXAIM
    from exaim_core.live import LiveFeed
    from exaim_core.llm.agents import BufferAgent, SummarizerAgent
    from exaim_core.llm.config import LLMRole
    from exaim_core.llm.registry import get_llm
    from exaim_core.patient.paper import CasePaper
    from exaim_core.readings.stated import Stated, StatedKind
    from exaim_core.schema import (
        DISPUTED,
        AgentSummary,
        Cite,
        Covered,
        Delta,
        Dropped,
        Fallback,
        FieldSentence,
        LeftOut,
        Span,
        SpokenItem,
        SpokenKind,
        Update,
    )
    from exaim_core.text.boundaries import BoundaryRule
    from exaim_core.text.clock import Clock, ManualClock
    from exaim_core.text.errors import DeltaOutOfOrder, EngineError, Finished
    from exaim_core.text.names import spoken_name
    from exaim_core.text.segments import AgentSegment
    from exaim_core.text.token_gate import GateLimits, TokenGate

_HOMES: Final = {
    "EXAIM": "exaim",
    "AgentSegment": "text.segments",
    "AgentSummary": "schema",
    "BoardView": "board.view",
    "BoundaryRule": "text.boundaries",
    "BufferAgent": "llm.agents",
    "CasePaper": "patient.paper",
    "Cite": "schema",
    "Clock": "text.clock",
    "Covered": "schema",
    "Delta": "schema",
    "DeltaOutOfOrder": "text.errors",
    "Dropped": "schema",
    "EngineError": "text.errors",
    "ExaimCallbackHandler": "callback",
    "Fallback": "schema",
    "FieldSentence": "schema",
    "Finished": "text.errors",
    "GateLimits": "text.token_gate",
    "LLMRole": "llm.config",
    "LeftOut": "schema",
    "LiveFeed": "live",
    "ManualClock": "text.clock",
    "DISPUTED": "schema",
    "Span": "schema",
    "SpokenItem": "schema",
    "SpokenKind": "schema",
    "Stated": "readings.stated",
    "StatedKind": "readings.stated",
    "SummarizerAgent": "llm.agents",
    "TokenGate": "text.token_gate",
    "Update": "schema",
    "get_llm": "llm.registry",
    "spoken_name": "text.names",
}
# ExaimCallbackHandler is not among them: it is made of langchain-core, which only its user needs.
__all__ = [
    "DISPUTED",
    "EXAIM",
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
    "FieldSentence",
    "Finished",
    "GateLimits",
    "LLMRole",
    "LeftOut",
    "LiveFeed",
    "ManualClock",
    "Span",
    "SpokenItem",
    "SpokenKind",
    "Stated",
    "StatedKind",
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

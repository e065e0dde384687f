"""EXAIM: which part of many agents' reasoning is worth a clinician's attention, and in what words.

Names are imported when first used, so that importing the package stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from chat_models import LLMRole as LLMRole
    from chat_models import get_llm as get_llm
    from exaim_core.board.shown import BoardView as BoardView
    from exaim_core.callback import ExaimCallbackHandler as ExaimCallbackHandler
    from exaim_core.exaim import EXAIM as EXAIM
    from exaim_core.live import LiveFeed as LiveFeed
    from exaim_core.llm.agents import AgentSegment as AgentSegment
    from exaim_core.llm.agents import BufferAgent as BufferAgent
    from exaim_core.llm.agents import SummarizerAgent as SummarizerAgent
    from exaim_core.patient.paper import CasePaper as CasePaper
    from exaim_core.readings.stated import Stated as Stated
    from exaim_core.readings.stated import StatedKind as StatedKind
    from exaim_core.schema import DISPUTED as DISPUTED
    from exaim_core.schema import AgentSummary as AgentSummary
    from exaim_core.schema import Cite as Cite
    from exaim_core.schema import Covered as Covered
    from exaim_core.schema import Delta as Delta
    from exaim_core.schema import Dropped as Dropped
    from exaim_core.schema import Fallback as Fallback
    from exaim_core.schema import FieldSentence as FieldSentence
    from exaim_core.schema import LeftOut as LeftOut
    from exaim_core.schema import Newer as Newer
    from exaim_core.schema import Span as Span
    from exaim_core.schema import SpokenItem as SpokenItem
    from exaim_core.schema import SpokenKind as SpokenKind
    from exaim_core.schema import Update as Update
    from exaim_core.text.boundaries import BoundaryRule as BoundaryRule
    from exaim_core.text.clock import Clock as Clock
    from exaim_core.text.clock import ManualClock as ManualClock
    from exaim_core.text.errors import DeltaOutOfOrder as DeltaOutOfOrder
    from exaim_core.text.errors import EngineError as EngineError
    from exaim_core.text.errors import Finished as Finished
    from exaim_core.text.names import spoken_name as spoken_name
    from exaim_core.text.token_gate import GateLimits as GateLimits
    from exaim_core.text.token_gate import TokenGate as TokenGate

_HOMES: Final = {
    "EXAIM": "exaim",
    "AgentSegment": "llm.agents",
    "AgentSummary": "schema",
    "BoardView": "board.shown",
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
    "LLMRole": "chat_models",
    "LeftOut": "schema",
    "LiveFeed": "live",
    "ManualClock": "text.clock",
    "DISPUTED": "schema",
    "Newer": "schema",
    "Span": "schema",
    "SpokenItem": "schema",
    "SpokenKind": "schema",
    "Stated": "readings.stated",
    "StatedKind": "readings.stated",
    "SummarizerAgent": "llm.agents",
    "TokenGate": "text.token_gate",
    "Update": "schema",
    "get_llm": "chat_models",
    "spoken_name": "text.names",
}
__all__ = [name for name in _HOMES if name != "ExaimCallbackHandler"]
"""The handler is made of langchain-core, which only its user needs."""


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(name)
    home = _HOMES[name]
    return getattr(import_module(home if home == "chat_models" else f"exaim_core.{home}"), name)

"""EXAIM: which part of many agents' reasoning is worth a clinician's attention, and in what words.

Names are imported when first used, so that importing the package stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from exaim_core.boundaries import BoundaryRule
    from exaim_core.clock import Clock, ManualClock
    from exaim_core.errors import DeltaOutOfOrder, EngineError, Finished
    from exaim_core.exaim import EXAIM
    from exaim_core.names import spoken_name
    from exaim_core.paper import CasePaper
    from exaim_core.schema import (
        AgentSummary,
        Cite,
        Covered,
        Delta,
        Dropped,
        SpokenItem,
        SpokenKind,
        Update,
    )
    from exaim_core.token_gate import GateLimits, TokenGate
    from exaim_core.view import BoardView

_HOMES: Final = {
    "EXAIM": "exaim",
    "AgentSummary": "schema",
    "BoardView": "view",
    "BoundaryRule": "boundaries",
    "CasePaper": "paper",
    "Cite": "schema",
    "Clock": "clock",
    "Covered": "schema",
    "Delta": "schema",
    "DeltaOutOfOrder": "errors",
    "Dropped": "schema",
    "EngineError": "errors",
    "Finished": "errors",
    "GateLimits": "token_gate",
    "ManualClock": "clock",
    "SpokenItem": "schema",
    "SpokenKind": "schema",
    "TokenGate": "token_gate",
    "Update": "schema",
    "spoken_name": "names",
}
__all__ = [
    "EXAIM",
    "AgentSummary",
    "BoardView",
    "BoundaryRule",
    "CasePaper",
    "Cite",
    "Clock",
    "Covered",
    "Delta",
    "DeltaOutOfOrder",
    "Dropped",
    "EngineError",
    "Finished",
    "GateLimits",
    "ManualClock",
    "SpokenItem",
    "SpokenKind",
    "TokenGate",
    "Update",
    "spoken_name",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"exaim_core.{_HOMES[name]}"), name)

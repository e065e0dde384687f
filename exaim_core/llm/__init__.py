"""Chat models behind the engine's ports, an extra: docs/llm.md. No client is loaded before its first use.

Names are imported when first used: who asks which models are configured needs nothing of the engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from exaim_core.llm.breaker import Breaker as Breaker
    from exaim_core.llm.breaker import BreakerLimits as BreakerLimits
    from exaim_core.llm.calls import CallLimits as CallLimits
    from exaim_core.llm.calls import Counts as Counts
    from exaim_core.llm.calls import ModelCaller as ModelCaller
    from exaim_core.llm.calls import Pace as Pace
    from exaim_core.llm.config import LLMRole as LLMRole
    from exaim_core.llm.config import ModelSpec as ModelSpec
    from exaim_core.llm.config import Provider as Provider
    from exaim_core.llm.config import lacks as lacks
    from exaim_core.llm.config import read_models as read_models
    from exaim_core.llm.config import read_readers as read_readers
    from exaim_core.llm.config import read_teams as read_teams
    from exaim_core.llm.errors import CallFailed as CallFailed
    from exaim_core.llm.errors import CutShort as CutShort
    from exaim_core.llm.errors import LLMError as LLMError
    from exaim_core.llm.errors import Looping as Looping
    from exaim_core.llm.errors import MissingKey as MissingKey
    from exaim_core.llm.errors import MissingPackage as MissingPackage
    from exaim_core.llm.errors import Overdue as Overdue
    from exaim_core.llm.errors import Overlong as Overlong
    from exaim_core.llm.errors import RateLimited as RateLimited
    from exaim_core.llm.errors import Refused as Refused
    from exaim_core.llm.errors import SwitchedOff as SwitchedOff
    from exaim_core.llm.errors import TokenLimit as TokenLimit
    from exaim_core.llm.errors import TooLong as TooLong
    from exaim_core.llm.errors import Unavailable as Unavailable
    from exaim_core.llm.errors import Unparsable as Unparsable
    from exaim_core.llm.errors import WrongRequest as WrongRequest
    from exaim_core.llm.judge import LLMJudge as LLMJudge
    from exaim_core.llm.reader import LLMReader as LLMReader
    from exaim_core.llm.reader import Pulse as Pulse
    from exaim_core.llm.reader import ReadLimits as ReadLimits
    from exaim_core.llm.registry import Registry as Registry
    from exaim_core.llm.registry import get_llm as get_llm
    from exaim_core.llm.summarizer import LLMSummarizer as LLMSummarizer

_NAMES: Final = {
    "breaker": ("Breaker", "BreakerLimits"),
    "calls": ("CallLimits", "Counts", "ModelCaller", "Pace"),
    "config": ("LLMRole", "ModelSpec", "Provider", "lacks", "read_models", "read_readers", "read_teams"),
    "errors": (
        "CallFailed",
        "CutShort",
        "LLMError",
        "Looping",
        "MissingKey",
        "MissingPackage",
        "Overdue",
        "Overlong",
        "RateLimited",
        "Refused",
        "SwitchedOff",
        "TokenLimit",
        "TooLong",
        "Unavailable",
        "Unparsable",
        "WrongRequest",
    ),
    "judge": ("LLMJudge",),
    "reader": ("LLMReader", "Pulse", "ReadLimits"),
    "registry": ("Registry", "get_llm"),
    "summarizer": ("LLMSummarizer",),
}
_HOMES: Final = {name: home for home, names in _NAMES.items() for name in names}
__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"exaim_core.llm.{_HOMES[name]}"), name)

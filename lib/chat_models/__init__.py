"""Chat models of several providers behind one caller: which, by role; calls with a deadline; typed errors.

Google's, Groq's, OpenAI's and Anthropic's clients are an extra (docs/llm.md); none is loaded before its first use.
Names are imported when first used: who asks which models are configured loads no client and no caller.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from chat_models.breaker import Breaker as Breaker
    from chat_models.breaker import BreakerLimits as BreakerLimits
    from chat_models.calls import CallLimits as CallLimits
    from chat_models.calls import Counts as Counts
    from chat_models.calls import ModelCaller as ModelCaller
    from chat_models.calls import Pace as Pace
    from chat_models.config import LLMRole as LLMRole
    from chat_models.config import ModelSpec as ModelSpec
    from chat_models.config import Provider as Provider
    from chat_models.config import lacks as lacks
    from chat_models.config import read_models as read_models
    from chat_models.config import read_readers as read_readers
    from chat_models.config import read_teams as read_teams
    from chat_models.errors import CallFailed as CallFailed
    from chat_models.errors import CutShort as CutShort
    from chat_models.errors import LLMError as LLMError
    from chat_models.errors import Looping as Looping
    from chat_models.errors import MissingKey as MissingKey
    from chat_models.errors import MissingPackage as MissingPackage
    from chat_models.errors import Overdue as Overdue
    from chat_models.errors import Overlong as Overlong
    from chat_models.errors import RateLimited as RateLimited
    from chat_models.errors import Refused as Refused
    from chat_models.errors import SwitchedOff as SwitchedOff
    from chat_models.errors import TokenLimit as TokenLimit
    from chat_models.errors import TooLong as TooLong
    from chat_models.errors import Unavailable as Unavailable
    from chat_models.errors import Unparsable as Unparsable
    from chat_models.errors import WrongRequest as WrongRequest
    from chat_models.registry import Registry as Registry
    from chat_models.registry import get_llm as get_llm

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
    "registry": ("Registry", "get_llm"),
}
_HOMES: Final = {name: home for home, names in _NAMES.items() for name in names}
__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"chat_models.{_HOMES[name]}"), name)

"""Chat models behind the engine's ports, an extra: docs/llm.md. No client is loaded before its first use."""

from __future__ import annotations

from exaim_core.llm.breaker import Breaker, BreakerLimits
from exaim_core.llm.calls import CallLimits, Counts, ModelCaller, Pace
from exaim_core.llm.config import LLMRole, ModelSpec, Provider, lacks, read_models, read_readers, read_teams
from exaim_core.llm.errors import (
    CallFailed,
    CutShort,
    LLMError,
    MissingKey,
    MissingPackage,
    Overdue,
    RateLimited,
    Refused,
    SwitchedOff,
    TooLong,
    Unavailable,
    Unparsable,
    WrongRequest,
)
from exaim_core.llm.judge import LLMJudge
from exaim_core.llm.reader import LLMReader, Pulse, ReadLimits
from exaim_core.llm.registry import Registry, get_llm
from exaim_core.llm.summarizer import LLMSummarizer

__all__ = [
    "Breaker",
    "BreakerLimits",
    "CallFailed",
    "CallLimits",
    "Counts",
    "CutShort",
    "LLMError",
    "LLMJudge",
    "LLMReader",
    "LLMRole",
    "LLMSummarizer",
    "MissingKey",
    "MissingPackage",
    "ModelCaller",
    "ModelSpec",
    "Overdue",
    "Pace",
    "Provider",
    "Pulse",
    "RateLimited",
    "ReadLimits",
    "Refused",
    "Registry",
    "SwitchedOff",
    "TooLong",
    "Unavailable",
    "Unparsable",
    "WrongRequest",
    "get_llm",
    "lacks",
    "read_models",
    "read_readers",
    "read_teams",
]

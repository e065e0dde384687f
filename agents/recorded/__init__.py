"""Recorded agents: read, check and play traces of schema 2.0.0. The only owner of replay."""

from agents.recorded.catalogue import CaseEntry, Catalogue, Entries, default_cases
from agents.recorded.classification import AuditFlag, TurnClassification
from agents.recorded.engine import ReplayEvent, TraceReplayEngine
from agents.recorded.errors import (
    StubTraceError,
    TraceEmpty,
    TraceError,
    TraceNotFound,
    TraceSchemaError,
    TraceUnreadable,
    TraceValidationError,
    UnknownCase,
)
from agents.recorded.playing import DueEvent, LoopClock, ReplayClock, replay, script
from agents.recorded.reader import TRACE_FILES
from agents.recorded.trace import Trace, load_trace

__all__ = [
    "TRACE_FILES",
    "AuditFlag",
    "CaseEntry",
    "Catalogue",
    "DueEvent",
    "Entries",
    "LoopClock",
    "ReplayClock",
    "ReplayEvent",
    "StubTraceError",
    "Trace",
    "TraceEmpty",
    "TraceError",
    "TraceNotFound",
    "TraceReplayEngine",
    "TraceSchemaError",
    "TraceUnreadable",
    "TraceValidationError",
    "TurnClassification",
    "UnknownCase",
    "default_cases",
    "load_trace",
    "replay",
    "script",
]

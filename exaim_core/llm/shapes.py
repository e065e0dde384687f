"""What models are asked to answer with."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from exaim_core.judge import StreamState


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class BufferAnalysisNoNovelty(_Shape):
    """How a new segment stands to what came before it, novelty aside."""

    rationale: str
    stream_state: StreamState
    is_relevant: bool
    is_complete: bool


class BufferAnalysis(_Shape):
    """How a new segment stands to what came before it."""

    rationale: str
    stream_state: StreamState
    is_relevant: bool
    is_novel: bool
    is_complete: bool


_Text = Annotated[str, StringConstraints(min_length=1)]


class SummaryText(_Shape):
    """Six fields of a handover, and sentences worth hearing now."""

    status_action: _Text
    key_findings: _Text
    differential_rationale: _Text
    uncertainty_confidence: _Text
    recommendation_next_step: _Text
    agent_contributions: _Text
    spoken: list[str] = []

"""A piece of what one agent said, under the core document's name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgentSegment:
    """Text of one agent."""

    agent_id: str
    segment: str

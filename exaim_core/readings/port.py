"""The port of a reader that turns a segment into typed claims, and the values on both sides of it.

Numbered sentences go in, claims come out, each with the numbers of the sentences that it rests on. A claim is
only what a model says about the text: `checking.py` checks every part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from exaim_core.schema import ReadBy
from exaim_core.text.names import person
from exaim_core.text.units import Sentence


class ReadKind(StrEnum):
    """What a claim is about."""

    VALUE = "value"
    FINDING = "finding"
    LEADING = "leading"
    DIFFERENTIAL = "differential"
    EXCLUDED = "excluded"
    CONFIRMED = "confirmed"
    TEST = "test"
    ACTION = "action"
    PROHIBITION = "prohibition"
    EMERGENCY = "emergency"
    CORRECTION = "correction"
    AGREEMENT = "agreement"
    DISAGREEMENT = "disagreement"
    CHANGE = "change"
    DECISION = "decision"
    OPEN_QUESTION = "open_question"


class ReadStance(StrEnum):
    """How its holder stands to it."""

    AFFIRMED = "affirmed"
    DENIED = "denied"
    HEDGED = "hedged"
    CONDITIONAL = "conditional"
    ASKED = "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadClaim:
    """One claim as a model read it; hedge, condition and slots are to be words of the cited sentences."""

    kind: ReadKind
    holder: str
    stance: ReadStance
    hedge: str = ""
    condition: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    say: str = ""
    cites: tuple[int, ...] = ()
    before: tuple[int, ...] = ()  # other agents' sentences that name its thing


@dataclass(frozen=True, slots=True)
class Numbered:
    """A sentence with its number, unique in the case. `new`: it is to be read, others are context."""

    number: int
    unit: Sentence
    text: str  # with the heading or key that it needs to be understood
    new: bool = True

    @property
    def agent(self) -> str:
        """Return the agent that said it."""
        return person(self.unit.source.agent_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRequest:
    """One long turn's segment, or several short ones in order, with what was said right before.

    `number` counts a case's requests from 1, `names` are all agents' spoken names.
    """

    number: int
    names: Mapping[str, str]
    sentences: tuple[Numbered, ...]


@dataclass(frozen=True, slots=True)
class ReaderReply:
    """What came back: claims, or one word why there are none; and how many claims were malformed."""

    claims: tuple[ReadClaim, ...] = ()
    failure: str = ""
    malformed: int = 0


class SegmentReader(Protocol):
    """Reads segments of one case."""

    @property
    def spent(self) -> ReadBy:
        """Return which model reads, and what that has cost so far."""
        ...

    async def read(self, request: ReadingRequest) -> ReaderReply:
        """Return the claims within a bounded time; never raises for a fault of a model or a service."""
        ...

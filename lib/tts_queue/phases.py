"""The phases of an utterance, as a table of moves; a move that is not listed is refused."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Phase(StrEnum):
    """Where an utterance is in its life; the same words are used by the ledger and the page."""

    QUEUED = "queued"
    SPEAKING = "speaking"
    HELD = "held"
    SPOKEN = "spoken"
    CUT = "cut"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    FAILED = "failed"


class HoldCause(StrEnum):
    """Why speech is held."""

    VOICE = "voice"  # somebody began to speak; the only cause with a watchdog
    USER = "user"  # the clinician asked for quiet, or to wait
    CRITICAL = "critical"  # a critical utterance speaks in between; set by the queue alone
    LISTENER = "listener"  # nobody is known to hear
    STORE = "store"  # the log can't be written; set by the queue alone
    TAKEOVER = "takeover"  # another worker takes, or took, the session over


NEXT: Final[Mapping[Phase, frozenset[Phase]]] = MappingProxyType(
    {
        Phase.QUEUED: frozenset(
            {Phase.SPEAKING, Phase.SUPERSEDED, Phase.EXPIRED, Phase.CANCELLED, Phase.FAILED}
        ),
        Phase.SPEAKING: frozenset({Phase.HELD, Phase.SPOKEN, Phase.CUT, Phase.FAILED}),
        Phase.HELD: frozenset(
            {Phase.SPEAKING, Phase.CUT, Phase.SUPERSEDED, Phase.CANCELLED, Phase.EXPIRED, Phase.FAILED}
        ),
        Phase.SPOKEN: frozenset(),
        Phase.CUT: frozenset(),
        Phase.SUPERSEDED: frozenset(),
        Phase.EXPIRED: frozenset(),
        Phase.CANCELLED: frozenset(),
        Phase.FAILED: frozenset(),
    }
)


class IllegalTransition(ValueError):
    """The table has no such move; nothing was changed."""

    def __init__(self, phase_from: Phase, phase_to: Phase) -> None:
        super().__init__(f"{phase_from} can't become {phase_to}")
        self.phase_from, self.phase_to = phase_from, phase_to


def advance(phase_from: Phase, phase_to: Phase) -> Phase:
    """Return `phase_to`, or raise IllegalTransition and change nothing."""
    if phase_to not in NEXT[phase_from]:
        raise IllegalTransition(phase_from, phase_to)
    return phase_to


def is_over(phase: Phase) -> bool:
    """Return whether nothing can follow `phase`."""
    return not NEXT[phase]

"""What is known of one run of the demo, before it is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from exaim_core import Update
from infra.ledger import LedgerEntry
from lab.demo.acts import Outcome
from lab.demo.parts import Part


@dataclass(frozen=True, slots=True)
class Told:
    """What the store has of a session at its end."""

    updates: Mapping[str, Update]
    entries: tuple[LedgerEntry, ...]

    def entry(self, utterance_id: str) -> LedgerEntry | None:
        """Return the ledger's entry of an utterance."""
        return next((e for e in self.entries if e.utterance.utterance_id == utterance_id), None)

    def spoken(self, utterance_id: str) -> bool:
        """Return whether the ledger calls an utterance spoken."""
        entry = self.entry(utterance_id)
        return entry is not None and entry.phase.value == "spoken"


@dataclass(frozen=True, slots=True)
class Gap:
    """The clinician's absence. Times are monotonic, but for `held_after_s`, a length of time."""

    killed_s: float
    cut: str  # the utterance in the middle of which the client was killed
    clause: int  # and which clause of it
    held_after_s: float | None  # from the kill to the hold, by the store's clock; None: it was not held
    back_s: float  # when the second client began to join
    updates_before: int
    updates_after: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that was measured or kept."""

    case_id: str
    session_id: str
    parts: tuple[Part, Part]
    gap: Gap
    told: Told

    def t(self, at_s: float) -> float:
        """Return a monotonic time as seconds of heard.wav."""
        return at_s - self.parts[0].began_s

    def outcome(self, act: str) -> Outcome:
        """Return how an act ended."""
        found = (outcome for outcome in self.parts[0].outcomes if outcome.act == act)
        return next(found, Outcome(act, False, why="it was not begun"))

    def utterances(self) -> dict[str, dict[str, Any]]:
        """Return each utterance as it was told of last."""
        return {
            body["utterance_id"]: body
            for part in self.parts
            for body in part.snapshots_too("utterance", "utterances")
        }

    def shown(self) -> frozenset[str]:
        """Return the ids of the updates that a page would have had."""
        return frozenset(
            body["update_id"] for part in self.parts for body in part.snapshots_too("update", "updates")
        )

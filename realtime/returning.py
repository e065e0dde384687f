"""Somebody comes back: is that worth a word, and which? Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tts_queue import Priority, Utterance

# A short loss of beats with the same connection is told by a tone: nothing was lost but a clause.
WELCOME_AFTER_S: Final = 20.0
FIRST_OF_ALL: Final = 99  # weight: before every critical finding that waits


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """How far the clinician had come, in summaries, and what waits."""

    heard: int  # number of the summary that was being spoken, or was spoken last; 0: none yet
    made: int  # summaries so far
    criticals: int = 0  # critical findings that wait
    finished: bool = False  # the agents have finished


def deserves_welcome(gap_s: float, *, joined_again: bool) -> bool:
    """Return whether a return after `gap_s` is greeted in words."""
    return joined_again or gap_s >= WELCOME_AFTER_S


def welcome_text(at: Whereabouts) -> str:
    """Return the words: where we were, X of Y, and what comes first."""
    parts = ["Welcome back."]
    if at.heard and at.made:
        parts.append(f"We were on summary {at.heard} of {at.made}.")
    elif at.made:
        parts.append(f"{at.made} {'summary' if at.made == 1 else 'summaries'} so far.")
    if at.criticals:
        parts.append("A critical finding first." if at.criticals == 1 else "Critical findings first.")
    return " ".join(parts)


def welcome(utterance_id: str, at: Whereabouts, *, now_s: float) -> Utterance:
    """Return the welcome: before everything, critical findings too, so that they are not missed."""
    return Utterance(
        utterance_id=utterance_id,
        text=welcome_text(at),
        priority=Priority.CRITICAL,
        kind="welcome",
        weight=FIRST_OF_ALL,
        queued_at_s=now_s,
    )

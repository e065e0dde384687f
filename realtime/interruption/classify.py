"""Give the verdict on a turn: pure, bounded in time, and the same for the same arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realtime.interruption.hearing import Heard, hear
from realtime.interruption.model import Context, Verdict, Why
from realtime.interruption.rules import RULES, SURE, RuleInput

if TYPE_CHECKING:
    from realtime.ears.model import TurnMetadata


def classify_with_prosody(text: str, metadata: TurnMetadata, context: Context) -> Verdict:
    """Return what the turn was and what to do about it.

    Never raises, whatever the recogniser wrote; reads the first 1,200 characters of `text`. No word is
    matched inside another, and neither case nor punctuation counts.
    """
    heard = hear(text, metadata, context)
    turn = RuleInput(heard, metadata, context)
    for rule in RULES:
        decision = rule(turn)
        if decision is not None:
            kind, effect, why = decision
            return Verdict(kind, effect, why, _confidence(why, heard))
    raise AssertionError("the last rule decides every turn")  # unreachable: side_talk has no condition


def _confidence(why: Why, heard: Heard) -> float:
    """A rule's own sureness, less up to half for words that were heard badly."""
    return round(SURE.get(why, 0.95) * (0.5 + 0.5 * heard.confidence), 3)

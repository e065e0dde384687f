"""What typed words ask for, in the page's box or in the room's chat: a word to us, or a question. Pure."""

from __future__ import annotations

from typing import Final

from realtime.ears import TurnMetadata
from realtime.interruption import Context, Effect, Kind, classify_with_prosody

_TYPED: Final = TurnMetadata(
    turn=1,
    began_s=0.0,
    ended_s=2.0,
    duration_ms=2_000,  # long enough that no word counts as heard badly
    word_count=0,
    had_eager_eot=False,
    had_turn_resumed=False,
    confidence=1.0,
    word=None,
    word_confidence=0.0,
    trigger="silence",
)


def effect_of(text: str, context: Context) -> Effect:
    """Return what the same words would do if they were spoken to us; what is not for us is asked.

    An order with a question mark is a question: who types one means it ("stop the metformin?").
    """
    verdict = classify_with_prosody(text, _TYPED, context)
    asks = verdict.effect is Effect.REFUSE_ORDER and text.rstrip().endswith("?")
    return Effect.ANSWER if asks or verdict.kind is Kind.IGNORE else verdict.effect

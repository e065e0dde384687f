"""Decide at a pause, before the turn is known to be over, and revise that at its end. Pure."""

from __future__ import annotations

from typing import Final

from realtime.interruption import Effect, Kind, Verdict, Why

SHORT_MS: Final = 1_500  # a shorter turn may be decided at its first pause
_AT_A_PAUSE: Final = frozenset({Effect.GO_ON, Effect.QUIET, Effect.WAIT, Effect.RESUME})
_EVIDENCE: Final = frozenset(
    {Why.NO_WORDS, Why.ECHO, Why.ACK_WORDS, Why.GO_ON_WORDS, Why.NOT_WANTED, Why.ANSWER_YES, Why.NOISY}
)
"""The verdicts after which the voice may go on at a pause. Words that were not understood may continue."""
_SETS_MODE: Final = frozenset({Effect.QUIET, Effect.WAIT, Effect.RESUME})


def at_a_pause(verdict: Verdict, duration_ms: int) -> Verdict | None:
    """Return the verdict to act on at a pause, or None: the turn's end has to come first.

    The voice goes on only if we know what was said: words that were not understood may be a command or the
    first half of one. "Got it" is not acted on, since an acknowledgment is final and more may follow.
    """
    if duration_ms >= SHORT_MS or verdict.effect not in _AT_A_PAUSE:
        return None
    return None if verdict.effect is Effect.GO_ON and verdict.why not in _EVIDENCE else verdict


def is_rest(before: Verdict | None, alone: Verdict) -> bool:
    """Return whether a turn may continue the question of the turn before it.

    It continues a question only, and only if it means nothing to us by itself or is a bare topic ("the calcium
    dose"). Our own words, heard back, continue nothing. Side talk and signs of listening are never joined to what
    follows: their words are no question, and are not stored.
    """
    if before is None or before.effect is not Effect.ANSWER or alone.why in {Why.ECHO, Why.NO_WORDS}:
        return False
    return alone.kind is Kind.IGNORE or alone.why is Why.TOPIC


def standing(taken: Verdict | None, verdict: Verdict) -> Verdict:
    """Return a turn's final verdict: "stop" or "continue" at a pause outlasts words not understood.

    "Stop" outlasts a remark on the case too: no one stops us to hear us go on.
    """
    if taken is not None and taken.kind is Kind.CANCEL and verdict.why is Why.REMARK:
        return taken
    if taken is None or verdict.kind is not Kind.IGNORE or verdict.why is Why.TO_PEOPLE:
        return verdict
    return taken if taken.kind is Kind.CANCEL or taken.effect is Effect.RESUME else verdict


def changed_mode(taken: Verdict | None) -> bool:
    """Return whether acting on `taken` changed the mode, so that another verdict has to restore it."""
    return taken is not None and taken.effect in _SETS_MODE

"""What is done at a turn's pause, before it is known whether more comes, and what is taken back. Pure."""

from __future__ import annotations

from typing import Final

from realtime.interruption import Effect, Kind, Verdict, Why

SHORT_MS: Final = 1_500  # a shorter turn may be decided at its first pause
_AT_A_PAUSE: Final = frozenset({Effect.GO_ON, Effect.QUIET, Effect.WAIT, Effect.RESUME})
_EVIDENCE: Final = frozenset(
    {Why.NO_WORDS, Why.ECHO, Why.ACK_WORDS, Why.GO_ON_WORDS, Why.NOT_WANTED, Why.ANSWER_YES, Why.NOISY}
)
"""What lets the voice go on at a pause: we know what was said. What was not understood is waited out."""
_SETS_MODE: Final = frozenset({Effect.QUIET, Effect.WAIT, Effect.RESUME})


def at_a_pause(verdict: Verdict, duration_ms: int) -> Verdict | None:
    """Return what may be done with a turn that may go on, or None: nothing before its end.

    The voice goes on where we know what was said. What was not understood may be a command, or the first half
    of one, and is waited out. "Got it" takes a note, for good, and more may follow.
    """
    if duration_ms >= SHORT_MS or verdict.effect not in _AT_A_PAUSE:
        return None
    return None if verdict.effect is Effect.GO_ON and verdict.why not in _EVIDENCE else verdict


def is_rest(before: Verdict | None, alone: Verdict) -> bool:
    """Return whether a turn may be the rest of a question that ended just before it.

    What means something to us by itself, a whole question too, is no rest of anything, nor are our own words, heard
    back; a bare topic ("the calcium dose") is one. Side talk and signs of listening are no beginning: their words are
    nobody's question, and are not kept.
    """
    if before is None or before.effect is not Effect.ANSWER or alone.why in {Why.ECHO, Why.NO_WORDS}:
        return False
    return alone.kind is Kind.IGNORE or alone.why is Why.TOPIC


def standing(taken: Verdict | None, verdict: Verdict) -> Verdict:
    """Return what a turn comes to: a "stop" or a "continue" after which nothing was made out stands."""
    if taken is None or verdict.kind is not Kind.IGNORE or verdict.why is Why.TO_PEOPLE:
        return verdict
    return taken if taken.kind is Kind.CANCEL or taken.effect is Effect.RESUME else verdict


def restores_mode(taken: Verdict | None) -> bool:
    """Tell whether the mode is to be as before the turn, as it comes to something else than was done."""
    return taken is not None and taken.effect in _SETS_MODE

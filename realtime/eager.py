"""What is done at a turn's pause, before it is known whether more comes, and what is taken back. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from realtime.interruption import Effect, Kind, Verdict

SHORT_MS: Final = 1_500  # a shorter turn may be decided at its first pause
_AT_A_PAUSE: Final = frozenset({Effect.GO_ON, Effect.QUIET, Effect.WAIT, Effect.RESUME})
_SETS_MODE: Final = frozenset({Effect.QUIET, Effect.WAIT, Effect.RESUME})


def at_a_pause(verdict: Verdict, duration_ms: int) -> Verdict | None:
    """Return what may be done with a turn that may go on, or None: nothing before its end.

    "Got it" lets the voice go on and takes no note yet: that is for good, and more may follow.
    """
    if duration_ms >= SHORT_MS:
        return None
    if verdict.effect is Effect.ACKNOWLEDGE:
        return replace(verdict, effect=Effect.GO_ON)
    return verdict if verdict.effect in _AT_A_PAUSE else None


def standing(taken: Verdict | None, verdict: Verdict) -> Verdict:
    """Return what a turn comes to: a "stop" or a "continue" after which nothing was made out stands."""
    if taken is None or verdict.kind is not Kind.IGNORE:
        return verdict
    return taken if taken.kind is Kind.CANCEL or taken.effect is Effect.RESUME else verdict


def restores_mode(taken: Verdict | None) -> bool:
    """Tell whether the mode is to be as before the turn, as it comes to something else than was done."""
    return taken is not None and taken.effect in _SETS_MODE

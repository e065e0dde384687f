"""How long a fault was heard: from the sound at the listener. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.chaos.runs import Run, merged

PAUSE_S: Final = 0.8  # between clauses and sentences of one utterance there is less silence (measured: 0.5 s)
FELT_WITHIN_S: Final = 4.0  # sound that is on its way, or made already, goes on for as long


def silence_s(sound: Sequence[Run], at_s: float, over_s: float | None, until_s: float) -> float | None:
    """Return from `at_s` to the first sound after the silence that a fault at `at_s` made.

    Args:
        sound: all sound of the listener.
        at_s: when the fault was.
        over_s: when the utterance that was being spoken came to its end, if it did: a silence after that is
            the pause between two utterances. None: it did not, and any silence is the fault's.
        until_s: how long was listened.

    Returns 0 if there was no silence, and None if no sound came any more.
    """
    runs = [run for run in merged(sound, PAUSE_S) if run.to_s > at_s - PAUSE_S]
    before = [run for run in runs if run.from_s <= at_s]
    silent_s = before[-1].to_s if before else at_s
    if silent_s - at_s > FELT_WITHIN_S or silent_s >= until_s - PAUSE_S:
        return 0.0
    if over_s is not None and over_s <= silent_s + PAUSE_S:
        return 0.0
    after = [run.from_s for run in runs if run.from_s > silent_s]
    return after[0] - at_s if after else None


def first_word_s(sound: Sequence[Run], since_s: float, least_s: float = 0.06) -> float | None:
    """Return from `since_s` to the first sound after it that is no click, or None."""
    after = [Run(max(run.from_s, since_s), run.to_s) for run in merged(sound)]
    return next((run.from_s - since_s for run in after if run.lasts_s >= least_s), None)

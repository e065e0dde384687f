"""How long a fault was heard: from the sound at the listener. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lab.chaos.runs import Run, merged

PAUSE_S: Final = 0.8  # between clauses and sentences of one utterance there is less silence (measured: 0.5 s)
LONGEST_TONE_S: Final = 0.6  # realtime/speech/tones.py
CLICK_S: Final = 0.06
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


def first_word_s(sound: Sequence[Run], since_s: float, begun_s: Sequence[float] = ()) -> float | None:
    """Return from `since_s` to the first word after it, or None if there was none.

    Args:
        sound: all sound of the listener.
        since_s: when it began to come back.
        begun_s: when it was told that a clause begins (its first sample leaves then). Sound that goes on for
            longer than a tone is speech too: a clause may have been under way.
    """
    after = [Run(max(run.from_s, since_s), run.to_s) for run in merged(sound)]
    clauses = [at_s for at_s in begun_s if at_s >= since_s]
    by_clause = next((at_s for clause_s in clauses[:1] if (at_s := _sound_from(after, clause_s))), None)
    by_length = next((run.from_s for run in after if run.lasts_s >= LONGEST_TONE_S), None)
    if by_clause is not None and (by_length is None or by_clause <= by_length + LONGEST_TONE_S):
        return by_clause - since_s
    return None if by_length is None else by_length - since_s


def _sound_from(sound: Sequence[Run], at_s: float) -> float | None:
    """Return when, from `at_s` on, there first was sound of a sound's length."""
    found = (Run(max(run.from_s, at_s), run.to_s) for run in sound)
    return next((run.from_s for run in found if run.lasts_s >= CLICK_S), None)

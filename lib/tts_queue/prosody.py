"""How an utterance should sound: from what it is, how urgent it is, and how late its sound is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from tts_queue.model import Priority, Prosody, Utterance

REVERSING: Final = ("not", "never", "no", "stop")  # who misses one of these understands the opposite
# Slower where it must be understood at once, never by more than a listener takes for hesitation; louder
# where it must be noticed; a longer pause before what changes the subject. A caution is louder alone:
# at 0.95 of the pace 2 of 68 wanted items come too late (`exaim evaluate --only spoken`).
BY_KIND: Final[Mapping[str, Prosody]] = MappingProxyType(
    {
        "critical": Prosody(
            rate=0.92, volume_db=3.0, pause_before_s=0.4, pause_after_s=0.4, emphasis=REVERSING
        ),
        "correction": Prosody(
            rate=0.95, volume_db=1.5, pause_before_s=0.5, pause_after_s=0.2, emphasis=REVERSING
        ),
        "caution": Prosody(volume_db=1.5, pause_before_s=0.4, emphasis=REVERSING),
        "closing": Prosody(rate=0.97, pause_before_s=0.6),
        "disagreement": Prosody(pause_before_s=0.4),
    }
)
ROUTINE: Final = Prosody(pause_before_s=0.4)
# Steps, not a slope: short clips are kept by their rate. Up to the last of them the default voice is
# transcribed with no more errors than at its own pace.
LATE: Final = ((6.0, 1.04), (8.0, 1.08), (10.0, 1.12))  # from this lag on, in seconds, at this rate


def prosody_for(kind: str, urgency: str = "routine") -> Prosody:
    """Return the usual prosody of an item; what is of critical urgency sounds so, whatever its kind."""
    return BY_KIND.get("critical" if urgency == "critical" else kind, ROUTINE)


def sounding(utterance: Utterance, now_s: float) -> Prosody:
    """Return how an utterance is to sound whose first clause is made at `now_s`, on the queue's clock.

    A summary that is late is said a little faster. What is marked by a pace or a loudness of its own never
    is, nor what is offered again: somebody did not hear it, or asked for it.
    """
    usual = utterance.prosody
    since_s = utterance.lag_from_s
    if since_s is None or utterance.priority < Priority.SUMMARY or utterance.replays is not None:
        return usual
    if usual.rate != 1.0 or usual.volume_db:
        return usual
    rates = [rate for from_s, rate in LATE if now_s - since_s >= from_s]
    return replace(usual, rate=rates[-1]) if rates else usual

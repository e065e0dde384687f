"""Choose how an utterance sounds, by its kind, urgency and lag, and by the listener's dial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
            rate=0.92,
            volume_db=3.0,
            pause_before_s=0.4,
            pause_after_s=0.4,
            emphasis=REVERSING,
            earcon=True,
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


# A step is heard as another pace, or loudness, and three in a row as much. With an alarm's 0.92 and 3 dB the
# bounds are 0.74 and 9 dB: every engine says that as asked (Deepgram from 0.7 on, Google up to 10 dB).
RATE_STEP: Final = 0.10
RATES: Final = (0.80, 1.20)
VOLUME_STEP_DB: Final = 3.0
VOLUMES_DB: Final = (-6.0, 6.0)


@dataclass(frozen=True, slots=True)
class Dial:
    """The pace and loudness that the listener asked for: a factor, and decibels to add."""

    rate: float = 1.0
    volume_db: float = 0.0

    def turned(self, *, rate: int = 0, volume: int = 0) -> Dial:
        """Return the dial turned by so many steps, within its bounds."""
        return Dial(
            _bounded(round(self.rate + rate * RATE_STEP, 2), RATES),
            _bounded(self.volume_db + volume * VOLUME_STEP_DB, VOLUMES_DB),
        )


USUAL: Final = Dial()


def prosody_for(kind: str, urgency: str = "routine") -> Prosody:
    """Return the usual prosody of an item's kind, or of a critical finding if its urgency is critical."""
    return BY_KIND.get("critical" if urgency == "critical" else kind, ROUTINE)


def sounding(utterance: Utterance, now_s: float, dial: Dial = USUAL) -> Prosody:
    """Return the prosody of an utterance whose first clause is made at `now_s`, on the queue's clock.

    Its pace is its own times the listener's. A late summary is spoken faster, unless the listener asked for a slower
    pace, or for one as fast.
    """
    usual = utterance.prosody
    rate = round(usual.rate * dial.rate, 3)
    if dial.rate >= 1.0:
        rate = max(rate, _hurried(utterance, now_s))
    return replace(usual, rate=rate, volume_db=usual.volume_db + dial.volume_db)


def _hurried(utterance: Utterance, now_s: float) -> float:
    """Return the least rate for a late utterance; 0: its own rate.

    An utterance with a pace or a loudness of its own keeps it, and so does one that is offered again, since somebody
    did not hear it or asked for it.
    """
    usual, since_s = utterance.prosody, utterance.lag_from_s
    if since_s is None or utterance.priority < Priority.SUMMARY or utterance.replays is not None:
        return 0.0
    if usual.rate != 1.0 or usual.volume_db:
        return 0.0
    return max((rate for from_s, rate in LATE if now_s - since_s >= from_s), default=0.0)


def _bounded(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])

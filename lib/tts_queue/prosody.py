"""How an utterance should sound, from what it is, how urgent it is and how late it comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from tts_queue.model import Prosody

# Slower where a number or a risk must be understood at once, never by more than a listener takes for
# hesitation; louder only where it must be noticed; a longer pause before what changes the subject.
BY_KIND: Final[Mapping[str, Prosody]] = MappingProxyType(
    {
        "critical": Prosody(rate=0.92, volume_db=3.0, pause_before_s=0.4, pause_after_s=0.4),
        "correction": Prosody(rate=0.95, volume_db=1.5, pause_before_s=0.5, pause_after_s=0.2),
        "caution": Prosody(rate=0.95, pause_before_s=0.4),
        "closing": Prosody(rate=0.97, pause_before_s=0.6),
        "disagreement": Prosody(rate=0.98, pause_before_s=0.4),
        "answer": Prosody(pause_before_s=0.3),
    }
)
ROUTINE: Final = Prosody(pause_before_s=0.4)
IMPORTANT_RATE: Final = 0.97
# From this lag on routine items are said faster, up to the rate at which the default voice is still
# transcribed without more errors; what is urgent never is.
LATE_FROM_S: Final = 6.0
LATEST_S: Final = 12.0
FASTEST: Final = 1.12


def prosody_for(
    kind: str, urgency: str = "routine", *, lag_s: float = 0.0, emphasis: tuple[str, ...] = ()
) -> Prosody:
    """Return the prosody of an item. `kind` in any case; `lag_s`: from the source to now, in seconds."""
    usual = BY_KIND.get("critical" if urgency == "critical" else kind.casefold(), ROUTINE)
    if urgency == "important":
        usual = replace(usual, rate=min(usual.rate, IMPORTANT_RATE))
    if urgency == "routine" and usual.rate >= 1.0 and lag_s > LATE_FROM_S:
        late = min(1.0, (lag_s - LATE_FROM_S) / (LATEST_S - LATE_FROM_S))
        usual = replace(usual, rate=1.0 + late * (FASTEST - 1.0), pause_before_s=0.3)
    return replace(usual, emphasis=emphasis)

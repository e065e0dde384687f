"""Keep a wait that the clinician asked for: a chime each minute, alarms after a tone and ten seconds."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from tts_queue import Phase, Snapshot

CHIME_EVERY_S: Final = 60.0  # tells that the silence was asked for
ADMITTED_AFTER_S: Final = 10.0  # a critical finding that waits is spoken after so long


class Due(Enum):
    """What is due while we wait."""

    CHIME = auto()
    TONE = auto()  # a critical finding waits
    ADMIT = auto()  # it has waited for long enough: let what is critical pass
    SHUT = auto()  # it was told: be silent again


class Waiting:
    """One wait, from its request on. Times are on the loop's clock, in seconds."""

    def __init__(self, now_s: float, snapshot: Snapshot) -> None:
        """`snapshot` is the queue at the request: what it holds was stopped, and this wait admits none of it."""
        self._stopped = {s.utterance.utterance_id for s in snapshot.standings if s.phase is Phase.HELD}
        self._chime_s = now_s + CHIME_EVERY_S
        self._since_s: float | None = None  # since when a critical finding waits, if one does
        self.admits = False  # what is critical may be spoken

    def tick(self, now_s: float, snapshot: Snapshot) -> list[Due]:
        """Return what is due at `now_s`; each alarm, or several that come together, gets its own tone."""
        due = []
        if now_s >= self._chime_s:
            self._chime_s = now_s + CHIME_EVERY_S
            due.append(Due.CHIME)
        phases = [
            s.phase
            for s in snapshot.standings
            if s.utterance.critical_key is not None
            and not s.utterance.stopped
            and s.utterance.utterance_id not in self._stopped
        ]
        if self.admits:
            if not phases:
                self.admits, self._since_s = False, None
                due.append(Due.SHUT)
        elif Phase.QUEUED not in phases:
            self._since_s = None
        elif self._since_s is None:
            self._since_s = now_s
            due.append(Due.TONE)
        elif now_s - self._since_s >= ADMITTED_AFTER_S:
            self.admits = True
            due.append(Due.ADMIT)
        return due

"""Bound how long talk, ours or the clinician's, can delay an alarm: ten seconds. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from realtime.speech.waiting import ADMITTED_AFTER_S
from tts_queue import HoldCause, Phase, Snapshot, Standing

PUT_OFF_AT_MOST_S: Final = ADMITTED_AFTER_S  # as long as under a wait that was asked for
_TALK: Final = frozenset({HoldCause.VOICE, HoldCause.USER})


def _alarms(standings: Iterable[Standing]) -> list[Standing]:
    return [each for each in standings if each.utterance.critical_key is not None]


@dataclass(slots=True)
class PutOff:
    """Times how long talk has delayed alarms, over all its questions. Times: loop clock, in seconds."""

    overdue: bool = False  # talk may not hold alarms, until none waits
    _since_s: float | None = None

    def tick(self, now_s: float, snapshot: Snapshot) -> bool:
        """Look at the queue; return whether alarms have just become overdue.

        The time begins when talk first holds an alarm, goes on from one question to the next, and ends when no
        alarm is left.
        """
        alarms = _alarms(snapshot.standings)
        if not alarms:
            self.forget()
            return False
        held = not _TALK.isdisjoint(snapshot.holds) and all(a.phase is not Phase.SPEAKING for a in alarms)
        if held and self._since_s is None:
            self._since_s = now_s
        was, self.overdue = self.overdue, self._is_over(now_s)
        return self.overdue and not was

    def forget(self) -> None:
        """Reset: no alarm waits, or the clinician asked for a silence, which has rules of its own."""
        self.overdue, self._since_s = False, None

    def _is_over(self, now_s: float) -> bool:
        return self._since_s is not None and now_s - self._since_s >= PUT_OFF_AT_MOST_S

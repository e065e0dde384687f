"""Follow the alarms that the clinician stopped, until they are told again from the start. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from realtime.speech.alerts import AGAIN_AFTER_S
from realtime.speech.waiting import ADMITTED_AFTER_S
from tts_queue import Phase, Standing, Utterance

TOLD_AGAIN: Final = "told again"  # reason of an offering whose finding is told anew from its beginning


def _silenced(standing: Standing, *, all_held: bool) -> bool:
    if standing.utterance.critical_key is None:
        return False
    if standing.phase is Phase.HELD:
        return all_held
    return standing.phase is Phase.QUEUED and standing.utterance.stopped  # by an earlier worker's listener


@dataclass(slots=True)
class Stopped:
    """The stopped alarms of one silence. Times are on the loop's clock, in seconds."""

    since_s: float = 0.0  # when the silence was asked for
    voice_s: float = float("-inf")  # when somebody was heard to speak last
    _alarms: dict[str, Utterance] = field(default_factory=dict)

    @property
    def any(self) -> bool:
        """Return whether a stopped alarm waits to be told again."""
        return bool(self._alarms)

    def silence(self, standings: Iterable[Standing]) -> None:
        """Take the alarms that are held as silence is asked for: they count as stopped."""
        self._take(standings, all_held=True)

    def look(self, standings: Iterable[Standing]) -> None:
        """Take the alarms that an earlier worker left as stopped."""
        self._take(standings, all_held=False)

    def voice(self, now_s: float) -> None:
        """Record that somebody speaks."""
        self.voice_s = now_s

    def gone(self, utterance_id: str) -> None:
        """Forget an offering that is over, or sounds again."""
        self._alarms.pop(utterance_id, None)

    def due(self, now_s: float, *, waiting: bool) -> bool:
        """Return whether the stopped alarms are to be told in spite of the silence.

        `waiting`: the silence is a wait, in which `ADMITTED_AFTER_S` without a voice are enough.
        """
        if not self._alarms:
            return False
        latest_s = self.since_s + AGAIN_AFTER_S
        quiet_s = max(self.since_s, self.voice_s) + ADMITTED_AFTER_S
        return now_s >= (min(quiet_s, latest_s) if waiting else latest_s)

    def take(self, may: Callable[[Utterance], bool]) -> list[Utterance]:
        """Return the alarms that `may` be told again, and forget them."""
        taken = [each for each in self._alarms.values() if may(each)]
        for each in taken:
            self.gone(each.utterance_id)
        return taken

    def _take(self, standings: Iterable[Standing], *, all_held: bool) -> None:
        for each in standings:
            if _silenced(each, all_held=all_held):
                self._alarms[each.utterance.utterance_id] = each.utterance

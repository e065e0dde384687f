"""Tell a clinician who joins how far the live team is, after the greeting and while it is true."""

from __future__ import annotations

from typing import Final

from realtime.actions import Act, Say
from realtime.speech.greeting import arrival
from realtime.speech.returning import Whereabouts, arrival_text
from realtime.team.steps import KIND as STEP
from tts_queue import Move, Phase, Priority, SpeechQueue, Standing
from tts_queue.phases import is_over

WITHIN_S: Final = 20.0  # from the end of the first words: an alarm, said twice, and one that presses


class ArrivalNotice:
    """Says once how far the team is, unless a step or a summary does. Times: loop clock, in seconds."""

    def __init__(self, queue: SpeechQueue, act: Act) -> None:
        self._queue, self._act = queue, act
        self._session_id = ""
        self._after: str | None = None  # id of the greeting, until it is over
        self._until_s: float | None = None  # the greeting is over: the notice may be offered until then
        self._offered: tuple[str, str] | None = None  # id and text, until it is over
        self._late = False

    def follow(self, session_id: str, after: str, *, late: bool) -> None:
        """Plan the notice for the end of utterance `after`; `late`: summaries were made before."""
        self._session_id, self._after, self._late = session_id, after, late

    def moved(self, move: Move) -> None:
        """Handle the end of the greeting, or of the notice itself."""
        if not is_over(move.phase_to):
            return
        if move.utterance_id == self._after:
            self._after, self._until_s = None, move.at_s + WITHIN_S
        elif self._offered is not None and move.utterance_id == self._offered[0]:
            self._offered = None

    def forget(self) -> None:
        """Drop the notice: a returning listener is told by a welcome how far the team is."""
        self._after = self._until_s = None
        self._take_back()

    @property
    def pending(self) -> bool:
        """Return whether the notice is still to be offered, or waits and may become untrue."""
        return self._until_s is not None or self._offered is not None

    def tick(self, at: Whereabouts, now_s: float) -> None:
        """Offer the notice when nothing more urgent waits; withdraw it once it is untrue."""
        standings = self._queue.snapshot().standings
        text = self._text(at, standings)
        if self._offered is not None:
            if text != self._offered[1]:
                self._take_back()
        elif self._until_s is not None and (now_s > self._until_s or not text):
            self._until_s = None
        elif not any(s.utterance.priority <= Priority.PRESSING for s in standings):
            self._until_s = None
            said = arrival(self._session_id, text, now_s=now_s)
            self._offered = said.utterance_id, text
            self._act(Say(said))

    def _text(self, at: Whereabouts, standings: tuple[Standing, ...]) -> str:
        if at.made:
            return arrival_text(at) if self._late else ""
        return "" if any(s.utterance.kind == STEP for s in standings) else arrival_text(at)

    def _take_back(self) -> None:
        """Cancel the notice, unless it sounds: it was true when it began."""
        if self._offered is None:
            return
        uid, _ = self._offered
        for standing in self._queue.snapshot().standings:
            if standing.utterance.utterance_id == uid and standing.phase in (Phase.QUEUED, Phase.HELD):
                self._queue.cancel(uid, reason="not so any more")

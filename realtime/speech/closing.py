"""Word a session's closing: settle what still waits, and add the counts of what was missed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from exaim_core import SpokenKind, Update
from realtime.speech.alerts import Alerts, with_newer
from realtime.speech.budget import WORDS_PER_S
from realtime.speech.greeting import is_title
from realtime.speech.narrator import CLOSING_YIELDS_S, first_offering, with_unacknowledged, with_unread
from realtime.speech.stopped import TOLD_AGAIN
from realtime.speech.takeover import replay, replay_id
from realtime.speech.told_late import PUT_OFF, ToldLate
from tts_queue import Phase, Priority, Snapshot, SpeechQueue, Utterance
from tts_queue.scheduling import TOLD_ALREADY

STILL_S: Final = 20.0  # of waiting items that are told before the closing: nothing new comes to be delayed
FIRST_OF_ALL: Final = 9  # weight among what presses: an item's is 4 at the most
REWORDED: Final = "reworded"  # reason of a closing that is offered again in other words
UNREAD: Final = frozenset({Phase.SUPERSEDED, Phase.EXPIRED, Phase.CANCELLED, Phase.FAILED})
# Reasons of offerings that were heard, or are offered, under another id.
ELSEWHERE: Final = frozenset(
    {"repeated", TOLD_AGAIN, REWORDED, PUT_OFF, "acknowledged", "withdrawn", TOLD_ALREADY}
)


class Unread:
    """The items of updates that were not read out, by the id of their first offering.

    Questions, welcomes and answers are no items. An item that was read in any offering counts as read, whatever
    becomes of later ones.
    """

    def __init__(self, unread: Iterable[str] = (), read: Iterable[str] = ()) -> None:
        self.unread, self.read = set(unread), set(read)

    def __len__(self) -> int:
        return len(self.unread)

    def ended(self, utterance: Utterance, phase: Phase, reason: str | None) -> bool:
        """Record the phase of an offering; return whether it left its item unread."""
        if utterance.update_id is None:
            return False
        item = first_offering(utterance.utterance_id)
        if phase is Phase.SPOKEN:
            self.read.add(item)
            self.unread.discard(item)
        left = phase in UNREAD and reason not in ELSEWHERE and item not in self.read
        if left:
            self.unread.add(item)
        return left


class Closing:
    """Words the closing, and words it again if its counts change while it waits."""

    def __init__(
        self,
        queue: SpeechQueue,
        *,
        unread: Callable[[], int],
        alerts: Alerts,
        agents: Callable[[], Iterable[str]],
        offer: Callable[[Utterance], None],
        spare: Callable[[Sequence[str], float], Iterable[Utterance]] = lambda *_: (),
    ) -> None:
        """Set what the closing counts and offers.

        * `unread`: counts the items that were not read.
        * `alerts`: knows the findings that were told and not acknowledged.
        * `agents`: the ids of the team's, as far as they are known.
        * `offer`: offers an utterance to the queue.
        * `spare`: is given the texts that wait and the time; returns what is told before the closing besides.
        """
        self._queue, self._offer, self._spare = queue, offer, spare
        self._unread, self._alerts = unread, alerts
        self._late = ToldLate(queue, agents=agents, offer=offer)
        self._plain = ""
        self._as_made: dict[str, str] = {}  # the words of alarms before a newer value stood beside them
        self._told_by_newer: dict[str, Utterance] = {}  # alarms that newer ones tell, by first offering

    def came(self, utterance: Utterance) -> None:
        """Keep the engine's own words of a closing; an earlier worker may have offered it already."""
        if utterance.kind == SpokenKind.CLOSING:
            self._plain = utterance.text

    def worded(self, utterance: Utterance) -> Utterance:
        """Return a closing in its final words, after settling what waits; an alarm with the newest value beside it.

        All else is returned as it is.

        Of the summaries that wait, the weightiest are told before it: in `STILL_S`, or in the time until they expire
        (`narrator.READ_TTL_S`) if that is longer. The rest is dropped. Spare sentences come between them and the
        closing. What is told late is told as said earlier (`speech.earlier`).
        """
        if utterance.kind != SpokenKind.CLOSING:
            return self._alerts.worded(utterance)
        now_s = utterance.queued_at_s
        self._settle(now_s)
        standing = [each.utterance.text for each in self._queue.snapshot().standings]
        for item in self._spare(standing, now_s):
            self._offer(replace(item, weight=utterance.weight))  # equal weights keep their order
        return replace(utterance, text=self._text())

    def _settle(self, now_s: float) -> None:
        """Offer the weightiest summaries that wait again, without an age limit, and drop the rest."""
        queued = [s.utterance for s in self._queue.snapshot().standings if s.phase is Phase.QUEUED]
        for each in filter(is_title, queued):
            self._queue.cancel(each.utterance_id, reason="the team is done")
        waiting = [each for each in queued if each.priority is Priority.SUMMARY and not each.protects]
        before, words = self._late.word_anew([each for each in queued if each not in waiting], now_s), 0
        for item in sorted(waiting, key=lambda each: (-each.weight, -each.queued_at_s)):
            text = self._late.worded(item, now_s, before + words)
            words += len(text.split())
            kept = words <= max(STILL_S, item.expires_after_s or 0.0) * WORDS_PER_S
            self._queue.cancel(item.utterance_id, reason=PUT_OFF if kept else "closing")
            if kept:  # nothing more comes that could make it old
                self._offer(replace(replay(item, now_s), text=text, expires_after_s=None, timely_s=None))

    def given_anew(self, update: Update, update_id: str) -> None:
        """Have alarms that wait told with what was stated since; one that a newer one tells goes.

        What else is told late is told with what was said of its drug since.

        If what was stated since was taken back, an alarm that waits gets its own words again. What an
        update alarms is news, whatever was stated before.
        """
        for item in update.items:
            if item.critical_key is not None:
                self._alerts.alarmed(item.critical_key)
        case = update_id.rpartition("-")[0]
        self._late.said_since({f"{case}-{each.item_id}": each.words for each in update.said_since})
        newer = {f"{case}-{each.item_id}": each for each in update.newer}
        for each in update.newer:
            self._alerts.given_anew(each)
        for standing in self._queue.snapshot().standings if newer else ():
            waiting = standing.utterance.utterance_id
            first = first_offering(waiting)
            found = newer.get(first)
            if found is None or standing.phase is not Phase.QUEUED:
                continue
            if found.alarms:
                self._told_by_newer[first] = replay(standing.utterance, standing.utterance.queued_at_s)
                self._queue.cancel(waiting, reason="withdrawn")
            elif found.text:
                self._as_made.setdefault(first, standing.utterance.text)
                self._queue.reword(waiting, with_newer(found))
            elif first in self._as_made:
                self._queue.reword(waiting, self._as_made.pop(first))
        for first, found in newer.items():
            if not found.alarms and (alarm := self._told_by_newer.pop(first, None)) is not None:
                self._offer(self._alerts.worded(alarm))  # the newer one was taken back

    def is_told_by_newer(self, utterance: Utterance) -> bool:
        """Return whether a newer alarm tells of what an alarm is about; it is kept for when that is taken back."""
        key = utterance.critical_key
        if key is None or not self._alerts.is_told_by_newer(key):
            return False
        self._told_by_newer[first_offering(utterance.utterance_id)] = utterance
        return True

    def acknowledged(self) -> None:
        """Word a closing that waits again, after an acknowledgment changed its count."""
        waiting = _waiting(self._queue.snapshot())
        if waiting is not None and self._plain and self._text() != waiting.text:
            self._reword(waiting)

    def tick(self, now_s: float) -> None:
        """Put a closing first that has waited `narrator.CLOSING_YIELDS_S`, but behind alarms and an answer.

        Before that, what waits too long for its words is worded as said earlier.
        What else waits follows it. No alarm is told again before it, unless the voice is held: it names those that
        nobody acknowledged.
        """
        snapshot = self._queue.snapshot()
        if self._late.tick(now_s, snapshot):
            snapshot = self._queue.snapshot()
        waiting = _waiting(snapshot)
        late = waiting is not None and now_s - waiting.queued_at_s >= CLOSING_YIELDS_S
        self._alerts.for_the_closing = late and not snapshot.holds
        standings = snapshot.standings
        answered = any(each.utterance.priority in (Priority.INTERLOCK, Priority.ANSWER) for each in standings)
        if waiting is None or not late or answered or not waiting.yields_for_s:
            return
        self._reword(replace(waiting, priority=Priority.PRESSING, weight=FIRST_OF_ALL, yields_for_s=0.0))

    def _reword(self, waiting: Utterance) -> None:
        """Offer a closing that waits again, in the words that are true now."""
        self._queue.cancel(waiting.utterance_id, reason=REWORDED)
        again, text = replay_id(waiting.utterance_id), self._text() if self._plain else waiting.text
        self._offer(replace(waiting, utterance_id=again, replays=waiting.utterance_id, text=text))

    def _text(self) -> str:
        standings = self._queue.snapshot().standings
        keys = {key for each in standings if (key := each.utterance.critical_key) is not None}
        left = self._alerts.unacknowledged(keys)
        stand = [key for key in left if not self._alerts.is_eased(key)]
        names = [*map(self._alerts.name_of, stand)]
        told = with_unacknowledged(self._plain, names, eased=len(left) - len(stand))
        return with_unread(told, self._unread())


def _waiting(snapshot: Snapshot) -> Utterance | None:
    """Return the closing that waits and has not begun; None: there is none."""
    closings = (each for each in snapshot.standings if each.utterance.kind == SpokenKind.CLOSING)
    return next((each.utterance for each in closings if each.phase is Phase.QUEUED), None)

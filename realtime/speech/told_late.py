"""Word what waits in the queue as said earlier, and with what was said since, before it is told late."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from exaim_core import SpokenKind
from exaim_core.words.since_then import beside
from realtime.speech.budget import WORDS_PER_S
from realtime.speech.earlier import alarm_as_earlier, is_late, worded_for
from realtime.speech.narrator import first_offering
from realtime.speech.takeover import replay
from realtime.team.long_words import cut_long_words
from tts_queue import SAMPLE_RATE_HZ, Phase, Priority, Snapshot, SpeechQueue, Utterance

PUT_OFF: Final = "put off"  # reason of an item that is offered again, later or in other words
MADE_BEFORE_S: Final = 1.0  # so long before an alarm is worded as of earlier its new sound is made
SINCE_S: Final = 8.0  # what is told so long after it was said is told with what was said since
MOST_SINCE: Final = 500  # items of which what was said since is kept; the newest
_ITEMS: Final = frozenset({Priority.PRESSING, Priority.SUMMARY})


class ToldLate:
    """Offers what waits again in the words that are true when it is told; each keeps its time, and so its place."""

    def __init__(
        self, queue: SpeechQueue, *, agents: Callable[[], Iterable[str]], offer: Callable[[Utterance], None]
    ) -> None:
        """`agents`: the ids of the team's, as far as they are known. `offer`: offers an utterance to the queue."""
        self._queue, self._agents, self._offer = queue, agents, offer
        self._since: dict[str, str] = {}  # by an item's first offering

    def said_since(self, words: Mapping[str, str]) -> None:
        """Take what was said since of what items name, by their first offerings; "" for nothing."""
        self._since |= {first: cut_long_words(since) for first, since in words.items()}
        for first in [*self._since][:-MOST_SINCE]:
            del self._since[first]

    def tick(self, now_s: float, snapshot: Snapshot) -> bool:
        """Word what waits as said earlier once it can't begin in time, behind what sounds.

        What sounds lasts longer than it takes to make the new words' sound, so no gap comes of it. `snapshot` is of
        the queue at `now_s`. Return whether anything was worded anew, so that the queue has changed since.
        """
        standings = snapshot.standings
        queued = [each.utterance for each in standings if each.phase is Phase.QUEUED]
        waiting = [each for each in queued if _may_be_worded_anew(each)]
        alarms = [each for each in queued if each.critical_key is not None]
        if not (waiting or alarms):
            return False
        sounding = [each for each in standings if each.phase is Phase.SPEAKING and not each.all_sent]
        begins_s = now_s + sum(each.total - each.heard for each in sounding) / SAMPLE_RATE_HZ
        alarming = any(each.utterance.priority <= Priority.CRITICAL for each in sounding)
        self._tell_alarms(alarms, begins_s if alarming else now_s)
        return sum(self._tell(each, self.worded(each, begins_s), now_s) for each in waiting) > 0

    def word_anew(self, first: Sequence[Utterance], now_s: float) -> int:
        """Word as said earlier which of `first` will be told late, one after another; return the words of all."""
        sounding = (s.utterance for s in self._queue.snapshot().standings if s.phase is Phase.SPEAKING)
        words = sum(len(each.text.split()) for each in sounding)
        for each in sorted(first, key=lambda each: each.priority):
            text = self.worded(each, now_s, words)
            words += len(each.text.split())
            self._tell(each, text, now_s)
        return words

    def worded(self, item: Utterance, now_s: float, after_words: int = 0) -> str:
        """Return the words in which an item is true that is told from `now_s` on, behind so many words."""
        said_at_s = item.lags_from_s
        waits_s = now_s + after_words / WORDS_PER_S - said_at_s
        since = self._since.get(first_offering(item.utterance_id), "") if waits_s >= SINCE_S else ""
        return worded_for(
            beside(item.text, since),
            self._agents(),
            said_at_s=said_at_s,
            now_s=now_s,
            after_words=after_words,
        )

    def _tell_alarms(self, alarms: Sequence[Utterance], begins_s: float) -> None:
        """Word alarms that wait as of earlier once they can't begin in time, whatever they wait for.

        An alarm is offered once: its words change where it stands in the queue. The sound of the next one's other words
        is made before that, so that it need not wait for it.
        """
        for each in alarms:
            told, soon = as_of(each, begins_s), as_of(each, begins_s + MADE_BEFORE_S)
            if told is not each:
                self._queue.reword(each.utterance_id, told.text)
            elif soon is not each and each is alarms[0]:
                self._queue.rehearse(soon)

    def _tell(self, item: Utterance, text: str, now_s: float) -> bool:
        """Offer an item again in the words `text`, if they are others and it may be told in them."""
        if text == item.text or not _may_be_worded_anew(item):
            return False
        others = [each.utterance for each in self._queue.snapshot().standings]
        newer = any(each.topic == item.topic for each in others if each is not item)
        aged = item.expires_after_s is not None and now_s - item.queued_at_s > item.expires_after_s
        self._queue.cancel(item.utterance_id, reason=PUT_OFF)
        self._offer(
            replace(
                replay(item, item.queued_at_s),
                text=text,
                topic=None if newer else item.topic,  # or it would replace what is newer
                expires_after_s=None if aged else item.expires_after_s,  # it waited while nobody heard
            )
        )
        return True


def as_of(utterance: Utterance, now_s: float) -> Utterance:
    """Return what begins at `now_s`: an alarm on what was said long before says so; all else as it is."""
    if utterance.critical_key is None or not is_late(
        said_at_s=utterance.lags_from_s, now_s=now_s, after_words=0
    ):
        return utterance
    text = alarm_as_earlier(utterance.text)
    return utterance if text == utterance.text else replace(utterance, text=text)


def _may_be_worded_anew(item: Utterance) -> bool:
    """Return whether an item is of an update, and no closing.

    Alarms and their orders stay as they are, and so does what was heard in part.
    """
    if item.update_id is None or item.priority not in _ITEMS or item.critical_key is not None:
        return False
    return item.from_clause == 0 and not item.stopped and item.kind != SpokenKind.CLOSING

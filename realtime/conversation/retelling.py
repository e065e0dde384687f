"""Repeat speech: alarms that were stopped or missed, and items the clinician wants again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace

from realtime.actions import Acknowledged, Act, Say
from realtime.conversation.ports import SpeechPort
from realtime.conversation.recall import Recall
from realtime.speech.alerts import Alerts, is_idle_repetition, is_missed, is_told
from realtime.speech.stopped import TOLD_AGAIN, Stopped
from realtime.speech.takeover import replay
from tts_queue import Move, Phase, Priority, Utterance
from tts_queue.phases import is_over


class Retelling:
    """Knows the open alarms and the recent items, and offers them again."""

    def __init__(self, stage: SpeechPort, act: Act, now_s: Callable[[], float]) -> None:
        self._stage, self._act, self._now_s = stage, act, now_s
        self.alerts = Alerts()
        self.recall = Recall()
        self.stopped = Stopped()

    def tell_stopped(self, *, asked: bool) -> bool:
        """Offer the stopped alarms again, where that is allowed; return whether there was one."""
        alarms = self.stopped.take(lambda each: self.alerts.tell_stopped(each, asked=asked))
        for each in alarms:
            self._stage.cancel(each.utterance_id, reason=TOLD_AGAIN)
            self.again(each, priority=each.priority)
        return bool(alarms)

    def repeat(self) -> None:
        """Offer the last item again, before everything that waits except alarms."""
        item = self.recall.item
        if item is not None:
            self._stage.cancel(item.utterance_id, reason="repeated")
            self.again(item, priority=_asked_for(item))

    def again(self, item: Utterance, *, priority: Priority) -> None:
        """Offer an item again, from its beginning, under the next id."""
        again = replace(
            replay(self.alerts.worded(item), self._now_s()),
            priority=priority,
            from_clause=0,
            topic=None,  # a repetition does not replace a newer item
            expires_after_s=None,
            gives_way=False,  # who asks for it wants it now
            yields_for_s=0.0,
        )
        self.recall.again(again)
        self._act(Say(again))

    def acknowledge(self, key: str) -> None:
        """Acknowledge a critical finding, and cancel its repetitions."""
        if self.alerts.acknowledge(key):
            self._repeat_no_more({key}, reason="acknowledged")
        self._act(Acknowledged(key))

    def criticals(self, findings: Mapping[str, str]) -> None:
        """Set the names of what is critical now, by key; findings that no longer stand are not repeated."""
        self._repeat_no_more(self.alerts.standing(findings), reason="taken back")

    def _repeat_no_more(self, keys: Set[str], *, reason: str) -> None:
        for each in self._stage.snapshot().standings if keys else ():
            if is_idle_repetition(each, keys):
                self._stage.cancel(each.utterance.utterance_id, reason=reason)

    def tell_missed(self, now_s: float) -> None:
        """Offer the alarms that are due again."""
        for utterance in self.alerts.to_tell_again(now_s):
            self.again(utterance, priority=utterance.priority)

    def previous(self) -> bool:
        """Offer the item before the last one again; return whether there was one."""
        item = self.recall.previous()
        if item is not None:
            self._stage.cancel(item.utterance_id, reason="repeated")  # it may only be interrupted
            self.again(item, priority=_asked_for(item))
        return item is not None

    def moved(self, move: Move, utterance: Utterance) -> None:
        """Update the alarms and the last item after an utterance's change of phase."""
        over = is_over(move.phase_to)
        if over or move.phase_to is Phase.SPEAKING:
            self.stopped.gone(move.utterance_id)
        if utterance.critical_key is not None and over and move.reason != TOLD_AGAIN:
            if is_told(move.phase_to, move.reason):
                self.alerts.told(utterance, move.at_s)
            elif is_missed(move.phase_to, move.reason):
                self.alerts.missed(utterance, move.at_s)
            elif utterance.replays is not None:
                self.alerts.dropped(utterance)
        if over and self.recall.item is not None and utterance.replays == self.recall.item.utterance_id:
            self.recall.item = utterance  # if it is wanted once more, under the next id


def _asked_for(item: Utterance) -> Priority:
    """Return the priority of an item that is repeated on request: an answer's; an alarm keeps its own."""
    return item.priority if item.priority <= Priority.CRITICAL else Priority.ANSWER

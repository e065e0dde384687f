"""Offer a session's utterances to the queue, each once, and keep what was offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from realtime.room.utterances import UtteranceStates
from realtime.speech.told_late import as_of
from tts_queue import OfferOutcome, Phase, SpeechQueue, Utterance


class Offers:
    """The utterances that were offered, by id, in the words that they have now."""

    def __init__(self, queue: SpeechQueue, states: UtteranceStates, *, now_s: Callable[[], float]) -> None:
        self._queue, self._states, self._now_s = queue, states, now_s
        self._said: dict[str, Utterance] = {}
        self._known: set[str] = set()  # ids that were offered, by us or by an earlier worker
        self._closed = False

    def is_known(self, utterance_id: str) -> bool:
        """Return whether an utterance of this id was offered, by us or by an earlier worker."""
        return utterance_id in self._known

    def note_finished(self, utterance_ids: Iterable[str]) -> None:
        """Record the ids that an earlier worker brought to an end."""
        self._known.update(utterance_ids)

    def offer(self, utterance: Utterance) -> None:
        """Offer an utterance to the queue: once per id, and never after the session has ended."""
        if self._closed or utterance.utterance_id in self._said:
            return
        utterance = self._said[utterance.utterance_id] = as_of(utterance, self._now_s())
        self._known.add(utterance.utterance_id)
        self._states.moved(utterance, Phase.QUEUED)
        if self._queue.offer(utterance).outcome is OfferOutcome.BLANK:
            self._states.moved(utterance, Phase.EXPIRED, reason="nothing to say")

    def note_reworded(self, utterance: Utterance) -> None:
        """Record the new words of an utterance that was offered."""
        self._said[utterance.utterance_id] = utterance

    def offered(self, utterance_id: str) -> Utterance:
        """Return an utterance that we offered. Raises: KeyError: we did not."""
        return self._said[utterance_id]

    def close(self) -> None:
        """Offer nothing from now on: the session has ended."""
        self._closed = True

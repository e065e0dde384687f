"""Tell the page each utterance's phase, and that the voice is silent while the store is away."""

from __future__ import annotations

from collections.abc import Callable

from realtime.room import messages
from realtime.room.feed import Feed
from tts_queue import HoldCause, Phase, Utterance


class UtteranceStates:
    """Posts each utterance's phase to the page. `acknowledged` tells whether a finding is acknowledged."""

    def __init__(self, feed: Feed, *, acknowledged: Callable[[str], bool]) -> None:
        self._feed, self._acknowledged = feed, acknowledged
        self._store_gone = False

    def moved(
        self, utterance: Utterance, phase: Phase, *, cause: HoldCause | None = None, reason: str = ""
    ) -> None:
        """Tell that an utterance came to `phase`."""
        key = utterance.critical_key
        acknowledged = key is not None and self._acknowledged(key)
        self._feed.post(
            messages.utterance_body(utterance, phase, cause=cause, reason=reason, acknowledged=acknowledged)
        )

    def acknowledged(self, critical_key: str) -> None:
        """Show every utterance of a critical finding as acknowledged."""
        for body in self._feed.utterances():
            if body.critical_key == critical_key and not body.acknowledged:
                self._feed.post(body.model_copy(update={"acknowledged": True}))

    def store(self, *, gone: bool) -> None:
        """Tell that the store went, or is back; once each time."""
        if gone != self._store_gone:
            self._store_gone = gone
            self._feed.post(messages.store_notice(gone=gone))

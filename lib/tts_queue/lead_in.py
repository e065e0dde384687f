"""What comes before an utterance: the pause behind the last one, and an alarm's tone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tts_queue.config import QueueConfig
from tts_queue.model import SAMPLE_RATE_HZ
from tts_queue.phases import Phase
from tts_queue.prefetch import is_critical
from tts_queue.registry import Item
from tts_queue.track import Track

_EARCON_HOLDS: Final = SAMPLE_RATE_HZ  # samples; an utterance that begins later gets another earcon


class LeadIn:
    """Says whether the words of an utterance may begin, and plays the tone before them."""

    def __init__(self, config: QueueConfig, track: Track, unconfirmed: Callable[[], list[Item]]) -> None:
        """`unconfirmed` returns what is sent and not confirmed as heard."""
        self._config, self._track, self._unconfirmed = config, track, unconfirmed

    def is_over(self, item: Item) -> bool:
        """Return whether the tone before `item` has sounded, if it has one, and the track is free for it."""
        return self._is_announced(item) and self._track_is_free(item)

    def _is_announced(self, item: Item) -> bool:
        """Return whether the earcon before `item` has sounded, or it has none; play it when it may.

        It lies in the pause before the words, so that it does not delay an item that interrupts.
        """
        earcon = self._config.earcon
        if earcon is None or not item.utterance.prosody.earcon or item.phase is not Phase.QUEUED:
            return True
        began = item.earcon_sample
        if began is None or self._track.written > began + earcon.size + _EARCON_HOLDS:
            if not self._track_is_free(item, self._config.earcon_after_s):
                return False
            self._track.mixer.tone(earcon)
            began = item.earcon_sample = self._track.written
        return self._track.written >= began + earcon.size

    def _track_is_free(self, item: Item, pause_s: float | None = None) -> bool:
        """Return whether `item` may start: the last is sent, its pause over, at most one unconfirmed.

        A critical one waits for no confirmation.
        """
        last = self._track.last
        if last is None or last is item:
            return True
        if pause_s is None:
            pause_s = max(last.utterance.prosody.pause_after_s, item.utterance.prosody.pause_before_s)
            if last.utterance.critical_key is not None and item.utterance.critical_key is None:
                pause_s = max(pause_s, self._config.note_s)
        confirmed = is_critical(item) or len(self._unconfirmed()) <= 1
        return confirmed and self._track.is_free(pause_s)

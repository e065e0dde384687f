"""The closing of a session: what it takes the place of, and what it adds to the engine's own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from typing import Final

from exaim_core import SpokenKind
from realtime.narrator import with_unacknowledged, with_unread
from realtime.takeover import replay_id
from tts_queue import Move, Phase, Priority, SpeechQueue, Utterance

REWORDED: Final = "reworded"  # of a closing that is offered again in other words
UNREAD: Final = frozenset({Phase.SUPERSEDED, Phase.EXPIRED, Phase.CANCELLED, Phase.FAILED})
OFFERED_AGAIN: Final = frozenset({"repeated", REWORDED})


def left_unread(move: Move, utterance: Utterance) -> bool:
    """Return whether an item of an update ends unread; a question of ours or an answer is none."""
    if utterance.update_id is None:
        return False
    return move.phase_to in UNREAD and move.reason not in OFFERED_AGAIN


def unread_by(finished: Mapping[str, Phase], session_id: str) -> set[str]:
    """Return the items that an earlier worker left unread; what bears the session's own id is none."""
    own = f"{session_id}."
    return {uid for uid, phase in finished.items() if phase in UNREAD and not uid.startswith(own)}


class Closing:
    """Words the closing when it comes, and anew if it waits and its count of findings holds no more."""

    def __init__(
        self,
        queue: SpeechQueue,
        *,
        unread: Callable[[], int],
        unacknowledged: Callable[[Set[str]], int],
        offer: Callable[[Utterance], None],
    ) -> None:
        """`unread` counts the items that were not read.

        `unacknowledged` is given the keys of findings that wait, and counts those of which nobody took note,
        these among them.
        """
        self._queue, self._offer = queue, offer
        self._unread, self._unacknowledged = unread, unacknowledged
        self._plain = ""

    def came(self, utterance: Utterance) -> None:
        """Keep the engine's own words if it is the closing, which an earlier worker may have offered."""
        if utterance.kind == SpokenKind.CLOSING:
            self._plain = utterance.text

    def worded(self, utterance: Utterance) -> Utterance:
        """Let the closing take the place of what waits, and say what is left; return any other as it is."""
        if utterance.kind != SpokenKind.CLOSING:
            return utterance
        waiting = [
            standing.utterance
            for standing in self._queue.snapshot().standings
            if standing.phase is Phase.QUEUED
            and standing.utterance.priority is Priority.SUMMARY
            and not standing.utterance.protects
        ]
        for dropped in waiting:
            self._queue.cancel(dropped.utterance_id, reason="closing")
        return replace(utterance, text=self._text())

    def acknowledged(self) -> None:
        """Offer a closing that waits in other words, as one finding more was taken note of."""
        for standing in self._queue.snapshot().standings:
            waiting, text = standing.utterance, self._text()
            if waiting.kind != SpokenKind.CLOSING or standing.phase is not Phase.QUEUED:
                continue
            if not self._plain or text == waiting.text:
                continue
            self._queue.cancel(waiting.utterance_id, reason=REWORDED)
            again = replay_id(waiting.utterance_id)
            self._offer(replace(waiting, utterance_id=again, replays=waiting.utterance_id, text=text))

    def _text(self) -> str:
        standings = self._queue.snapshot().standings
        keys = {key for each in standings if (key := each.utterance.critical_key) is not None}
        return with_unread(with_unacknowledged(self._plain, self._unacknowledged(keys)), self._unread())

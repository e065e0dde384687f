"""Remember what we said lately: to know its echo, to say it again, and for a bare "why?". Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from realtime.speech.narrator import first_offering
from tts_queue import SAMPLE_RATE_HZ, SegmentStarted, Utterance

ECHO_S: Final = 8.0  # how long our own words may come back over a microphone
ASKED_S: Final = 6.0  # a question of ours is in the air for so long after its last word
_KEPT: Final = 12  # clauses; 8 s hold about four
_ITEMS: Final = 40  # through which "previous" can go back: a quarter of an hour
# These kinds are no items: nobody asks about them, or wants them again.
_PASSING: Final = frozenset({"question", "welcome", "refusal", "reply", "arrival", "silence"})
_QUESTIONS: Final = frozenset({"question", "answer", "refusal"})


class _Clause(NamedTuple):
    ends_s: float
    text: str


@dataclass(slots=True)
class Recall:
    """Our last words. Times are on the loop's clock, in seconds."""

    _clauses: deque[_Clause] = field(default_factory=lambda: deque(maxlen=_KEPT))
    _asked_s: float = float("-inf")
    item: Utterance | None = None  # the item that sounded last, which may be asked about or repeated
    last: Utterance | None = None  # whatever began to sound last, item or not
    _items: dict[str, Utterance] = field(
        default_factory=dict
    )  # by the id of the first offering, in the order of sounding

    def sounded(self, event: SegmentStarted, utterance: Utterance, now_s: float) -> None:
        """Record a clause that begins to sound now."""
        ends_s = now_s + event.samples / SAMPLE_RATE_HZ
        text = " ".join(word.text for word in event.words)
        self._clauses.append(_Clause(ends_s, text))
        if utterance.kind in _QUESTIONS:
            self._asked_s = ends_s
        self.last = utterance
        if utterance.kind not in _PASSING:
            self.item = utterance
            self._sounded(utterance)

    def again(self, utterance: Utterance) -> None:
        """Record an item's newest offering, so that the next gets another id; its order stays."""
        first = first_offering(utterance.utterance_id)
        if first in self._items:
            self._items[first] = utterance

    @property
    def words(self) -> str:
        """Return the words of the clauses that sounded last, oldest first."""
        return " ".join(each.text for each in list(self._clauses)[-2:])

    def _sounded(self, utterance: Utterance) -> None:
        first = first_offering(utterance.utterance_id)
        self._items[first] = utterance
        while len(self._items) > _ITEMS:
            del self._items[next(iter(self._items))]

    def previous(self) -> Utterance | None:
        """Return the item that sounded before the last one, or None: there is none."""
        if self.item is None:
            return None
        before: Utterance | None = None
        for first, each in self._items.items():
            if first == first_offering(self.item.utterance_id):
                return before
            before = each
        return None

    def said(self, now_s: float) -> str:
        """Return our words of the last `ECHO_S`, oldest first."""
        return " ".join(each.text for each in self._clauses if now_s - each.ends_s < ECHO_S)

    def asked_anything(self, at_s: float) -> bool:
        """Return whether the last word of a question or answer of ours was within `ASKED_S` before `at_s`."""
        return at_s - self._asked_s < ASKED_S

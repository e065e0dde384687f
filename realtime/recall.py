"""What we said lately: for the echo of it, for "say again", and for a bare "why?". Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from tts_queue import SAMPLE_RATE_HZ, SegmentStarted, Utterance

ECHO_S: Final = 8.0  # how long our own words may come back over a microphone
ASKED_S: Final = 6.0  # a question of ours is in the air for so long after its last word
_KEPT: Final = 12  # clauses; 8 s hold four or so
# Not an item: nothing is asked about it, and nobody wants it again.
_PASSING: Final = frozenset({"question", "welcome", "refusal"})
_QUESTIONS: Final = frozenset({"question", "answer", "refusal"})


@dataclass(slots=True)
class Recall:
    """Our last words. Times are on the loop's clock, in seconds."""

    _clauses: deque[tuple[float, float, str]] = field(default_factory=lambda: deque(maxlen=_KEPT))
    _asked_s: float = float("-inf")
    item: Utterance | None = None  # that sounded last, and may be asked about or wanted again

    def sounded(self, event: SegmentStarted, utterance: Utterance, now_s: float) -> None:
        """Note a clause that begins to sound now."""
        ends_s = now_s + event.samples / SAMPLE_RATE_HZ
        text = " ".join(word.text for word in event.words)
        self._clauses.append((now_s, ends_s, text))
        if utterance.kind in _QUESTIONS:
            self._asked_s = ends_s
        if utterance.kind not in _PASSING:
            self.item = utterance

    def said(self, now_s: float) -> str:
        """Return our words of the last `ECHO_S`, oldest first."""
        return " ".join(text for _, ends_s, text in self._clauses if now_s - ends_s < ECHO_S)

    def asked_anything(self, at_s: float) -> bool:
        """Return whether a question or an answer of ours was in the air at `at_s`."""
        return at_s - self._asked_s < ASKED_S

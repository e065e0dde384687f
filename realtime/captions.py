"""Captions for clients that know only LiveKit: words, when they are heard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

KEPT_SEGMENTS: Final = 8  # more than can be waiting: the next clause starts when the last one is sent


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word as it is read, and the sample at which it begins to be heard."""

    text: str
    start_sample: int


@dataclass(frozen=True, slots=True)
class Caption:
    """What to send now for a segment: the text so far, and whether it is all."""

    segment_id: str
    text: str
    final: bool


class Captions:
    """Lets words out as the played position passes them; in order, each segment once."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, tuple[TimedWord, ...], int]] = []

    def add(self, segment_id: str, words: tuple[TimedWord, ...]) -> None:
        """Take a segment whose first sample has left. A bound drops the oldest one whole."""
        self._waiting.append((segment_id, words, 0))
        del self._waiting[:-KEPT_SEGMENTS]

    def clear(self) -> None:
        """Drop what was not heard: the utterance was held or cut."""
        self._waiting.clear()

    def due(self, played_sample: int) -> list[Caption]:
        """Return what changed since the last call, now that `played_sample` has been played."""
        out: list[Caption] = []
        waiting: list[tuple[str, tuple[TimedWord, ...], int]] = []
        for segment_id, words, shown in self._waiting:
            heard = sum(word.start_sample <= played_sample for word in words)
            if heard > shown:
                text = " ".join(word.text for word in words[:heard])
                out.append(Caption(segment_id, text, final=heard == len(words)))
            if heard < len(words):
                waiting.append((segment_id, words, heard))
        self._waiting = waiting
        return out

"""Captions for clients that know only LiveKit: words, when they are heard."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Final

KEPT_SEGMENTS: Final = 8  # more than can be waiting: the next clause starts when the last one is sent


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word as it is read, and the sample at which it begins to be heard."""

    text: str
    start_sample: int


KEPT_FINALS: Final = 256  # ids: what was broken into goes on after many others, its first clause again


@dataclass(frozen=True, slots=True)
class Caption:
    """What to send now for a segment: the text so far, and whether it is all."""

    segment_id: str
    text: str
    final: bool


@dataclass(frozen=True, slots=True)
class _Segment:
    """`starts` are of the last words, as many as are to be heard; none while the utterance is held."""

    utterance_id: str
    words: tuple[str, ...]
    starts: tuple[int, ...]
    shown: int = 0
    cut: bool = False

    def heard(self, played_sample: int) -> int:
        if not self.starts:
            return self.shown
        before = len(self.words) - len(self.starts)
        return max(self.shown, before + sum(start <= played_sample for start in self.starts))


class Captions:
    """Lets words out as the played position passes them; in order, each segment final once."""

    def __init__(self) -> None:
        self._segments: dict[str, _Segment] = {}
        self._finals: deque[str] = deque(maxlen=KEPT_FINALS)

    def add(self, utterance_id: str, index: int, words: tuple[TimedWord, ...]) -> None:
        """Take a segment whose first sample has left. A bound drops the oldest one whole.

        After a hold a segment comes again with its last words only: its text goes on, none is lost.
        """
        segment_id = f"{utterance_id}.{index}"
        if segment_id in self._finals or not words:
            return
        known = self._segments.pop(segment_id, None)
        texts = known.words if known else tuple(word.text for word in words)
        starts = tuple(word.start_sample for word in words)
        shown = known.shown if known else 0
        self._segments[segment_id] = _Segment(utterance_id, texts, starts, shown)
        while len(self._segments) > KEPT_SEGMENTS:
            self._segments.pop(next(iter(self._segments)))

    def hold(self, utterance_id: str) -> None:
        """Let no further word of this utterance out, until it goes on."""
        self._change(utterance_id, cut=False)

    def cut(self, utterance_id: str) -> None:
        """End this utterance: what was shown of it is final, the rest is not shown."""
        self._change(utterance_id, cut=True)

    def _change(self, utterance_id: str, *, cut: bool) -> None:
        for segment_id, segment in self._segments.items():
            if segment.utterance_id == utterance_id:
                self._segments[segment_id] = replace(segment, starts=(), cut=cut)

    def due(self, played_sample: int) -> list[Caption]:
        """Return what changed since the last call, now that `played_sample` has been played."""
        out: list[Caption] = []
        for segment_id, segment in list(self._segments.items()):
            heard = segment.heard(played_sample)
            final = segment.cut or heard == len(segment.words)
            if heard > segment.shown or (segment.cut and heard):
                out.append(Caption(segment_id, " ".join(segment.words[:heard]), final))
            if heard > segment.shown:
                self._segments[segment_id] = replace(segment, shown=heard)
            if final:
                del self._segments[segment_id]
                self._finals.append(segment_id)
        return out

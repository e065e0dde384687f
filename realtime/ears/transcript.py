"""Keep a streaming recogniser's words, and find those of a passage of the sound.

Its own turns are not ours: a pause that ends ours may go on inside its turn, or the other way round. So words
are told apart by when they were said, on the stream's clock (seconds of the sound that was sent). Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tts_queue import Recognised

TURNS_KEPT: Final = 32  # of the recogniser's own; one of ours, 20 s at most, has fewer


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """A word and when it was said."""

    text: str
    start_s: float
    end_s: float
    confidence: float  # 0 to 1


@dataclass(frozen=True, slots=True)
class TranscriptNews:
    """What the recogniser says of a turn of its own; all that it said of that turn before is void."""

    turn: int
    until_s: float  # the sound is transcribed up to here
    words: tuple[RecognisedWord, ...]
    over: bool = False  # it takes the turn to be over
    resumed: bool = False  # it did, and the turn goes on


@dataclass(slots=True)
class Transcript:
    """Of one stream, from its first sample."""

    _turns: dict[int, TranscriptNews] = field(default_factory=dict)
    _until_s: float = 0.0
    _over_s: float = -1.0  # the last turn that is over ended here; none: before all

    def take(self, news: TranscriptNews) -> None:
        """Take in what is new."""
        self._turns[news.turn] = news
        self._until_s = max(self._until_s, news.until_s)
        if news.over:
            self._over_s = news.until_s
        elif news.resumed:
            self._over_s = -1.0
        while len(self._turns) > TURNS_KEPT:
            del self._turns[next(iter(self._turns))]

    def settled(self, at_s: float, after_s: float) -> bool:
        """Return whether what was said up to `at_s` will change no more.

        So it is once the recogniser takes the turn to be over there, or has transcribed `after_s` beyond.
        """
        return self._over_s >= at_s or self._until_s >= at_s + after_s

    def between(self, from_s: float, to_s: float) -> Recognised:
        """Return what was said there: a word belongs where its middle is."""
        words = [
            word
            for news in self._turns.values()
            for word in news.words
            if from_s <= (word.start_s + word.end_s) / 2 < to_s
        ]
        if not words:
            return Recognised()
        confidence = sum(word.confidence for word in words) / len(words)
        return Recognised(" ".join(word.text for word in words), round(confidence, 3))

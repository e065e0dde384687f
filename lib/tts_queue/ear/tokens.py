"""Values of the text for the ear: a word with what is said for it, and what is synthesised as one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SegmentBoundary(StrEnum):
    """What ends a segment."""

    SENTENCE = "sentence"
    CLAUSE = "clause"
    COMMA = "comma"


@dataclass(frozen=True, slots=True)
class EarToken:
    """One word as it is read, and what is said for it: none, one or several words.

    `spelled_out`: said sign by sign, as what the rules made of it was not what is written.
    """

    display: str
    spoken: str
    spelled_out: bool = False


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A stretch that is synthesised as one."""

    tokens: tuple[EarToken, ...]
    boundary: SegmentBoundary = SegmentBoundary.SENTENCE

    @property
    def spoken(self) -> str:
        """The words for the engine."""
        return " ".join(token.spoken for token in self.tokens if token.spoken)

    @property
    def display(self) -> str:
        """The words for the page."""
        return " ".join(token.display for token in self.tokens)

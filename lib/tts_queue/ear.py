"""Text for the ear: what is read on the page, word by word, as an engine should say it (thin)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Boundary(StrEnum):
    """What ends a segment."""

    SENTENCE = "sentence"
    CLAUSE = "clause"
    COMMA = "comma"


@dataclass(frozen=True, slots=True)
class EarToken:
    """One word as it is read, and what is said for it (none, one or several words)."""

    display: str
    spoken: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch that is synthesised as one."""

    tokens: tuple[EarToken, ...]
    boundary: Boundary = Boundary.SENTENCE

    @property
    def spoken(self) -> str:
        """The words for the engine."""
        return " ".join(token.spoken for token in self.tokens if token.spoken)

    @property
    def display(self) -> str:
        """The words for the page."""
        return " ".join(token.display for token in self.tokens)


def to_ear(text: str) -> tuple[EarToken, ...]:
    """Return the words of `text`, each with what is said for it."""
    return tuple(EarToken(word, word) for word in text.split())


def segments(text: str) -> tuple[Segment, ...]:
    """Split `text` at the ends of sentences."""
    parts = [part for part in re.split(r"(?<=[.!?;:])\s+", text.strip()) if part]
    return tuple(
        Segment(to_ear(part), Boundary.CLAUSE if part[-1] in ";:" else Boundary.SENTENCE) for part in parts
    )

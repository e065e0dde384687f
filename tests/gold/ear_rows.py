"""The rows of `tests/gold/ear`: what is written, and what may be said for it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lab.yamlfile import read_yaml
from tts_queue.ear import to_ear

HALVES: Final = Path(__file__).parent / "ear"


@dataclass(frozen=True, slots=True)
class Row:
    """A text, and the forms that are right for it."""

    topic: str
    written: str
    right: tuple[str, ...]

    @property
    def said(self) -> str:
        """What is said for it."""
        return " ".join(token.spoken for token in to_ear(self.written) if token.spoken)

    @property
    def met(self) -> bool:
        """Whether what is said is one of the right forms, in words."""
        return words(self.said) in {words(form) for form in self.right}


def rows(half: str) -> Iterator[Row]:
    """Yield the rows of a half, by topic."""
    for path in sorted((HALVES / half).glob("*.yaml")):
        for written, *right in read_yaml(path):
            yield Row(path.stem, written, tuple(right))


def words(said: str) -> tuple[str, ...]:
    """Return what is heard of a text: its words and named letters, without case and pauses."""
    return tuple(re.findall(r"[^\W_]+", said.casefold()))


def main(half: str) -> None:
    """Print how many rows of each topic are met."""
    found = list(rows(half))
    for topic in sorted({row.topic for row in found}):
        mine = [row.met for row in found if row.topic == topic]
        sys.stdout.write(f"{topic:12} {sum(mine):4} of {len(mine)}\n")
    sys.stdout.write(f"{'all':12} {sum(row.met for row in found):4} of {len(found)}\n")


if __name__ == "__main__":
    main(sys.argv[1])

"""Map plain text back to what an agent wrote, although the cleaner folds and cuts it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import Final

MOST_SPANS: Final = 8  # of one source; of separate sentences the first ones are kept
_MOST_RUNS: Final = 64  # runs already read that are kept before all are forgotten

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a unit stands: its agent, the deltas it came from (inclusive) and the last one's time.

    `spans` give the same place in characters of all that the agent wrote, each from the first to after the last; ()
    if unknown. `labels`: the sources that define the numbers and letters in it. Two sources of
    the same deltas are equal, wherever in them their words stand.
    """

    agent_id: str
    first_seq: int
    last_seq: int
    at_s: float
    spans: Spans = field(default=(), compare=False)
    labels: tuple[Source, ...] = field(default=(), compare=False)

    def to(self, other: Source) -> Source:
        """Return both as one, without the words between them; `other` is said later."""
        both = tuple(dict.fromkeys((*self.spans, *other.spans)))[:MOST_SPANS]
        labels = (*self.labels, *other.labels)
        return replace(self, last_seq=other.last_seq, at_s=other.at_s, spans=both, labels=labels)

    def meets(self, other: Source) -> bool:
        """Return whether both share words of one agent; if places are unknown, deltas."""
        if self.agent_id != other.agent_id:
            return False
        if self.spans and other.spans:
            return any(a < d and c < b for a, b in self.spans for c, d in other.spans)
        return self.first_seq <= other.last_seq and other.first_seq <= self.last_seq

    def under(self, heading: Source) -> Source:
        """Return this source with the heading that it stands under."""
        both = tuple(dict.fromkeys((*heading.spans, *self.spans)))[:MOST_SPANS]
        return replace(self, first_seq=min(heading.first_seq, self.first_seq), spans=both)

    def beside(self, header: Source | None) -> Source:
        """Return this source with the words of a table's header, which belong to each of its rows."""
        return self if header is None else replace(self, spans=(*header.spans, *self.spans))

    def through(self, other: Source) -> Source:
        """Return everything from the beginning of this source to the end of `other`."""
        spans = (*self.spans, *other.spans)
        whole = ((min(start for start, _ in spans), max(end for _, end in spans)),) if spans else ()
        labels = (*self.labels, *other.labels)
        return replace(self, last_seq=other.last_seq, at_s=other.at_s, spans=whole, labels=labels)


class Places:
    """One agent's text in runs of unchanged characters, each with the place where it was written.

    `taken` counts the characters that the agent wrote, `made` those of the plain text made of them.
    """

    def __init__(self) -> None:
        self.taken = 0
        self.made = 0
        self._made_at = [0]
        self._taken_at = [0]

    def add(self, chars: int, at: int) -> None:
        """Note that the next `chars` characters of plain text were written from `at` on."""
        if self._taken_at[-1] + self.made - self._made_at[-1] != at:
            if self._made_at[-1] == self.made:
                self._taken_at[-1] = at
            else:
                self._made_at.append(self.made)
                self._taken_at.append(at)
        self.made += chars

    def take_back(self, chars: int) -> None:
        """Forget the last `chars` characters of plain text, which nobody reads."""
        self.made -= chars
        while len(self._made_at) > 1 and self._made_at[-1] > self.made:
            self._made_at.pop()
            self._taken_at.pop()

    def find(self, start: int, end: int) -> tuple[int, int]:
        """Return where plain text from `start` to `end` was written."""
        return self._at(start), self._at(max(start, end - 1)) + 1

    def forget(self, made: int) -> None:
        """Forget what lies before `made` characters of plain text, for which nobody will ask again."""
        gone = bisect_right(self._made_at, made) - 1
        if gone >= _MOST_RUNS:
            del self._made_at[:gone], self._taken_at[:gone]

    def _at(self, made: int) -> int:
        run = max(0, bisect_right(self._made_at, made) - 1)
        at = self._taken_at[run] + made - self._made_at[run]
        if run + 1 < len(self._taken_at) and self._taken_at[run + 1] > self._taken_at[run]:
            return min(at, self._taken_at[run + 1] - 1)  # one written character became several
        return at

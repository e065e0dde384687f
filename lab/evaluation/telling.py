"""What was told of one recorded case, by whom ever, in the form in which it is measured."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from agents.recorded import Trace
from agents.recorded.records import Delta

Window = tuple[int, int]  # the trace's own sequence numbers, both inclusive


@dataclass(frozen=True)
class Source:
    """The reasoning that was told: content deltas of one trace, in order."""

    case_id: str
    seqs: tuple[int, ...]
    texts: tuple[str, ...]
    at_s: tuple[float, ...]  # since the first delta of the trace

    @classmethod
    def of(cls, trace: Trace) -> Source:
        """Return the content of a trace."""
        deltas = [each for each in trace.content_records if isinstance(each, Delta)]
        return cls(
            trace.case_id,
            tuple(each.seq for each in deltas),
            tuple(each.text for each in deltas),
            tuple(each.t_rel_ms / 1000 for each in deltas),
        )

    @cached_property
    def chars(self) -> int:
        """Characters of the whole content."""
        return sum(map(len, self.texts))

    @property
    def ends_s(self) -> float:
        """When the last content came."""
        return max(self.at_s)

    def text(self, window: Window) -> str:
        """Return the content between two sequence numbers, joined with nothing."""
        first, last = window
        return "".join(self.texts[bisect_left(self.seqs, first) : bisect_right(self.seqs, last)])

    def outside(self, windows: Sequence[Window]) -> int:
        """Return how many characters lie in none of the windows."""
        inside: set[int] = set()
        for first, last in windows:
            inside.update(range(bisect_left(self.seqs, first), bisect_right(self.seqs, last)))
        return self.chars - sum(len(self.texts[at]) for at in inside)


@dataclass(frozen=True, slots=True)
class Told:
    """One summary.

    `text` is its five fields without the agents' contributions, joined by blanks; `whole` has these too, and
    `spoken` what it gives the voice. `latest` is the place in the telling of the summary that its writer was
    shown as the latest, None for none. `valid` is what the run log calls schema_ok.
    """

    made_s: float  # since the first delta
    window: Window
    text: str
    whole: str
    spoken: tuple[str, ...] = ()
    latest: int | None = None
    valid: bool = True
    closing: bool = False


@dataclass(frozen=True, slots=True)
class Released:
    """A piece of text that was given to the judge: its window, when, and the time that the answer took.

    `judge_s` is until the verdict, `summary_s` from there to the summary; 0 where the verdict was to wait.
    """

    window: Window
    at_s: float
    judge_s: float
    summary_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Telling:
    """A whole case as one system told it."""

    source: Source
    told: tuple[Told, ...]
    released: tuple[Released, ...]

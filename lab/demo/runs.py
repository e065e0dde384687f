"""What of the speech was to be heard: stretches of the sent track, from the `segment` messages. Pure.

A clause that is held comes again, with the same index, from the word at which it goes on; so one clause is
one run or several. All samples are of the session's clock, which is that of the recording of what was sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lab.demo.account import Stretch

RATE_HZ: Final = 48_000
SILENCE_S: Final = 0.06  # exact zeros for so long are a hold: inside a clause the voice has none over 20 ms
NEAR_S: Final = 0.02  # a word is whole if so much of its end is missing: a hold fades over 5 ms
SURE_S: Final = (
    0.1  # and surely heard if it ended so long before: the ear's place is known to 100 ms (protocol)
)

Pcm = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is read, and when it was to sound."""

    text: str
    start_sample: int
    end_sample: int


@dataclass(frozen=True, slots=True)
class Run:
    """A clause, or the rest of one, as it was begun; `until` is where its sound ended, or was to end."""

    utterance_id: str
    index: int
    start_sample: int
    until: int
    words: tuple[Word, ...]
    whole: bool  # nothing broke in

    @property
    def heard_words(self) -> tuple[Word, ...]:
        """Return the words that sounded to their ends."""
        last = self.until + round(NEAR_S * RATE_HZ)
        return tuple(word for word in self.words if word.end_sample <= last)

    @property
    def surely_heard(self) -> int:
        """Return how many words ended so long before the sound did that they need not come again."""
        return sum(word.end_sample <= self.until - round(SURE_S * RATE_HZ) for word in self.words)


@dataclass(frozen=True, slots=True)
class Joint:
    """A run that was broken, and how it was gone on with. `again`: words surely heard that came again."""

    before: Run
    after: Run | None  # the next of the same clause
    again: tuple[str, ...]
    lost: tuple[str, ...]


def runs(bodies: Iterable[dict[str, Any]], sent: Pcm) -> list[Run]:
    """Return the runs that were told of, in order; the same one told twice counts once."""
    told = {(body["utterance_id"], body["start_sample"]): body for body in bodies}
    ordered = sorted(told.values(), key=lambda body: int(body["start_sample"]))
    starts = [int(body["start_sample"]) for body in ordered] + [sent.size]
    return [_run(body, following, sent) for body, following in zip(ordered, starts[1:], strict=True)]


def _run(body: dict[str, Any], following: int, sent: Pcm) -> Run:
    start = int(body["start_sample"])
    planned = min(start + int(body["samples"]), sent.size)
    until = start + _silent_from(sent[start : min(planned, following)])
    words = tuple(Word(w["text"], w["start_sample"], w["end_sample"]) for w in body["words"])
    return Run(body["utterance_id"], body["index"], start, until, words, whole=until >= planned)


def _silent_from(pcm: Pcm) -> int:
    """Return where a silence of exact zeros begins, or the length."""
    least = round(SILENCE_S * RATE_HZ)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], pcm == 0, [False])).astype(np.int8)))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if end - start >= least:
            return int(start)
    return int(pcm.size)


def joints(of: Sequence[Run]) -> list[Joint]:
    """Return where runs of one utterance were broken, in order."""
    found = []
    for at, run in enumerate(of):
        after = _again(run, of[at + 1 :])
        if after is None and run.whole:
            continue
        sounded = len(run.heard_words)
        resumed = len(run.words) - len(after.words) - _inside_a_word(after) if after else len(run.words)
        again = tuple(word.text for word in run.words[max(0, resumed) : run.surely_heard]) if after else ()
        lost = tuple(word.text for word in run.words[sounded : max(0, resumed)])
        found.append(Joint(run, after, again, lost))
    return found


def to_be_heard(of: Sequence[Run]) -> list[Stretch]:
    """Return what must have been heard of one utterance's runs: each run up to where it was gone on with."""
    stretches = []
    for at, run in enumerate(of):
        after = _again(run, of[at + 1 :])
        end = run.until if after is None else min(run.until, _resumed_at(run, after))
        if end > run.start_sample:
            stretches.append(Stretch(run.utterance_id, run.index, run.start_sample, end - run.start_sample))
    return stretches


def _again(run: Run, later: Iterable[Run]) -> Run | None:
    same = (each for each in later if (each.utterance_id, each.index) == (run.utterance_id, run.index))
    return next(same, None)


def _inside_a_word(run: Run) -> bool:
    """Return whether a run goes on with the rest of a word, which is not among its words."""
    return bool(run.words) and run.words[0].start_sample - run.start_sample > NEAR_S * RATE_HZ


def _resumed_at(run: Run, after: Run) -> int:
    """Return the sample of `run` at which `after` goes on: before its first word it may have half of one."""
    resumed = len(run.words) - len(after.words)
    if resumed < 0 or not after.words:
        return run.start_sample
    return run.words[resumed].start_sample - (after.words[0].start_sample - after.start_sample)

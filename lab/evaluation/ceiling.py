"""What could a perfect voice tell of the written discussions? A bound for the figures of `habits`.

    python -m lab.evaluation.ceiling            # each split, and all

The perfect voice knows the list of key points beforehand and says nothing else: no greeting, no alarm twice, no end.
It speaks as long as the usual voice would, one point after the other, in the best order there is (found exactly), and
of points that it can't all say it leaves out those that cost most. Three wordings bound what is possible:

* `bare`: of each group of words one, so that the whole is shortest; a word may stand for two groups. Nobody would
  understand it.
* `quoted`: the fewest words of the turn, as they stand one after the other, that the ruler accepts, behind a speaker's
  name. Mostly a scrap of a sentence: no excerpt is shorter.
* `plain`: the point as the author of the list put it, a sentence that stands alone.

Three measures of quiet: none; at most half of any minute is speech (30 s of the first, as the budget has it); and
after each sentence a silence as long as itself, which is what half of any minute comes to in a long case.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.shares import Share
from lab.evaluation.aloud import CHAR_S, CLAUSE_S
from lab.evaluation.discussions import WORDS_PER_S
from lab.evaluation.habits import SPENT, WITHIN_S, KeyPoint, files, load
from lab.evaluation.labelled import SPLITS as LABELLED
from lab.evaluation.labelled import Labelled, own

PAUSE_S: Final = 0.4  # between two sentences, as the usual prosody has it
AFTER_S: Final = 20.0  # what is still read once the agents have finished: docs/decisions/033
MINUTE_S: Final = 60.0
HALF: Final = 0.5
SIX: Final = {
    "prohibition": ("prohibition", "allergy"),
    "correction": ("correction",),
    "deciding result": ("confirmed", "excluded"),
    "critical value": ("value",),
    "emergency measure": ("emergency",),
    "stated consensus": ("decision", "agreement"),
}
"""The six kinds that go first, and the kinds of label that are one of them where the label presses."""

NAMED: Final = "Doctor One: "  # the usual length of a speaker's name
MOST_WORDS: Final = 40  # of an excerpt
Wording = Callable[[KeyPoint, str], str]  # of a point, and of the turn that states it
Times = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Job:
    """Something to say: from when, until when it must have begun, and how long it takes, in seconds."""

    from_s: float
    until_s: float
    lasts_s: float


@dataclass(frozen=True, slots=True)
class Quiet:
    """How much of the time is silence: the most speech in all, and the silence after a sentence per its length."""

    name: str
    most_s: float = float("inf")
    after_each: float = 0.0


NONE: Final = Quiet("no bound")
HALF_MINUTE: Final = Quiet("half of a minute", most_s=HALF * MINUTE_S)
HALF_OF_ALL: Final = Quiet("half of all time", after_each=1.0)
QUIET: Final = (NONE, HALF_MINUTE, HALF_OF_ALL)


def bare(point: KeyPoint, _: str = "") -> str:
    """Return the fewest letters that count as telling the point: of each group one word, one in another left out."""
    return min(map(_joined, product(*point.any_of)), key=len)


def _joined(words: Iterable[str]) -> str:
    kept: list[str] = []
    for word in sorted(set(words), key=len, reverse=True):
        if not any(word.lower() in other.lower() for other in kept):
            kept.append(word)
    return " ".join(kept)


def plain(point: KeyPoint, _: str = "") -> str:
    """Return the point as a sentence that stands alone, as the author of the list put it."""
    return point.text


def quoted(point: KeyPoint, turn: str) -> str:
    """Return the fewest words of the turn that tell the point, with a speaker; as a sentence if none do."""
    words = turn.split()
    for length in range(1, MOST_WORDS + 1):
        for at in range(len(words) - length + 1):
            if point.met_by(excerpt := " ".join(words[at : at + length])):
                return f"{NAMED}{excerpt}"
    return point.text


WORDINGS: Final[dict[str, Wording]] = {"bare": bare, "quoted": quoted, "plain": plain}


def lasts_s(text: str) -> float:
    """Return how long the voice takes for `text`."""
    return CLAUSE_S + CHAR_S * len(text)


def most(jobs: Sequence[Job], quiet: Quiet = NONE) -> int:
    """Return how many of up to twenty jobs one voice can begin in time, in the best order.

    For each set of jobs, smallest sets first, the earliest time is kept at which all of it can be said: no
    order is better that ends later.
    """
    if len(jobs) > 20:
        raise ValueError("for more than twenty jobs ask most_in_order")
    n = len(jobs)
    sets = np.arange(1 << n)
    sizes = np.array([int(each).bit_count() for each in sets])
    free = np.full(1 << n, np.inf)
    free[0] = 0.0
    for size in range(n):
        layer = sets[(sizes == size) & np.isfinite(free)]
        for at, job in enumerate(jobs):
            before = layer[(layer >> at) & 1 == 0]
            start = np.maximum(free[before], job.from_s)
            before, start = before[start <= job.until_s], start[start <= job.until_s]
            then = before | (1 << at)
            busy_s = job.lasts_s * (1 + quiet.after_each) + PAUSE_S
            free[then] = np.minimum(free[then], start + busy_s)
    speech_s = sum(((sets >> at) & 1) * job.lasts_s for at, job in enumerate(jobs))
    can = np.isfinite(free) & (speech_s <= quiet.most_s)
    return int(sizes[can].max(initial=0))


def most_in_order(jobs: Sequence[Job]) -> int:
    """Return how many jobs one voice can begin in time if it keeps to the order in which they came."""
    free = [0.0]  # by how many were said, the earliest end of the last
    for job in sorted(jobs, key=lambda each: each.from_s):
        said = [max(each, job.from_s) for each in free]
        ends = [each + job.lasts_s + PAUSE_S if each <= job.until_s else float("inf") for each in said]
        free = [min(pair) for pair in zip([*free, float("inf")], [float("inf"), *ends], strict=True)]
    return max(count for count, end in enumerate(free) if np.isfinite(end))


def jobs_of(points: Iterable[KeyPoint], said: Mapping[int, str], ends_s: float | None = None) -> list[Job]:
    """Return the points as jobs; `said` is the wording of each by its id, `ends_s` when the agents finish.

    Without an end each has to begin within 8 s of its words, else before the voice falls silent.
    """
    return [
        Job(
            each.at_s,
            each.at_s + WITHIN_S if ends_s is None else ends_s + AFTER_S,
            lasts_s(said[id(each)]),
        )
        for each in points
    ]


@dataclass(frozen=True, slots=True)
class Row:
    """How many of the points of a measure could be told, and how many there are."""

    measure: str
    wording: str
    quiet: str
    hits: int
    n: int

    def line(self) -> str:
        """Return it as a line of a table."""
        share = Share(self.hits, self.n)
        return f"{self.measure:28} {self.wording:6} {self.quiet:18} {share.row()}"


def rows(paths: Sequence[Path]) -> list[Row]:
    """Return what could be told of these discussions. Raises: NotADiscussion, OSError, KeyError."""
    hits: dict[tuple[str, str, str], list[int]] = {}
    for path in paths:
        discussion, points, _ = load(path)
        ends_s = sum(len(text.split()) for _, text in discussion.turns) / WORDS_PER_S
        pressing = [each for each in points if each.presses is not None]
        for name, wording in WORDINGS.items():
            said = {id(each): wording(each, discussion.turns[each.turn - 1][1]) for each in points}
            measured = {
                "key points within 8 s": jobs_of(points, said),
                "key points ever": jobs_of(points, said, ends_s),
                "what presses, within 8 s": jobs_of(pressing, said),
                "what presses, ever": jobs_of(pressing, said, ends_s),
            }
            for measure, jobs in measured.items():
                for quiet in QUIET:
                    found = hits.setdefault((measure, name, quiet.name), [0, 0])
                    found[0] += most(jobs, quiet)
                    found[1] += len(jobs)
    return [Row(*key, *found) for key, found in hits.items()]


def labelled_rows(labelled: Sequence[Labelled]) -> list[Row]:
    """Return what could be told in time of what is labelled as pressing, in order, said whole: all, and the six."""
    six = {kind for kinds in SIX.values() for kind in kinds}
    found = {"labelled pressing": [0, 0], "… of the six first kinds": [0, 0]}
    for each in labelled:
        pressing = [label for label in each.labels if label.presses]
        for name, chosen in zip(found, (pressing, [at for at in pressing if at.kind in six]), strict=True):
            jobs = [_said_whole(each, label.turn, label.end, label.text) for label in chosen]
            found[name][0] += most_in_order(jobs)
            found[name][1] += len(jobs)
    return [Row(name, "whole", NONE.name, *hits) for name, hits in found.items()]


def _said_whole(labelled: Labelled, turn: int, end: int, text: str) -> Job:
    before = sum(len(each.split()) for _, each in labelled.discussion.turns[:turn])
    at_s = (before + len(labelled.discussion.turns[turn][1][:end].split())) / WORDS_PER_S
    return Job(at_s, at_s + WITHIN_S, lasts_s(text))


def main() -> int:
    """Print what could be told at best, by split and of all."""
    every = {split: files(split) for split in SPENT}
    for name, paths in {**every, "all": [path for each in every.values() for path in each]}.items():
        sys.stdout.write(f"== {name}: {len(paths)} discussions\n")
        sys.stdout.writelines(f"{row.line()}\n" for row in rows(paths))
    labelled = [each for split in LABELLED for each in own(split)]
    sys.stdout.write(f"== labelled sentences: {len(labelled)} discussions\n")
    sys.stdout.writelines(f"{row.line()}\n" for row in labelled_rows(labelled))
    return 0


if __name__ == "__main__":
    sys.exit(main())

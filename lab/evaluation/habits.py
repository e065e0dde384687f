"""Written discussions with what is true of them, split by habit: what is told of them, and is it right?

A habit is a way in which teams write (registrars' chat, a panel in JSON, SOAP notes …). Its discussions lie
in `tests/gold/discussions/<split>/`, each beside a `.gold.json`: its key points with the words that state
them, its right ending, and false sentences that it tempts to. The split is by habit: `tune` may be looked at
and mended by, `develop` is measured only, `sealed` was opened once. Truth of what was spoken is judged by
hand; `python -m lab.evaluation.habits SPLIT --spoken` prints it. A new split is named in `SEALED`, and moves to
`SPENT` when it was opened.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any, Final

from agents.recorded import Trace
from agents.shares import Share
from exaim_core.readings.port import SegmentReader
from lab.bench.playing import play
from lab.evaluation.aloud import EvenVoice, Said, said_of
from lab.evaluation.discussions import WORDS_PER_S, Discussion, read, trace
from lab.evaluation.endings import Ending
from lab.evaluation.points import ROUNDED_S, Terms, met

FOLDER: Final = Path("tests/gold/discussions")
SPENT: Final = (
    "tune",
    "develop",
    "sealed",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twentyfirst",
    "twentysecond",
    "twentythird",
    "twentyfourth",
    "twentyfifth",
    "twentysixth",
    "twentyseventh",
    "twentyeighth",
    "twentyninth",
    "thirtieth",
    "thirtyfirst",
    "thirtysecond",
    "thirtythird",
    "thirtyfourth",
)
"""Opened before. Whatever plays all there are, or prints of them, takes these."""
SEALED: Final[tuple[str, ...]] = ()
"""Opened once, for the figure that counts, and only by name: here until then."""
SPLITS: Final = SPENT + SEALED
WITHIN_S: Final = 8.0  # from the end of the words that state it to the first sound of what tells it


@dataclass(frozen=True, slots=True)
class KeyPoint:
    """Something that a listening clinician should learn, and when the words that state it begin and end (s).

    What was begun before them tells something else, though it may have its terms.
    """

    text: str
    at_s: float
    any_of: Terms
    presses: str | None
    turn: int = 1  # in which it was stated, from 1
    from_s: float = 0.0

    def met_by(self, text: str) -> bool:
        """Return whether each of its groups has a word in `text`."""
        return met(self.any_of, text)

    def told_by(self, text: str, at_s: float, within_s: float = inf) -> bool:
        """Return whether `text`, begun at `at_s`, tells it: no sooner than it is stated, and within so many seconds."""
        return self.from_s - ROUNDED_S <= at_s <= self.at_s + within_s and self.met_by(text)


@dataclass(frozen=True, slots=True)
class Scored:
    """One discussion: which of its points are in the fields, were spoken, and in time."""

    name: str
    points: tuple[KeyPoint, ...]
    in_fields: tuple[bool, ...]
    spoken: tuple[bool, ...]
    in_time: tuple[bool, ...]
    ending: str
    said: tuple[Said, ...]
    compression: float
    longest_silence_s: float


def load(path: Path) -> tuple[Discussion, tuple[KeyPoint, ...], Ending]:
    """Read a discussion and what is true of it. Raises: NotADiscussion, OSError, KeyError."""
    discussion = read(path)
    gold = json.loads(path.with_suffix(".gold.json").read_text(encoding="utf-8"))
    points = tuple(_point(discussion, each) for each in gold["points"])
    closing = gold["closing"]
    return discussion, points, Ending(closing["kind"], tuple(closing["is"]), tuple(closing["not"]))


def _point(discussion: Discussion, point: dict[str, Any]) -> KeyPoint:
    before = sum(len(text.split()) for _, text in discussion.turns[: point["turn"] - 1])
    text = discussion.turns[point["turn"] - 1][1]
    begins = text.index(point["quote"])
    from_s, at_s = (
        (before + len(text[:at].split())) / WORDS_PER_S for at in (begins, begins + len(point["quote"]))
    )
    groups = tuple(tuple(group) for group in point["any"])
    return KeyPoint(point["point"], at_s, groups, point["presses"], point["turn"], from_s)


def scored(path: Path, reader: SegmentReader | None = None) -> Scored:
    """Play a discussion and score what is told of it, with a reader or by rules.

    Raises: TimeoutError: it does not end.
    """
    discussion, points, ending = load(path)
    played_trace = trace(discussion)
    played = play(played_trace, str(discussion.header["title"]), None, EvenVoice(), reader)
    said = said_of(played)
    summaries = [" ".join(update.summary.model_dump().values()) for update in played.updates.values()]
    begun = [(each.told or each.text, each.begun_s) for each in said if each.begun_s is not None]
    return Scored(
        discussion.name,
        points,
        tuple(any(point.met_by(text) for text in summaries) for point in points),
        tuple(any(point.told_by(text, at_s) for text, at_s in begun) for point in points),
        tuple(any(point.told_by(text, at_s, WITHIN_S) for text, at_s in begun) for point in points),
        ending.judged(closing_of(said)),
        said,
        1 - sum(map(len, summaries)) / sum(len(text) for _, text in discussion.turns),
        _silence(played_trace, said),
    )


def closing_of(said: Iterable[Said]) -> str:
    """Return the closing that was begun, "" for none."""
    return next((each.text for each in said if each.kind == "closing" and each.begun_s is not None), "")


def _silence(played: Trace, said: Sequence[Said]) -> float:
    """Return the longest time between two beginnings while the agents spoke, in seconds."""
    begun = sorted(each.begun_s for each in said if each.begun_s is not None)
    marks = [0.0, *(at_s for at_s in begun if at_s < played.duration_s), played.duration_s]
    return max(later - earlier for earlier, later in pairwise(marks))


def files(split: str, folder: Path = FOLDER) -> list[Path]:
    """Return the discussions of a split, by name."""
    return sorted((folder / split).glob("*.jsonl"))


def data_hash(paths: Iterable[Path]) -> str:
    """Return twelve digits that stand for the texts and their gold."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes() + path.with_suffix(".gold.json").read_bytes())
    return digest.hexdigest()[:12]


def table(results: Sequence[Scored]) -> dict[str, tuple[int, int]]:
    """Return hits and counts by the name of the measure."""
    points = [
        (fields, spoken, in_time, point.presses)
        for each in results
        for point, fields, spoken, in_time in zip(
            each.points, each.in_fields, each.spoken, each.in_time, strict=True
        )
    ]
    pressing = [each for each in points if each[3] is not None]
    return {
        "key points in the fields": (sum(each[0] for each in points), len(points)),
        "key points ever spoken": (sum(each[1] for each in points), len(points)),
        "key points spoken within 8 s": (sum(each[2] for each in points), len(points)),
        "what presses, spoken": (sum(each[1] for each in pressing), len(pressing)),
        "what presses, within 8 s": (sum(each[2] for each in pressing), len(pressing)),
        "endings right": (sum(each.ending == "right" for each in results), len(results)),
        "endings right or openly unread": (
            sum(each.ending in ("right", "unread") for each in results),
            len(results),
        ),
        "endings beside": (sum(each.ending == "beside" for each in results), len(results)),
        "endings wrong": (sum(each.ending == "wrong" for each in results), len(results)),
        "endings untold": (sum(each.ending == "untold" for each in results), len(results)),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Score a split, and print its table; with --spoken what was said, with --missed what was not."""
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.habits", description=main.__doc__)
    parser.add_argument("split", choices=SPLITS)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--only", default="", help="names that begin so")
    parser.add_argument("--spoken", action="store_true")
    parser.add_argument("--missed", action="store_true")
    options = parser.parse_args(argv)
    paths = [path for path in files(options.split, options.folder) if path.stem.startswith(options.only)]
    results = [scored(path) for path in paths]
    for each in results:
        _show(each, spoken=options.spoken, missed=options.missed)
    for name, (hits, n) in table(results).items():
        sys.stdout.write(f"{name:32} {Share(hits, n).row()}\n")
    compression = sum(each.compression for each in results) / max(1, len(results))
    silence = max((each.longest_silence_s for each in results), default=0.0)
    sys.stdout.write(
        f"length of six fields saved {compression:.2f}, longest between two beginnings {silence:.0f} s, "
        f"data {data_hash(paths)}\n"
    )
    return 0


def _show(result: Scored, *, spoken: bool, missed: bool) -> None:
    out = sys.stdout.write
    out(f"== {result.name}: ending {result.ending}, {sum(result.in_fields)}/{sum(result.spoken)}/")
    out(f"{sum(result.in_time)} of {len(result.points)} in fields, spoken, in time\n")
    for said in result.said if spoken else ():
        begun = f"{said.begun_s:6.1f}" if said.begun_s is not None else "  not "
        out(f"{said.offered_s:6.1f} {begun} {said.kind:12} {said.told or said.text}\n")
    for point, fields, heard in zip(result.points, result.in_fields, result.spoken, strict=True):
        if missed and not heard:
            out(f"   missed{'' if fields else ' everywhere'} ({point.presses or '-'}): {point.text}\n")


if __name__ == "__main__":
    sys.exit(main())

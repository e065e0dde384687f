"""Is what the engine reads right? Its claims and items beside labels of each sentence (docs/labels.md).

    python -m lab.evaluation.labels            # tables by split; --styles: by style; --misread FORM: what is wrong
    python -m lab.evaluation.labels --json out/labels.json

A form is a kind of claim; which labels make it right stands in `label_kinds`. `tune` may be looked at and
mended by, `develop` is of other styles, and public discussions are measured where their texts are present:
so each figure stands for styles that were left out as well.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from agents.shares import wilson
from lab.evaluation.habits import FOLDER
from lab.evaluation.label_keep import CLASSES, lost
from lab.evaluation.label_kinds import FORMS, RECALLED, fault, form_of
from lab.evaluation.label_play import Played, Read, played
from lab.evaluation.labelled import CORPORA, LABELS, PUBLIC, SPLITS, Labelled, own, public

READ: Final = "precision of what is read"
TOLD: Final = "precision of what is told"
FOUND: Final = "recall, read"
HEARD: Final = "recall, told"
PRESSED: Final = "labelled pressing, told as pressing"
IDLY: Final = "told as pressing, not so labelled"
LOST: Final = "words lost in what was told"
MEASURES: Final = (READ, TOLD, FOUND, HEARD, PRESSED, IDLY, LOST)
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Mark:
    """One claim, sentence, item or word: what it counts for, and whether it counts as a hit."""

    measure: str
    of: str
    split: str
    style: str
    hit: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """A share with its 95 % interval; `split` and `style` may be "all"."""

    measure: str
    of: str
    split: str
    style: str
    hits: int
    n: int
    low: float
    high: float

    def text(self) -> str:
        """Return the figure as a table shows it."""
        if not self.n:
            return "–"
        return (
            f"{self.hits} of {self.n} ({self.hits / self.n:.0%}, {self.low:.0%}–{self.high:.0%})".replace(
                "%, ", " %, "
            )
            .replace("%–", "–")
            .replace("%)", ")")
        )


def marks(result: Played) -> Iterator[Mark]:
    """Yield what a played discussion counts for."""
    split, style = result.labelled.split, result.labelled.style
    for measure, of, hit in (*_precision(result), *_recall(result), *_pressing(result), *_losses(result)):
        yield Mark(measure, of, split, style, hit)


def is_right(read: Read) -> bool:
    """Tell whether a claim says of its sentence what the sentence does."""
    return read.label is not None and fault(read.claim, read.label) is None


def _precision(result: Played) -> Iterator[tuple[str, str, bool]]:
    for read in result.reads:
        yield READ, form_of(read.claim), is_right(read)
        if read.told:
            yield TOLD, form_of(read.claim), is_right(read)


def _recall(result: Played) -> Iterator[tuple[str, str, bool]]:
    right = [read for read in result.reads if is_right(read)]
    known = {read.label for read in right}
    told = {read.label for read in right if read.told}
    for label in result.labelled.labels:
        if label.kind in RECALLED and label.subject == "patient":
            yield FOUND, label.kind, label in known
            yield HEARD, label.kind, label in told


def _pressing(result: Played) -> Iterator[tuple[str, str, bool]]:
    pressing = [item for item in result.items if item.presses]
    told = {label for item in pressing for label in item.tells}
    for label in result.labelled.labels:
        if label.presses:
            yield PRESSED, label.kind, label in told
    for item in pressing:
        yield IDLY, str(item.item.kind), not any(label.presses for label in item.tells)


def _losses(result: Played) -> Iterator[tuple[str, str, bool]]:
    for item in result.items:
        if item.nearest is not None:
            for of, missing in lost(item.nearest.keep, item.item.text):
                yield LOST, of, missing


def figures(found: Iterable[Mark]) -> list[Figure]:
    """Return the shares by form and in total, by split, by style and over all."""
    hits: Counter[tuple[str, str, str, str]] = Counter()
    n: Counter[tuple[str, str, str, str]] = Counter()
    for mark in found:
        for of in (mark.of, ALL):
            for where in ((mark.split, ALL), (mark.split, mark.style), (ALL, ALL)):
                n[mark.measure, of, *where] += 1
                hits[mark.measure, of, *where] += mark.hit
    return [Figure(*key, hits[key], of, *wilson(hits[key], of)) for key, of in sorted(n.items())]


def figure(
    found: Sequence[Figure], measure: str, of: str = ALL, split: str = ALL, style: str = ALL
) -> Figure:
    """Return one figure; an empty one if nothing counted for it."""
    asked = (measure, of, split, style)
    there = (each for each in found if (each.measure, each.of, each.split, each.style) == asked)
    return next(there, Figure(*asked, 0, 0, 0.0, 1.0))


def play_all(discussions: Iterable[Labelled]) -> list[Played]:
    """Play discussions one by one."""
    return [asyncio.run(played(each)) for each in discussions]


def data_hash() -> str:
    """Return twelve digits that stand for the labels and the texts of our own."""
    digest = hashlib.sha256()
    texts = (path for split in SPLITS for path in (FOLDER / split).glob("*.jsonl"))
    for path in sorted((*LABELS.rglob("*.jsonl"), *texts)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def commit() -> str:
    """Return the commit that is checked out, with "+" if a file that git tracks was changed since."""
    git = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(git, capture_output=True, text=True, check=True, timeout=30).stdout.strip()


def markdown(found: Sequence[Figure], columns: Sequence[tuple[str, str]]) -> str:
    """Return a table of all figures, a row each measure and form; `columns` are (split, style)."""
    names = [style if style != ALL else split for split, style in columns]
    lines = [("figure", *names), ("---",) * (len(columns) + 1)]
    for measure in MEASURES:
        forms = [of for of in (ALL, *_known(measure)) if figure(found, measure, of).n]
        for of in forms:
            cells = [figure(found, measure, of, *column).text() for column in columns]
            lines.append((f"**{measure}**" if of == ALL else of, *cells))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _known(measure: str) -> Iterable[str]:
    if measure in (READ, TOLD):
        return FORMS
    if measure == LOST:
        return CLASSES
    return RECALLED if measure in (FOUND, HEARD, PRESSED) else ()


def weak(found: Sequence[Figure], split: str = "develop", least: float = 0.8) -> list[Figure]:
    """Return the forms that are told whose precision may lie below `least`, by their lower bound."""
    every = [figure(found, TOLD, of, split) for of in FORMS]
    return sorted((each for each in every if each.n and each.low < least), key=lambda each: each.low)


def misread(results: Iterable[Played], form: str) -> Iterator[str]:
    """Yield the misreadings of a form in our own discussions: where, what is wrong, label, claim."""
    for result in results:
        for read in result.reads:
            if result.labelled.split == PUBLIC or form_of(read.claim) != form or is_right(read):
                continue
            name = f"{result.labelled.discussion.name}{', told' if read.told else ''}"
            if (label := read.label) is None:
                yield f"{name}: no sentence: {read.claim.text}"
            else:
                what = f"{label.kind}, {label.stance}, {label.subject}"
                yield f"{name} ({fault(read.claim, label)}; {what}): {read.claim.text}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures on labelled sentences, and write them with --json."""
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.labels", description=main.__doc__)
    parser.add_argument("--styles", action="store_true", help="a column each style")
    parser.add_argument("--misread", metavar="FORM", help="print what is misread by this form")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="where public discussions lie")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(argv)
    away = list(public(options.corpora))
    if not away:
        sys.stdout.write(f"No public discussions in {options.corpora}: their labels are left out.\n")
    results = play_all([*(each for split in SPLITS for each in own(split)), *away])
    if options.misread:
        sys.stdout.writelines(f"{line}\n" for line in misread(results, options.misread))
        return 0
    found = figures(mark for result in results for mark in marks(result))
    _print(found, results, styles=options.styles)
    if options.json:
        _write(options.json, found)
    return 0


def _print(found: Sequence[Figure], results: Sequence[Played], *, styles: bool) -> None:
    splits = list(dict.fromkeys(each.labelled.split for each in results))
    by_style = dict.fromkeys((each.labelled.split, each.labelled.style) for each in results)
    columns = [*by_style] if styles else [(split, ALL) for split in splits]
    sys.stdout.write(f"Commit {commit()}, data {data_hash()}, {datetime.now(UTC):%d %B %Y}\n\n")
    sys.stdout.write(markdown(found, columns) + "\n\nTold, lower bound on develop below .8:\n")
    sys.stdout.writelines(f"- {each.of}: {each.text()}\n" for each in weak(found))


def _write(path: Path, found: Sequence[Figure]) -> None:
    names = ("measure", "of", "split", "style", "hits", "n", "low", "high")
    shares: list[dict[str, Any]] = [{name: getattr(each, name) for name in names} for each in found]
    made = {
        "commit": commit(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "data": data_hash(),
        "figures": shares,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

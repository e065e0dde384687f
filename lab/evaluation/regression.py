"""What does a change of the engine change? Every spent discussion by the engine alone, held against a saved run.

    python -m lab.evaluation.regression --save out/before.json       # before the change: minutes on one core
    python -m lab.evaluation.regression --against out/before.json    # after it: the figures, and all that differs

The written discussions, the shipped cases and, with `--traces`, recorded ones are played without a voice. Kept of each
are its items, the fields of its updates and its ending; of a written one also which key points stand in the fields and
are offered. These sets are spent, and a sealed one is refused: a regression and no evidence (docs/decisions/089).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final

from agents.recorded import Trace, load_trace
from exaim_core import CasePaper, Update
from lab.evaluation import engine
from lab.evaluation.discussions import trace
from lab.evaluation.habits import SPENT, KeyPoint, files, load
from lab.evaluation.material import Material

CASES: Final = Path("cases")
FIGURES: Final = (
    "points",
    "in fields",
    "offered",
    "presses",
    "presses, offered",
    "right",
    "unread",
    "beside",
    "wrong",
    "untold",
)
Told = dict[str, Any]  # of one source: "lines" as they were told, and its figures
Run = Mapping[str, Told]  # by the source's name


def played(splits: Sequence[str], traces: Path | None, *, cases: bool = True) -> Iterator[tuple[str, Told]]:
    """Play the written discussions of the splits, the shipped cases if asked, and the traces of a folder.

    Raises: OSError, NotADiscussion, KeyError: a source is not there or not whole.
    """
    for split in splits:
        for path in files(split):
            yield f"{split}/{path.stem}", _written(path)
    shipped = Material(CASES).shipped() if cases else ()
    for case, _, paper, _ in shipped:
        yield f"cases/{case.case_id}", _told(_updates(case, paper))
    for path in sorted(traces.glob("*.trace.jsonl.gz")) if traces else ():
        yield f"traces/{path.name.partition('.')[0]}", _told(_updates(load_trace(path), None))


def _written(path: Path) -> Told:
    discussion, points, ending = load(path)
    updates = _updates(trace(discussion), None)
    texts = [item.text for update in updates for item in update.items]
    closing = next((item.text for update in updates for item in update.items if item.kind == "closing"), "")
    summaries = [" ".join(update.summary.model_dump().values()) for update in updates]
    in_fields, offered = _met(points, summaries), _met(points, texts)
    pressing = [point for point in points if point.presses is not None]
    figures = (len(points), len(in_fields), len(offered), len(pressing), len(_met(pressing, texts)))
    told = _told(updates, {point.text: (point.text in in_fields, point.text in offered) for point in points})
    return told | dict(zip(FIGURES, figures, strict=False)) | {ending.judged(closing): 1}


def _updates(case: Trace, paper: CasePaper | None) -> list[Update]:
    return [update for _, update in asyncio.run(engine.run(case, paper)).updates]


def _met(points: Sequence[KeyPoint], texts: Sequence[str]) -> set[str]:
    return {point.text for point in points if any(point.met_by(text) for text in texts)}


def _told(updates: Sequence[Update], points: Mapping[str, tuple[bool, bool]] | None = None) -> Told:
    lines: list[str] = []
    for update in updates:
        lines += (f"{item.urgency} {item.kind}: {item.text}" for item in update.items)
        lines += (f"withdraws {item_id}" for item_id in update.withdraws)
        lines += (f"[{name}] {text}" for name, text in update.summary.model_dump().items())
    lines += (f"point {fields:d} {offered:d}: {text}" for text, (fields, offered) in (points or {}).items())
    return {"lines": lines}


def figures(run: Run) -> Counter[str]:
    """Return the counts over all written discussions of a run."""
    total: Counter[str] = Counter()
    for told in run.values():
        total.update({name: told.get(name, 0) for name in FIGURES})
    return total


def differences(before: Run, after: Run) -> Iterator[str]:
    """Yield the lines that differ, by source, with who changed them: "-" before, "+" after."""
    for name in sorted(before.keys() | after.keys()):
        old, new = (run.get(name, {"lines": []})["lines"] for run in (before, after))
        if changed := [
            line
            for line in unified_diff(old, new, n=0, lineterm="")
            if not line.startswith(("---", "+++", "@@"))
        ]:
            yield f"== {name}"
            yield from changed


def main(argv: Sequence[str] | None = None) -> int:
    """Play, and save or compare; the result is 1 where anything differs."""
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.regression", description=main.__doc__)
    parser.add_argument("--splits", nargs="*", default=SPENT, choices=SPENT)
    parser.add_argument("--traces", type=Path, help="a folder of recorded traces")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    options = parser.parse_args(argv)
    run = dict(played(options.splits, options.traces))
    if options.save:
        options.save.parent.mkdir(parents=True, exist_ok=True)
        options.save.write_text(json.dumps(run, ensure_ascii=False, indent=0), encoding="utf-8")
    before = json.loads(options.against.read_text(encoding="utf-8")) if options.against else run
    before = {name: told for name, told in before.items() if name in run}  # of what was played
    old, new = figures(before), figures(run)
    for name in FIGURES:
        sys.stdout.write(
            f"{name:18} {new[name]:5}" + (f" {new[name] - old[name]:+5}\n" if options.against else "\n")
        )
    found = list(differences(before, run))
    sys.stdout.write(f"{len(run)} sources, {sum(not line.startswith('==') for line in found)} lines differ\n")
    sys.stdout.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

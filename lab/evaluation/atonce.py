"""Emergencies and bans in words: how many are told, and how many look-alikes are.

    python -m lab.evaluation.atonce                                    # tests/gold/atonce

Each row is one turn of one speaker. An emergency is told by an alarm, a ban by a caution that holds the word that it
forbids. Shares have 95 % Wilson intervals.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from agents.shares import wilson
from exaim_core import EXAIM, Delta
from lab.yamlfile import read_yaml

HERE: Final = Path("tests/gold/atonce")
KINDS: Final = {"emergency": "critical", "ban": "caution"}
Row = Mapping[str, str]


def rows(path: Path) -> list[Row]:
    """Return the rows of a file. Raises: OSError."""
    read: Any = read_yaml(path)
    found: list[Row] = read if isinstance(read, list) else read["rows"]
    return found


async def is_told(row: Row) -> bool:
    """Tell whether what `row` asks for, or what its look-alike must not have, is told."""
    exaim = EXAIM()
    updates = await exaim.feed(Delta("doctor1", row["text"], 1, 1.0))
    updates += await exaim.turn_end("doctor1", 2, 2.0)
    texts = [item.text for each in updates for item in each.items if item.kind == KINDS[row["kind"]]]
    return any(row.get("about", "").lower() in text.lower() for text in texts)


def counted(path: Path) -> Iterator[str]:
    """Yield a line of a table for each kind of row of a file."""
    told: Counter[tuple[str, str]] = Counter()
    among: Counter[tuple[str, str]] = Counter()
    for row in rows(path):
        key = (row["kind"], row["want"])
        among[key] += 1
        told[key] += asyncio.run(is_told(row))
    for kind, want in sorted(among):
        good, of = told[kind, want], among[kind, want]
        low, high = wilson(good, of)
        yield f"| {path.stem} | {kind} | {want} | {good} of {of} | {100 * low:.0f}–{100 * high:.0f} % |"


def main(argv: Sequence[str] | None = None) -> None:
    """Print how many rows of each kind are told, never the rows."""
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.atonce", description=main.__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[HERE / "tune.yaml", HERE / "sealed.yaml"])
    sys.stdout.write("| set | rows | want | told | 95 % |\n|---|---|---|---|---|\n")
    for path in parser.parse_args(argv).files:
        sys.stdout.writelines(f"{line}\n" for line in counted(path))


if __name__ == "__main__":
    main()

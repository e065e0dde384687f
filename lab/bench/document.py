"""Writes the measured figures where people read them: `python -m lab.bench.document out/bench`.

In `docs/benchmarks.md` what stands between the mark and the next heading is replaced. The README has a few of its rows,
written by hand; `tests/test_bench_figures.py` holds them to the page.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from lab.bench.figures import read, table
from lab.console import argument

MARK: Final = "<!-- figures -->"
PAGE: Final = "docs/benchmarks.md"


def filled(text: str, figures: str) -> str:
    """Return a document with `figures` after its mark. Raises: ValueError: no mark or no heading."""
    before, _, after = text.partition(MARK)
    heading = after.find("\n## ")
    if heading < 0:
        raise ValueError(f"a document for figures holds {MARK} and a heading after it")
    return f"{before}{MARK}\n{figures}\n{after[heading:]}"


def main(folder: Path, root: Path) -> None:
    """Write the page of the checkout `root` from the figures in `folder`.

    Raises: ValueError: there are none, or the page has no place for them. It is not changed then.
    """
    figures = read(folder)
    if not figures:
        raise ValueError(f"there are no figures in {folder}")
    page = root / PAGE
    page.write_text(filled(page.read_text(encoding="utf-8"), table(figures)), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(Path(argument("lab.bench.document", "FOLDER")), Path.cwd())
    except (ValueError, OSError) as error:
        sys.exit(str(error))

"""Writes the tables where people read them: `python -m lab.evaluation.document out/evaluation`.

In `docs/evaluation.md` what stands between the mark and the next heading of its level is replaced.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from lab.bench.document import filled
from lab.evaluation.tables import markdown, read

PAGE: Final = Path("docs/evaluation.md")


def main(folder: Path, root: Path) -> None:
    """Write the page of checkout `root` from the tables in `folder`. Raises: ValueError: no mark in it."""
    page = root / PAGE
    page.write_text(filled(page.read_text(encoding="utf-8"), markdown(read(folder))), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path.cwd())

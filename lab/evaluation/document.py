"""Writes the tables where people read them: `python -m lab.evaluation.document out/evaluation`.

In `docs/evaluation-tables.md` what stands between the mark and the next heading of its level is replaced.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from lab.bench.document import filled
from lab.console import argument
from lab.evaluation.tables import markdown, read

PAGE: Final = Path("docs/evaluation-tables.md")


def main(folder: Path, root: Path) -> None:
    """Write the page of checkout `root` from the tables in `folder`.

    Raises: ValueError: there are none, or the page has no mark. The page is not changed then.
    """
    tables = read(folder)
    if not tables:
        raise ValueError(f"there are no tables in {folder}")
    page = root / PAGE
    page.write_text(filled(page.read_text(encoding="utf-8"), markdown(tables)), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(Path(argument("lab.evaluation.document", "FOLDER")), Path.cwd())
    except (ValueError, OSError) as error:
        sys.exit(str(error))

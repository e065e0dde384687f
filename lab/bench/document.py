"""Writes the measured figures where people read them: `python -m lab.bench.document out/bench`.

In `docs/benchmarks.md` and in README.md, what stands between the mark and the next heading is replaced; the
README has only the figures that have an aim.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from lab.bench.figures import read, table
from lab.console import argument

MARK: Final = "<!-- figures -->"
WHOLE: Final = "docs/benchmarks.md"
BRIEF: Final = "README.md"


def filled(text: str, figures: str) -> str:
    """Return a document with `figures` after its mark. Raises: ValueError: no mark or no heading."""
    before, _, after = text.partition(MARK)
    heading = after.find("\n## ")
    if heading < 0:
        raise ValueError(f"a document for figures holds {MARK} and a heading after it")
    return f"{before}{MARK}\n{figures}\n{after[heading:]}"


def main(folder: Path, root: Path) -> None:
    """Write both documents of the checkout `root` from the figures in `folder`.

    Raises: ValueError: there are none, or a document has no place for them. Neither document is changed then.
    """
    figures = read(folder)
    if not figures:
        raise ValueError(f"there are no figures in {folder}")
    aimed = [figure for figure in figures if figure.met is not None]
    texts = {
        root / name: filled((root / name).read_text(encoding="utf-8"), table(shown))
        for name, shown in ((WHOLE, figures), (BRIEF, aimed))
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main(Path(argument("lab.bench.document", "FOLDER")), Path.cwd())
    except (ValueError, OSError) as error:
        sys.exit(str(error))

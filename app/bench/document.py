"""Writes the measured figures where people read them: `python -m app.bench.document out/bench`.

`docs/benchmarks.md` is made whole; in README.md the table after the mark `<!-- figures -->` is replaced.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from app.bench.figures import read, table

MARK: Final = "<!-- figures -->"
_HOW: Final = """# Measured

Made from `out/bench/*.json` by `python -m app.bench.document out/bench`; `make bench` makes those. Two shared cores, no GPU.

{table}

* **Bare track**: a track with nothing before it, in the same SFU and the same run: its first frame handed to the SDK → its first sound at the listener.
  It is the floor for whatever speaks through a room here.
* **Summary ready to first sound**: just before an update is committed to the store → its first sound at the listener, through every process in between. The room is quiet before it, no
  sentence comes twice, and the items are corrections, which the budget excepts: this is the way to the ear, not the wait for a turn.
* **Longest silence inside speech**: in the recording at the listener, within one utterance, less the longest pause that is asked for (0.3 s at a sentence's end).
* **Warm**: `exaim up` → all parts ready and the address printed. **Cold**: `make setup` in a fresh clone with empty caches (its own
  `HOME`), with Go and Node on the path: packages, livekit-server built from source, the page built. Registries' speed is in it.
"""


def main(folder: Path, root: Path) -> None:
    """Write both documents of the checkout `root` from the figures in `folder`."""
    figures = table(read(folder))
    (root / "docs" / "benchmarks.md").write_text(_HOW.format(table=figures), encoding="utf-8")
    readme = root / "README.md"
    before, _, after = readme.read_text(encoding="utf-8").partition(MARK)
    rest = after[after.index("\n## ") :]
    readme.write_text(f"{before}{MARK}\n{figures}\n{rest}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path.cwd())

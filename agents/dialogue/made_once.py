"""A file that is made of another one once, and kept for the processes after this one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

Make = Callable[[Path, Path], None]

_LETTERS: Final = 16  # of a SHA-256: what lies there is ours, and breaks by chance alone


def made_once(source: Path, folder: Path, make: Make) -> Path:
    """Return the file that `make` writes of `source` (from, to): the one that `folder` keeps, else a new one.

    Its name says the hash of the source and its own, so that it is made anew of another source, and where it is
    broken. It gets its name when it is whole: several may make it at once, and nobody finds half a file.

    Raises: OSError: the source can't be read or the folder not written; and what `make` raises.
    """
    stem = f"{source.stem}-{_hash(source)}"
    for kept in folder.glob(f"{stem}-*{source.suffix}"):
        if kept.stem == f"{stem}-{_hash(kept)}":
            return kept
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="making-", dir=folder) as making:
        make(source, new := Path(making, source.name))
        kept = folder / f"{stem}-{_hash(new)}{source.suffix}"
        new.replace(kept)
    for other in folder.glob(f"{source.stem}-*{source.suffix}"):
        if other != kept:
            other.unlink(missing_ok=True)
    return kept


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_LETTERS]

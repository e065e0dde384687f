"""Run mypy with a cache that all of this user's checkouts share.

    python -m tools.kept_types    in a checkout; the exit code is mypy's

mypy takes of its cache what has the same hash, wherever the file lies, and checks all else anew, with all that depends
on it. So what it says is the same; a check with nothing kept takes 79 core-seconds (docs/decisions/112, 117).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from infra.embedded.locate import cache_dir
from tools.facts import fingerprint
from tools.runner import replace_folder

CACHE: Final = ".mypy_cache"
"""mypy's own name for it, so that one who runs mypy by hand goes on with the same."""
RUNS: Final = ((), ("-p", "tools"))
"""What mypy is given: what pyproject.toml names, and then the set-up, which it does not name."""
KEEP_AFTER_S: Final = 10.0
"""A check that took longer found much new. Only then is the cache (some 200 MB) copied for others."""
_CRASHED: Final = 2  # mypy's exit code where it could not check; 1: it found something


def kept_in(root: Path, environ: Mapping[str, str]) -> Path:
    """Return where this user's copy is: one for each lock of what mypy reads beside our own."""
    lock = fingerprint([root / "requirements" / "dev.lock"], sys.version)
    return cache_dir(environ) / "types" / lock[:12]


def check(mypy: Path, root: Path, kept: Path) -> int:
    """Run mypy and return its status; start from the shared cache, and update that after a success."""
    cache = root / CACHE
    taken = not cache.exists() and _copied(kept, cache)
    began_s = time.monotonic()
    status = _run(mypy, root)
    if status >= _CRASHED and taken:  # a copy that mypy can't read costs time, and fails no check
        shutil.rmtree(cache)
        status = _run(mypy, root)
    if status == 0 and (not kept.exists() or time.monotonic() - began_s > KEEP_AFTER_S):
        _keep(cache, kept)
    return status


def _keep(cache: Path, kept: Path) -> None:
    """Keep the cache in the place of all that was kept for other locks."""
    if not _copied(cache, kept):
        return
    for other in kept.parent.iterdir():
        if other.name != kept.name and not other.name.startswith("."):
            shutil.rmtree(other, ignore_errors=True)


def _run(mypy: Path, root: Path) -> int:
    """Return the worst status of all runs; a run that a signal ended has crashed."""
    statuses = [subprocess.run((mypy, *given), cwd=root, check=False).returncode for given in RUNS]
    return max(status if status >= 0 else _CRASHED for status in statuses)


def _copied(source: Path, target: Path) -> bool:
    """Put a copy where `target` is, whole or not at all; say whether that could be done."""
    if not source.is_dir():
        return False
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".copy-", dir=target.parent) as scratch:
            replace_folder(Path(shutil.copytree(source, Path(scratch) / "all")), target)
    except OSError:  # no room, or another checkout replaces it now
        return False
    return True


if __name__ == "__main__":
    here = Path.cwd()
    sys.exit(check(Path(sys.executable).with_name("mypy"), here, kept_in(here, os.environ)))

"""Find livekit-server. Standard library only: `tools/bootstrap.py` uses it on the system's Python."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

LIVEKIT_VERSION: Final = "1.13.5"
LIVEKIT_MODULE: Final = f"github.com/livekit/livekit-server/cmd/server@v{LIVEKIT_VERSION}"
LIVEKIT_OLDEST: Final = (1, 13)
"""Oldest server on PATH that is used: the loopback-only config was measured with 1.13."""
BINARY_VARIABLE: Final = "EXAIM_LIVEKIT_SERVER"
"""Overrides the search; the set-up hands it to the tests."""

_ANSWER_S = 5.0  # for `--version`, which takes 0.05 s


class ServerMissing(Exception):
    """No livekit-server of a fitting version is on this machine."""


def cache_dir(environ: Mapping[str, str]) -> Path:
    """Return the folder where built tools are kept between checkouts (XDG's cache)."""
    base = environ.get("XDG_CACHE_HOME") or str(Path(environ.get("HOME") or Path.home()) / ".cache")
    return Path(base) / "exaim-voice"


def built_livekit(environ: Mapping[str, str]) -> Path:
    """Return the path that the set-up builds livekit-server to, whether or not it is there."""
    return cache_dir(environ) / "bin" / f"livekit-server-v{LIVEKIT_VERSION}"


def find_livekit(environ: Mapping[str, str]) -> Path:
    """Return livekit-server: named by the environment, else on PATH, else built by the set-up.

    Raises: ServerMissing: none of them is there and fits.
    """
    named = environ.get(BINARY_VARIABLE)
    if named:
        if not _runs(Path(named)):
            raise ServerMissing(f"{BINARY_VARIABLE} names {named}, which can't be run. Correct or unset it.")
        return Path(named)
    on_path = shutil.which("livekit-server", path=environ.get("PATH", os.defpath))
    if on_path and (version_of(Path(on_path)) or (0, 0)) >= LIVEKIT_OLDEST:
        return Path(on_path)
    built = built_livekit(environ)
    if _runs(built):
        return built
    raise ServerMissing("livekit-server is not on this machine. `make setup` builds it, or set LIVEKIT_URL.")


def version_of(binary: Path) -> tuple[int, ...] | None:
    """Return what `binary --version` says, or None if it says nothing of the kind."""
    try:
        said = subprocess.run(
            [binary, "--version"], capture_output=True, text=True, timeout=_ANSWER_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(said.stdout)


def parse_version(text: str) -> tuple[int, ...] | None:
    """Return the first dotted number in `text` as integers: "livekit-server version 1.13.5" → (1, 13, 5)."""
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(int(part) for part in found.group().split(".")) if found else None


def _runs(binary: Path) -> bool:
    return binary.is_file() and os.access(binary, os.X_OK)

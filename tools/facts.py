"""Decide for the set-up, in plain functions: which versions fit, what is stale, why a step failed."""

from __future__ import annotations

import enum
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

Version = tuple[int, ...]

GO_FROM: Final = (1, 26)  # what livekit-server 1.13.5's go.mod asks for


class SetupExit(enum.IntEnum):
    """Exit codes of `tools/bootstrap.py` (`make` itself always exits with 2, and prints the code)."""

    DONE = 0
    PYTHON = 50
    NO_GO = 51
    NO_NODE = 52
    NO_NETWORK = 53
    STEP_FAILED = 54
    NO_BROWSER = 55
    CHECKS_FAILED = 56
    STOPPED = 130


MEND: Final = {
    SetupExit.PYTHON: "install Python 3.11, 3.12 or 3.13 (with its venv module; on Debian: python3-venv), "
    "or name one: make run PYTHON=/path/to/python3.12",
    SetupExit.NO_GO: "install Go 1.26 or newer, or put livekit-server 1.13 on PATH, or set LIVEKIT_URL, "
    "LIVEKIT_API_KEY and LIVEKIT_API_SECRET (.env.example) to use a server elsewhere",
    SetupExit.NO_NODE: "install Node 20.19, 22.12 or newer with npm",
    SetupExit.NO_NETWORK: "check the network, or the mirror that pip, uv, Go and npm are set to use, and run "
    "the same command again: what is done is kept",
    SetupExit.STEP_FAILED: "the log says why; mend that and run the same command again",
    SetupExit.NO_BROWSER: "install Chromium (on Debian, as root: apt-get install chromium) or name one: "
    "EXAIM_CHROMIUM=/path/to/chromium",
}


class SetupError(Exception):
    """A step can't be done; `code` says which kind, and MEND what helps."""

    def __init__(self, code: SetupExit, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message

    def __str__(self) -> str:
        mend = MEND.get(self.code)
        return f"{self.message}\n  mend: {mend}" if mend else self.message


def parse_version(text: str) -> Version | None:
    """Return the first dotted number: "go version go1.26.8 linux/amd64" → (1, 26, 8); else None."""
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(int(part) for part in found.group().split(".")) if found else None


def go_fits(version: Version | None) -> bool:
    """Return whether this Go builds livekit-server without downloading another Go."""
    return version is not None and version >= GO_FROM


def node_fits(version: Version | None) -> bool:
    """Return whether Vite 7 runs on this Node: 20.19 and later 20s, 22.12 and newer, and no 21."""
    return version is not None and ((20, 19) <= version < (21,) or version >= (22, 12))


def fingerprint(files: Iterable[Path], *words: str) -> str:
    """Return a hash over the words and the files' names and contents; a missing file counts as empty."""
    total = hashlib.sha256("\0".join(words).encode())
    for file in sorted(files):
        content = file.read_bytes() if file.is_file() else b""
        total.update(f"\0{file.name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def page_sources(web: Path) -> list[Path]:
    """Return the files that the built page depends on."""
    made = {"node_modules", "dist", "dist.new", "tests"}
    top = [path for path in web.iterdir() if path.name not in made and not path.name.startswith(".")]
    folders = [file for path in top if path.is_dir() for file in path.rglob("*") if file.is_file()]
    return [*(path for path in top if path.is_file()), *folders]


def is_stale(stamp: Path, key: str, products: Iterable[Path]) -> bool:
    """Return whether a step must run: its stamp has another key or is gone, or its product is."""
    try:
        done = stamp.read_text(encoding="utf-8").strip()
    except OSError:
        return True
    return done != key or any(not product.exists() for product in products)


_OFFLINE: Final = re.compile(
    r"name resolution|could not resolve|no such host|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH"
    r"|network is unreachable|connection refused|connection reset|failed to (?:establish|fetch|download)"
    r"|error sending request|dial tcp|i/o timeout|dns error|NewConnectionError"
    r"|ProxyError|Temporary failure|ConnectionError|timed out",
    re.IGNORECASE,
)


def looks_offline(log: str) -> bool:
    """Return whether a tool's output speaks of a network or registry that can't be reached."""
    return _OFFLINE.search(log) is not None


def names_livekit_url(dotenv: str) -> bool:
    """Return whether the text of a `.env` file sets LIVEKIT_URL, so that no server has to be built."""
    return re.search(r"^\s*(?:export\s+)?LIVEKIT_URL\s*=\s*['\"]?[^\s'\"#]", dotenv, re.MULTILINE) is not None

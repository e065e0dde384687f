"""A real PostgreSQL for tests: Debian's package, in a folder of its own, on a Unix socket, never as root."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

READY_WITHIN_S = 20.0
USER = "exaim"


def binaries() -> Path | None:
    """Return the folder of the newest PostgreSQL on this machine, or None."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: path.parent.parent.name
    )
    return found[-1].parent if found else None


@contextmanager
def postgresql() -> Iterator[str]:
    """Run a server until the block ends; yield the URL of an empty database. Skips where there is none."""
    folder_of_binaries = binaries()
    if folder_of_binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    owner = pwd.getpwnam("nobody") if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="exaim-pg-"))
    if owner is not None:
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    as_owner: dict[str, Any] = (
        {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if owner else {}
    )
    data, log = folder / "data", (folder / "log").open("wb")
    common: dict[str, Any] = {
        "cwd": folder,
        "stdout": log,
        "stderr": log,
        "env": {"PATH": os.environ["PATH"], "LANG": "C"},
    }
    try:
        made: list[str | Path] = [
            folder_of_binaries / "initdb",
            "-D",
            data,
            "-U",
            USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "-N",
        ]
        subprocess.run(made, check=True, timeout=60, **common, **as_owner)
        options = ["-c", "listen_addresses=", "-c", "fsync=off", "-c", f"unix_socket_directories={folder}"]
        server = subprocess.Popen(
            [folder_of_binaries / "postgres", "-D", data, *options],
            **common,
            **as_owner,
        )
        try:
            _wait(folder, server)
            yield f"postgresql://{USER}@/postgres?host={folder}"
        finally:
            server.send_signal(signal.SIGINT)  # ends open connections; SIGTERM would wait for them
            server.wait(20)
    finally:
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(folder: Path, server: subprocess.Popen[bytes]) -> None:
    until_s = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until_s and server.poll() is None:
        lines = (folder / "data/postmaster.pid").read_text().split("\n") if _noted(folder) else []
        if len(lines) > 7 and lines[7].strip() == "ready":
            return
        time.sleep(0.05)
    pytest.fail(f"PostgreSQL did not start:\n{(folder / 'log').read_text()[-2000:]}")


def _noted(folder: Path) -> bool:
    return (folder / "data/postmaster.pid").exists()

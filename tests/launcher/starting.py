"""`exaim up` as a user starts it, for the tests of the launcher."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from infra.embedded.locate import BINARY_VARIABLE, ServerMissing, find_livekit
from tests.conftest import ROOT
from tests.launcher.commands import Forks
from tests.launcher.processes import eventually

READY_WITHIN_S = 90.0  # 6 s on two idle cores; tests share them with others
ENDED_WITHIN_S = 15.0


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has set nothing up, with a page that is built."""
    return users_environ(tmp_path)


def users_environ(folder: Path) -> dict[str, str]:
    """Return the environment of such a user, whose page lies in `folder`."""
    page = folder / "dist"
    page.mkdir()
    (page / "index.html").write_text("<title>page</title>", encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    try:
        server = str(find_livekit(os.environ))
    except ServerMissing as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
    return {**kept, BINARY_VARIABLE: server, "EXAIM_WEB_DIST": str(page), "CASES": str(ROOT / "cases")}


def command(tmp_path: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "app.cli", "up", "--run-dir", str(tmp_path / "run"), *options]


@contextmanager
def running(
    tmp_path: Path, environ: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[str], dict[str, int], str]]:
    """Yield a stack that is up: its process, the pids of its parts, the page's URL."""
    output = (tmp_path / "output").open("w+", encoding="utf-8")
    process = subprocess.Popen(
        command(tmp_path, "--port", "0"), cwd=ROOT, env=environ, stdout=output, stderr=output, text=True
    )
    noted = tmp_path / "run" / "stack.json"
    try:
        up = eventually(lambda: noted.exists() or process.poll() is not None, READY_WITHIN_S)
        output.seek(0)
        assert up, output.read()
        assert noted.exists(), output.read()
        stack = json.loads(noted.read_text(encoding="utf-8"))
        yield process, stack["pids"], stack["page_url"]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=ENDED_WITHIN_S)
        output.close()


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """The process of which `exaim` commands are forked."""
    running = Forks()
    yield running
    running.end()


def refused(forks: Forks, tmp_path: Path, environ: dict[str, str], *options: str) -> tuple[int, str]:
    """Return exit code and message of an `exaim up` that can't start, having seen that it left nothing."""
    done = forks.run(tmp_path, ("up", "--run-dir", str(tmp_path / "run"), *options), environ)
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "run" / "logs").glob("*"))
    return done.returncode, done.stderr


def without_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return True
    return False

"""A process that is started alone, with settings that can't work: one line says so, and it ends."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.process import EXIT_SETTINGS
from tests.conftest import ROOT
from tests.forks import Forks
from tests.launcher.processes import eventually

GOOD = {
    "LIVEKIT_URL": "ws://127.0.0.1:9",
    "LIVEKIT_API_KEY": "a-key",
    "LIVEKIT_API_SECRET": "a-secret-of-more-than-thirty-two-characters",
    "REDIS_URL": "unix:///nonexistent/store.sock",
    "EXAIM_OPENER_KEY": "an-opener-key-of-forty-three-characters-or-more",
}


def started(module: str, folder: Path, environ: dict[str, str]) -> subprocess.Popen[str]:
    """Start a process of ours alone."""
    base = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{ROOT / 'lib'}"}
    return subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=folder,
        env=base | environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


UNREADABLE = ({"REDIS_URL": "redis://:hu/sh@127.0.0.1/0"}, "REDIS_URL can't be read: give redis://")


@pytest.mark.parametrize(
    ("module", "wrong", "words"),
    [
        ("app.reasoner", {"EXAIM_SPEED": "hush"}, "EXAIM_SPEED: input should be a valid number"),
        ("app.reasoner", {"REDIS_URL": ""}, "REDIS_URL is empty; `exaim up` starts a store"),
        ("app.reasoner", *UNREADABLE),
        ("app.serve_api", *UNREADABLE),
        ("app.serve_voice", *UNREADABLE),
        ("app.serve_api", {"LIVEKIT_URL": "ws://[::1"}, "LIVEKIT_URL is no address such as"),
        ("app.serve_api", {"EXAIM_OPENER_KEY": ""}, "EXAIM_OPENER_KEY is empty, so nobody could open"),
        ("app.serve_voice", {"LIVEKIT_URL": ""}, "LIVEKIT_URL is no address such as"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_in_one_line(
    module: str, wrong: dict[str, str], words: str, tmp_path: Path, forks: Forks
) -> None:
    with closing(forks.start(module, environ=GOOD | wrong, cwd=tmp_path)) as process:
        said, code = process.said(), process.wait()
    assert (code, said.splitlines()[-1][: len(words)]) == (EXIT_SETTINGS, words)
    assert "Traceback" not in said
    assert "hu/sh" not in said and "'hu'" not in said


def test_a_reasoner_without_its_store_waits_for_it(tmp_path: Path) -> None:
    """One that ended would, started again over and over, end the stack while a store elsewhere is away."""
    ready = tmp_path / "ready"
    with started("app.reasoner", tmp_path, GOOD | {"EXAIM_READY_FILE": str(ready)}) as process:
        assert eventually(lambda: ready.exists() or process.poll() is not None, 60.0)
        assert ready.exists(), process.communicate()[0]
        process.terminate()
        said, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "is it running at REDIS_URL" in said
    assert "Traceback" not in said


def test_the_api_serves_within_its_bounds(tmp_path: Path) -> None:
    """What is no HTTP is refused by our protocol (`app.http_bounds`), and not by uvicorn's own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ready = tmp_path / "ready"
    more = {"EXAIM_READY_FILE": str(ready), "EXAIM_API_PORT": str(port), "EXAIM_RECORD": "false"}
    with started("app.serve_api", tmp_path, GOOD | more) as process:
        assert eventually(lambda: ready.exists() or process.poll() is not None, 60.0)
        assert ready.exists(), process.communicate()[0]
        assert eventually(lambda: answers(port) is not None, 20.0)
        said = answers(port)
        process.terminate()
        process.communicate(timeout=30)
    assert said is not None
    assert b'"code":"bad_request"' in said


def answers(port: int) -> bytes | None:
    """Return what a server says to what is no HTTP; None: it is not there yet."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
            line.sendall(b"hello\r\n\r\n")
            return b"".join(iter(lambda: line.recv(4096), b""))
    except ConnectionRefusedError:
        return None

"""The whole stack, as a user starts it, for the tests that need every part to be real."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.launcher import socket_folder
from infra.embedded.locate import ServerMissing, find_livekit
from tests.conftest import ROOT
from tests.e2e import mini

LONG_CASE = "case-hyperkalaemia-aki"  # ninety seconds: time enough to talk to the voice
READY_WITHIN_S = 100.0
ENDS_WITHIN_S = 15.0


@dataclass(frozen=True, slots=True)
class UpStack:
    """A running `exaim up`."""

    api_url: str
    redis_url: str
    sent_dir: Path
    pids: dict[str, int]
    pid: int
    engines_socket: Path


@pytest.fixture(scope="session")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UpStack]:
    """Run the stack with the ten-second case, recorded; end it, and see that nothing is left."""
    try:
        find_livekit(os.environ)
    except ServerMissing as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("stack")
    run_dir, sent = folder / "run", folder / "sent"
    mini.write(folder / "cases")
    for shipped in (ROOT / "cases").glob(f"{LONG_CASE}.*"):
        shutil.copy(shipped, folder / "cases")
    options = ("--port", "0", "--run-dir", str(run_dir), "--cases", str(folder / "cases"))
    with (folder / "up.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "up", *options],
            env={**os.environ, "EXAIM_RECORD_DIR": str(sent), "EXAIM_MAX_SESSIONS": "16"},
            stdout=log,
            stderr=log,
        )
    try:
        noted = _until_ready(run_dir / "stack.json", process, folder / "up.log")
        store = socket_folder(run_dir) / "store.sock"
        page = str(noted["page_url"]).rstrip("/")
        engines = socket_folder(run_dir) / "engines.sock"
        yield UpStack(page, f"unix://{store}", sent, dict(noted["pids"]), process.pid, engines)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(ENDS_WITHIN_S)


def _until_ready(note: Path, process: subprocess.Popen[bytes], log: Path) -> dict[str, Any]:
    until_s = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until_s and process.poll() is None:
        if note.exists():
            found: dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
            return found
        time.sleep(0.1)
    process.kill()
    pytest.fail("the stack did not come up:\n" + log.read_text(encoding="utf-8", errors="replace")[-3000:])

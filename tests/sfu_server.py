"""The real livekit-server for tests, on free loopback ports, with the config that `exaim up` writes."""

from __future__ import annotations

import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from infra.embedded import livekit
from infra.embedded.child import Child, spawn
from infra.embedded.locate import ServerMissing, find_livekit

READY_WITHIN_S = 30.0  # 0.3 s on two cores; the rest is for a machine that is busy


@dataclass(frozen=True, slots=True)
class SfuServer:
    """A running server; `url` is ws://…, key and secret are in its key file."""

    url: str
    api_key: str
    api_secret: str = field(repr=False)
    pid: int


def livekit_binary() -> Path:
    """Return the server's program. Skips the test where none was set up; never in CI, where it fails."""
    try:
        return find_livekit(os.environ)
    except ServerMissing as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))


@contextmanager
def livekit_server(tmp_path: Path) -> Iterator[SfuServer]:
    """Run a server in `tmp_path` until the block ends. Skips the test where none was set up (fails under CI).

    Call it from the main thread (a fixture is): the server is tied to the thread that starts it.
    """
    binary = livekit_binary()
    plan = livekit.plan(tmp_path / "livekit")
    child = spawn("livekit-server", plan.argv(binary), environ=os.environ, log=tmp_path / "livekit.log")
    try:
        _wait_ready(plan.http_url, child)
        yield SfuServer(plan.url, plan.api_key, plan.api_secret, child.pid)
    finally:
        child.stop(grace_s=2.0)


def _wait_ready(url: str, child: Child) -> None:
    until_s = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until_s:
        if child.exit_status() is not None:
            pytest.fail(f"livekit-server ended with {child.exit_status()}:\n{child.last_words()}")
        try:
            with urllib.request.urlopen(url, timeout=1.0) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.02)
    pytest.fail(f"livekit-server was not ready within {READY_WITHIN_S:.0f} s:\n{child.last_words()}")

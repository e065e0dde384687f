"""A real graph, killed in the middle."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers import StoreServer

ROOT = Path(__file__).resolve().parents[2]
WITHIN_S = 25.0  # a process that imports LangGraph takes 3 s on two free cores, 8 on busy ones


@contextmanager
def walker(server: StoreServer, hang_at: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.checkpoints.walker", server.url, hang_at]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=WITHIN_S)


@pytest.mark.real
@pytest.mark.usefixtures("store")
def test_a_killed_graph_goes_on_at_the_node_that_was_cut_off(store_server: StoreServer) -> None:
    with walker(store_server, "three") as killed:
        assert killed.stdout is not None
        assert [killed.stdout.readline() for _ in range(3)] == ["one\n", "two\n", "three\n"]
        killed.kill()
        killed.wait(timeout=WITHIN_S)
    with walker(store_server, "") as successor:
        said, _ = successor.communicate(timeout=WITHIN_S)
    assert said.split("\n") == ["three", "four", "done one two three four", ""]

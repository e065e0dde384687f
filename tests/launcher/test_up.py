"""`exaim up` as a user starts it, with the real servers and all of our processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents import keys
from app import launcher
from app.exits import Exit
from infra.settings import Settings, load_settings
from tests.launcher.processes import LOOPBACK_HEX, eventually, family, listening, lives
from tests.launcher.starting import (
    ENDED_WITHIN_S,
    READY_WITHIN_S,
    environ,
    running,
    users_environ,
    without_ipv6,
)

__all__ = ["environ"]  # the fixture


@dataclass(frozen=True, slots=True)
class Up:
    """A stack that is up: its process, the pids of its parts, the page's URL, and its folder."""

    process: subprocess.Popen[str]
    pids: dict[str, int]
    url: str
    folder: Path

    def everyone(self) -> set[int]:
        """Return all of its processes."""
        return family(self.process.pid)

    def pid(self, part: str) -> int:
        """Return the pid of a part, as it is noted now."""
        note = (self.folder / "run" / "stack.json").read_text(encoding="utf-8")
        return int(json.loads(note)["pids"][part])

    def healthy(self) -> bool:
        """Say whether `/health` finds all parts well."""
        try:
            with urllib.request.urlopen(f"{self.url}health", timeout=10) as answer:
                return bool(json.load(answer)["status"] == "ok")
        except OSError:
            return False


@contextmanager
def stack_in(tmp_path: Path, **more: str) -> Iterator[Up]:
    environ = {**users_environ(tmp_path), **more}
    with running(tmp_path, environ) as (process, pids, url):
        yield Up(process, pids, url, tmp_path)


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One stack for the tests down to the one that ends it."""
    with stack_in(tmp_path_factory.mktemp("up")) as running_:
        yield running_


@pytest.mark.real
@pytest.mark.timeout(180)
def test_everything_comes_up_on_loopback_only(up: Up) -> None:
    assert set(up.pids) == {"store", "livekit-server", "engines", "api", "reasoner", "worker", "teams"}
    assert up.healthy()
    assert set(up.pids.values()) < up.everyone()
    for pid in up.everyone():
        listens = listening(pid)
        assert set(listens) <= {"tcp", "udp", "unix"}
        assert listens.get("tcp", set()) | listens.get("udp", set()) <= LOOPBACK_HEX
    assert stat.S_IMODE((up.folder / "run").stat().st_mode) == 0o700


@pytest.mark.real
def test_the_key_that_opens_sessions_is_the_apis_alone(up: Up) -> None:
    assert _cases(up.url, {}) == 401
    assert _cases(up.url, keys.headers(up.url)) == 200
    for name, pid in up.pids.items():
        told = Path(f"/proc/{pid}/environ").read_bytes()
        assert (keys.OPENER_VARIABLE.encode() in told) == (name == "api"), name
    output = (up.folder / "output").read_text(encoding="utf-8")
    assert f"{up.url}#open=link." in output
    assert keys.opener_key_of(up.url) not in output


def _cases(url: str, headers: dict[str, str]) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}cases", headers=headers), timeout=10):
            return 200
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.real
@pytest.mark.timeout(180)
def test_a_process_that_dies_comes_back_and_the_note_names_the_new_one(up: Up) -> None:
    for name in ("reasoner", "teams", "store"):
        os.kill(up.pids[name], signal.SIGKILL)
        assert eventually(lambda: up.pid(name) != up.pids[name], READY_WITHIN_S)  # noqa: B023
        assert lives(up.pid(name))
    assert eventually(up.healthy, READY_WITHIN_S)


@pytest.mark.real
@pytest.mark.timeout(180)
def test_sigterm_ends_all_of_it(up: Up) -> None:
    everyone = up.everyone()
    up.process.send_signal(signal.SIGTERM)
    assert up.process.wait(timeout=ENDED_WITHIN_S) == Exit.STOPPED
    assert not [pid for pid in everyone if lives(pid)]
    assert not (up.folder / "run" / "stack.json").exists()
    assert keys.headers(up.url) == {}


async def test_an_api_that_serves_is_up_whatever_else_is_not_well(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    """As with a store without memory: one that was not taken for ready would be ended over and over."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = (await reader.readline()).split()[1]
        writer.write(b"HTTP/1.1 %d \r\n\r\n" % (200 if asked == b"/health/live" else 503))
        writer.close()

    run_dir = tmp_path / "run"
    run_dir.mkdir()
    settings = Settings(_env_file=None, api_port=0, run_dir=run_dir, web_dist=tmp_path / "dist")
    plan = await launcher.make_plan(settings, environ)
    [api] = [part for part in plan.parts if part.name == "api"]
    assert not await api.ready()
    async with await asyncio.start_server(serve, plan.settings.api_host, plan.settings.api_port):
        assert await api.ready()


@pytest.mark.skipif(sys.platform != "linux", reason="only the kernel of Linux ties forks to their template")
@pytest.mark.parametrize(("method", "are_forks"), [("forkserver", True), ("spawn", False)])
async def test_parts_are_forks_of_a_template_unless_they_are_to_be_programs(
    method: str, are_forks: bool, tmp_path: Path, environ: dict[str, str]
) -> None:
    settings = load_settings(
        _env_file=None,
        api_port=0,
        run_dir=tmp_path / "run",
        web_dist=tmp_path / "dist",
        start_method=method,
    )
    settings.run_dir.mkdir()
    plan = await launcher.make_plan(settings, environ)
    assert bool(plan.forked) is are_forks


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """Another stack, on IPv6 where there is any."""
    host = "127.0.0.1" if without_ipv6() else "::1"
    with stack_in(tmp_path_factory.mktemp("elsewhere"), EXAIM_API_HOST=host) as running_:
        yield running_


@pytest.mark.real
@pytest.mark.timeout(180)
@pytest.mark.skipif(without_ipv6(), reason="this machine has no ::1")
async def test_the_page_is_served_on_ipv6(elsewhere: Up) -> None:
    url = elsewhere.url
    assert url.startswith("http://[::1]:")
    reader, writer = await asyncio.open_connection("::1", int(url.rstrip("/").rpartition(":")[2]))
    writer.write(f"GET /health HTTP/1.1\r\nHost: {url[7:-1]}\r\nConnection: close\r\n\r\n".encode())
    assert b" 200 " in await reader.readline()
    writer.close()


@pytest.mark.real
@pytest.mark.timeout(180)
def test_a_launcher_that_is_killed_outright_leaves_nothing(elsewhere: Up) -> None:
    everyone = elsewhere.everyone()
    elsewhere.process.kill()
    elsewhere.process.wait(timeout=ENDED_WITHIN_S)
    assert eventually(lambda: not any(lives(pid) for pid in everyone)), [p for p in everyone if lives(p)]

"""`exaim up` as a user starts it, with the real servers and all of our processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from agents import keys
from app import launcher
from app.exits import Exit
from infra.settings import Settings
from tests.launcher.processes import LOOPBACK_HEX, eventually, family, listening, lives
from tests.launcher.starting import ENDED_WITHIN_S, READY_WITHIN_S, environ, running, without_ipv6

__all__ = ["environ"]  # the fixture


@pytest.mark.real
@pytest.mark.timeout(180)
def test_everything_comes_up_on_loopback_only_and_sigterm_ends_all_of_it(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with running(tmp_path, environ) as (process, pids, url):
        assert set(pids) == {"store", "livekit-server", "engines", "api", "reasoner", "worker", "teams"}
        with urllib.request.urlopen(f"{url}health", timeout=10) as answer:
            assert json.load(answer)["status"] == "ok"
        everyone = family(process.pid)
        assert set(pids.values()) < everyone
        for pid in everyone:
            listens = listening(pid)
            assert set(listens) <= {"tcp", "udp", "unix"}
            assert listens.get("tcp", set()) | listens.get("udp", set()) <= LOOPBACK_HEX
        assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700
        assert _cases(url, {}) == 401
        assert _cases(url, keys.headers(url)) == 200
        for name, pid in pids.items():
            told = Path(f"/proc/{pid}/environ").read_bytes()
            assert (keys.OPENER_VARIABLE.encode() in told) == (name == "api"), name
        output = (tmp_path / "output").read_text(encoding="utf-8")
        assert f"{url}#open=link." in output
        assert keys.opener_key_of(url) not in output
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=ENDED_WITHIN_S) == Exit.STOPPED
    assert not [pid for pid in everyone if lives(pid)]
    assert not (tmp_path / "run" / "stack.json").exists()
    assert keys.headers(url) == {}


def _cases(url: str, headers: dict[str, str]) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}cases", headers=headers), timeout=10):
            return 200
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.real
@pytest.mark.timeout(180)
def test_a_process_that_dies_comes_back_and_the_note_names_the_new_one(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    note = tmp_path / "run" / "stack.json"
    with running(tmp_path, environ) as (process, pids, url):
        for name in ("reasoner", "teams", "store"):
            os.kill(pids[name], signal.SIGKILL)
            assert eventually(lambda: _pid(note, name) != pids[name], READY_WITHIN_S)  # noqa: B023
            assert lives(_pid(note, name))
        assert eventually(lambda: _healthy(url), READY_WITHIN_S)
        everyone = family(process.pid)
    assert process.returncode == Exit.STOPPED
    assert not [pid for pid in everyone if lives(pid)]


def _pid(note: Path, name: str) -> int:
    return int(json.loads(note.read_text(encoding="utf-8"))["pids"][name])


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}health", timeout=10) as answer:
            return bool(json.load(answer)["status"] == "ok")
    except OSError:
        return False


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


@pytest.mark.real
@pytest.mark.timeout(180)
def test_a_launcher_that_is_killed_outright_leaves_nothing(tmp_path: Path, environ: dict[str, str]) -> None:
    with running(tmp_path, environ) as (process, _, _):
        everyone = family(process.pid)
        process.kill()
        process.wait(timeout=ENDED_WITHIN_S)
        assert eventually(lambda: not any(lives(pid) for pid in everyone)), [p for p in everyone if lives(p)]


@pytest.mark.real
@pytest.mark.timeout(180)
@pytest.mark.skipif(without_ipv6(), reason="this machine has no ::1")
async def test_the_page_is_served_on_ipv6(tmp_path: Path, environ: dict[str, str]) -> None:
    environ["EXAIM_API_HOST"] = "::1"

    with running(tmp_path, environ) as (_, _, url):
        assert url.startswith("http://[::1]:")
        reader, writer = await asyncio.open_connection("::1", int(url.rstrip("/").rpartition(":")[2]))
        writer.write(f"GET /health HTTP/1.1\r\nHost: {url[7:-1]}\r\nConnection: close\r\n\r\n".encode())
        assert b" 200 " in await reader.readline()
        writer.close()

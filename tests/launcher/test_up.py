"""`exaim up` as a user starts it, with the real servers and all of our processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents import keys
from app import launcher
from app.exits import Exit
from infra.embedded.locate import BINARY_VARIABLE, ServerMissing, find_livekit
from infra.settings import Settings
from tests.launcher.processes import LOOPBACK_HEX, eventually, family, listening, lives
from tests.sfu_server import livekit_server

ROOT = Path(__file__).resolve().parent.parent.parent
READY_WITHIN_S = 90.0  # 6 s on two idle cores; tests share them with others
ENDED_WITHIN_S = 15.0


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has set nothing up, with a page that is built."""
    page = tmp_path / "dist"
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


def refused(tmp_path: Path, environ: dict[str, str], *options: str) -> tuple[int, str]:
    """Return exit code and message of an `exaim up` that can't start, having seen that it left nothing."""
    done = subprocess.run(
        command(tmp_path, *options),
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "run" / "logs").glob("*"))
    return done.returncode, done.stderr


def test_a_port_in_use_is_named_with_the_option_that_helps(tmp_path: Path, environ: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, message = refused(tmp_path, environ, "--port", str(port))
    assert code == Exit.PORT_IN_USE
    assert f"Port {port} is in use" in message
    assert "--port" in message


@pytest.mark.parametrize("what", ["nothing there", "an empty folder", "a truncated trace"])
def test_cases_that_cant_be_played_are_refused(what: str, tmp_path: Path, environ: dict[str, str]) -> None:
    cases = tmp_path / "cases"
    if what != "nothing there":
        cases.mkdir()
    if what == "a truncated trace":
        whole = next((ROOT / "cases").glob("*.jsonl.gz")).read_bytes()
        (cases / "half.trace.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    code, message = refused(tmp_path, environ, "--port", "0", "--cases", str(cases))
    assert code == Exit.NO_CASE
    assert str(cases) in message


def test_recordings_that_cant_be_written_are_refused_with_the_variable(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    (tmp_path / "file").touch()
    environ["EXAIM_RECORD_DIR"] = str(tmp_path / "file" / "rec")
    code, message = refused(tmp_path, environ, "--port", "0")
    assert code == Exit.SETTINGS
    assert "EXAIM_RECORD_DIR" in message
    assert "unset it" in message


def test_a_store_that_is_not_there_is_named_by_its_variable(tmp_path: Path, environ: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        nobody = listener.getsockname()[1]
    environ["REDIS_URL"] = f"redis://127.0.0.1:{nobody}/0"
    code, message = refused(tmp_path, environ, "--port", "0")
    assert code == Exit.STORE
    assert "REDIS_URL" in message


def test_an_sfu_secret_that_is_too_short_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    environ |= {"LIVEKIT_URL": "ws://127.0.0.1:9", "LIVEKIT_API_KEY": "key", "LIVEKIT_API_SECRET": "short"}
    code, message = refused(tmp_path, environ, "--port", "0")
    assert code == Exit.SFU
    assert "LIVEKIT_API_SECRET" in message
    assert "short" not in message.replace("too short", "")


@pytest.mark.real
def test_an_sfu_that_refuses_our_key_is_named_before_anything_starts(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with livekit_server(tmp_path) as sfu:
        environ |= {"LIVEKIT_URL": sfu.url, "LIVEKIT_API_KEY": sfu.api_key, "LIVEKIT_API_SECRET": "x" * 40}
        code, message = refused(tmp_path, environ, "--port", "0")
    assert code == Exit.SFU
    assert "LIVEKIT_API" in message


def test_a_page_that_is_not_built_says_how_to_build_it(tmp_path: Path, environ: dict[str, str]) -> None:
    environ["EXAIM_WEB_DIST"] = str(tmp_path / "none")
    code, message = refused(tmp_path, environ, "--port", "0")
    assert code == Exit.MISSING
    assert "make setup" in message


def test_the_help_explains_every_exit_code() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "app.cli", "up", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    for code in Exit:
        assert f"{code.value:>3}  {code.name}" in said.stdout

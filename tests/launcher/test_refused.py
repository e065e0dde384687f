"""What `exaim up` can't start with: it says so in a line, with an exit code, and leaves nothing."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from app.exits import Exit
from tests.conftest import ROOT
from tests.launcher.commands import Forks
from tests.launcher.starting import environ, forks, refused
from tests.sfu_server import livekit_server

__all__ = ["environ", "forks"]  # the fixtures


def test_a_port_in_use_is_named_with_the_option_that_helps(
    tmp_path: Path, environ: dict[str, str], forks: Forks
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, message = refused(forks, tmp_path, environ, "--port", str(port))
    assert code == Exit.PORT_IN_USE
    assert f"Port {port} is in use" in message
    assert "--port" in message


@pytest.mark.parametrize("what", ["nothing there", "an empty folder", "a truncated trace"])
def test_cases_that_cant_be_played_are_refused(
    what: str, tmp_path: Path, environ: dict[str, str], forks: Forks
) -> None:
    cases = tmp_path / "cases"
    if what != "nothing there":
        cases.mkdir()
    if what == "a truncated trace":
        whole = next((ROOT / "cases").glob("*.jsonl.gz")).read_bytes()
        (cases / "half.trace.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    code, message = refused(forks, tmp_path, environ, "--port", "0", "--cases", str(cases))
    assert code == Exit.NO_CASE
    assert str(cases) in message


def test_recordings_that_cant_be_written_are_refused_with_the_variable(
    tmp_path: Path, environ: dict[str, str], forks: Forks
) -> None:
    (tmp_path / "file").touch()
    environ["EXAIM_RECORD_DIR"] = str(tmp_path / "file" / "rec")
    code, message = refused(forks, tmp_path, environ, "--port", "0")
    assert code == Exit.SETTINGS
    assert "EXAIM_RECORD_DIR" in message
    assert "unset it" in message


def test_a_store_that_is_not_there_is_named_by_its_variable(
    tmp_path: Path, environ: dict[str, str], forks: Forks
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        nobody = listener.getsockname()[1]
    environ["REDIS_URL"] = f"redis://127.0.0.1:{nobody}/0"
    code, message = refused(forks, tmp_path, environ, "--port", "0")
    assert code == Exit.STORE
    assert "REDIS_URL" in message


def test_an_sfu_secret_that_is_too_short_is_refused(
    tmp_path: Path, environ: dict[str, str], forks: Forks
) -> None:
    environ |= {"LIVEKIT_URL": "ws://127.0.0.1:9", "LIVEKIT_API_KEY": "key", "LIVEKIT_API_SECRET": "short"}
    code, message = refused(forks, tmp_path, environ, "--port", "0")
    assert code == Exit.SFU
    assert "LIVEKIT_API_SECRET" in message
    assert "short" not in message.replace("too short", "")


@pytest.mark.real
def test_an_sfu_that_refuses_our_key_is_named_before_anything_starts(
    tmp_path: Path, environ: dict[str, str], forks: Forks
) -> None:
    with livekit_server(tmp_path) as sfu:
        environ |= {"LIVEKIT_URL": sfu.url, "LIVEKIT_API_KEY": sfu.api_key, "LIVEKIT_API_SECRET": "x" * 40}
        code, message = refused(forks, tmp_path, environ, "--port", "0")
    assert code == Exit.SFU
    assert "LIVEKIT_API" in message


def test_a_page_that_is_not_built_says_how_to_build_it(
    tmp_path: Path, environ: dict[str, str], forks: Forks
) -> None:
    environ["EXAIM_WEB_DIST"] = str(tmp_path / "none")
    code, message = refused(forks, tmp_path, environ, "--port", "0")
    assert code == Exit.MISSING
    assert "make setup" in message


def test_the_help_explains_every_exit_code(tmp_path: Path, environ: dict[str, str], forks: Forks) -> None:
    done = forks.run(tmp_path, ("up", "--help"), environ)
    assert done.returncode == 0
    for code in Exit:
        assert f"{code.value:>3}  {code.name}" in done.stdout

"""The command line's last words."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agents import keys
from app.cli import cli
from app.exits import Exit


def test_a_bench_with_a_variable_that_cannot_be_used_says_so_and_measures_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXAIM_API_PORT", "none")
    out = tmp_path / "bench"
    ended = CliRunner().invoke(cli, ["bench", "--only", "reading", "--out", str(out)])
    assert ended.exit_code == Exit.SETTINGS
    assert "EXAIM_API_PORT" in ended.stderr
    assert "(SETTINGS)" in ended.stderr
    assert not out.exists()


@pytest.mark.parametrize("command", ["demo", "bench", "chaos", "evaluate"])
def test_a_folder_that_cannot_be_made_is_told_before_anything_is_done(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").touch()
    ended = CliRunner().invoke(cli, [command, "--out", str(tmp_path / "file" / "out")])
    assert (ended.exit_code, isinstance(ended.exception, SystemExit)) == (2, True)
    assert "is no folder that you may write" in ended.stderr


def test_a_folder_that_not_even_root_can_make_is_told_too() -> None:
    ended = CliRunner().invoke(cli, ["demo", "--out", "/proc/out"])
    assert (ended.exit_code, isinstance(ended.exception, SystemExit)) == (2, True)
    assert "/proc is no folder that you may write" in ended.stderr


@pytest.mark.parametrize("option", ["--traces", "--baseline", "--points"])
def test_what_is_not_there_to_be_measured_is_told(tmp_path: Path, option: str) -> None:
    ended = CliRunner().invoke(cli, ["evaluate", "--out", str(tmp_path), option, str(tmp_path / "none")])
    assert (ended.exit_code, isinstance(ended.exception, SystemExit)) == (2, True)
    assert "does not exist" in ended.stderr


@pytest.mark.parametrize("option", ["--baseline", "--points"])
def test_what_is_of_recorded_traces_is_refused_without_them(tmp_path: Path, option: str) -> None:
    there = tmp_path / "there"
    there.mkdir() if option == "--baseline" else there.touch()
    ended = CliRunner().invoke(cli, ["evaluate", "--out", str(tmp_path / "out"), option, str(there)])
    assert (ended.exit_code, isinstance(ended.exception, SystemExit)) == (2, True)
    assert "--traces" in ended.stderr


@pytest.mark.parametrize("command", ["link", "key"])
def test_without_a_running_exaim_voice_there_is_no_link_and_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    ended = CliRunner().invoke(cli, [command, "--port", "9999"])
    assert ended.exit_code == Exit.SETTINGS
    assert "http://127.0.0.1:9999" in ended.stderr
    assert "exaim up" in ended.stderr


def test_a_link_and_a_key_are_of_the_stack_that_runs_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    opener_key = keys.new_opener_key()
    keys.keep(9999, opener_key)
    link = CliRunner().invoke(cli, ["link", "--port", "9999"]).stdout.strip()
    key = (
        CliRunner().invoke(cli, ["key", "--port", "9999", "--hours", "1", "--name", "ward-7"]).stdout.strip()
    )
    address, _, code = link.partition("#open=")
    assert address == "http://127.0.0.1:9999/"
    now_s = time.time()
    keys.holder(opener_key, "link", code, now_s)
    held = keys.holder(opener_key, "key", key, now_s)
    assert held.principal == "ward-7"
    assert now_s + 3_000 < held.until_s < now_s + 3_700

"""The command line's last words."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

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


@pytest.mark.parametrize("option", ["--traces", "--baseline", "--points"])
def test_what_is_not_there_to_be_measured_is_told(tmp_path: Path, option: str) -> None:
    ended = CliRunner().invoke(cli, ["evaluate", "--out", str(tmp_path), option, str(tmp_path / "none")])
    assert (ended.exit_code, isinstance(ended.exception, SystemExit)) == (2, True)
    assert "does not exist" in ended.stderr

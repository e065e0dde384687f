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

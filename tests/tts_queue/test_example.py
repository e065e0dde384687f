"""The example of the queue alone runs as it stands."""

from __future__ import annotations

import asyncio
import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "own_voice.py"


def test_what_presses_is_said_first_with_its_place(
    virtual: asyncio.Runner, capsys: pytest.CaptureFixture[str]
) -> None:
    virtual.run(runpy.run_path(str(EXAMPLE))["main"]())
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" s  ")[2] for line in lines] == ["Potassium is 6.9.", "Pericarditis leads."]

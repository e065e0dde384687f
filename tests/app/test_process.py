"""A process that is started alone, with settings that can't work: one line says so, and it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.process import EXIT_SETTINGS
from tests.conftest import ROOT

GOOD = {
    "LIVEKIT_URL": "ws://127.0.0.1:9",
    "LIVEKIT_API_KEY": "a-key",
    "LIVEKIT_API_SECRET": "a-secret-of-more-than-thirty-two-characters",
    "REDIS_URL": "unix:///nonexistent/store.sock",
}


def ended(module: str, folder: Path, environ: dict[str, str]) -> tuple[int, str]:
    """Start a process of ours alone; return its exit code and what it said."""
    base = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{ROOT / 'lib'}"}
    done = subprocess.run(
        [sys.executable, "-m", module],
        cwd=folder,
        env=base | environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


UNREADABLE = ({"REDIS_URL": "redis://:hu/sh@127.0.0.1/0"}, "REDIS_URL can't be read: give redis://")


@pytest.mark.parametrize(
    ("module", "wrong", "words"),
    [
        ("app.reasoner", {"EXAIM_SPEED": "hush"}, "EXAIM_SPEED: input should be a valid number"),
        ("app.reasoner", {"REDIS_URL": ""}, "REDIS_URL is empty; `exaim up` starts a store"),
        ("app.reasoner", *UNREADABLE),
        ("app.serve_api", *UNREADABLE),
        ("app.serve_voice", *UNREADABLE),
        ("app.serve_api", {"LIVEKIT_URL": "ws://[::1"}, "LIVEKIT_URL is no address such as"),
        ("app.serve_voice", {"LIVEKIT_URL": ""}, "LIVEKIT_URL is no address such as"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_in_one_line(
    module: str, wrong: dict[str, str], words: str, tmp_path: Path
) -> None:
    code, said = ended(module, tmp_path, GOOD | wrong)
    assert (code, said.splitlines()[-1][: len(words)]) == (EXIT_SETTINGS, words)
    assert "Traceback" not in said
    assert "hu/sh" not in said and "'hu'" not in said


def test_a_reasoner_without_its_store_says_so_and_ends(tmp_path: Path) -> None:
    code, said = ended("app.reasoner", tmp_path, GOOD)
    assert (code, "Traceback" in said) == (1, False)
    assert "is it running at REDIS_URL" in said.splitlines()[-1]

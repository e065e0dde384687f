"""Processes are found by the stack's note, and a session's voice by the recording that it writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab.chaos.hold import Hold, NoSuchProcess, alive

RECORDS = "import sys; kept = open(sys.argv[1], 'wb'); print('up', flush=True); sys.stdin.read()"


@contextmanager
def recording(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that has `path` open."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", RECORDS, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def noted(run_dir: Path, pids: dict[str, int]) -> Hold:
    (run_dir / "stack.json").write_text(json.dumps({"pid": os.getpid(), "pids": pids}), encoding="utf-8")
    return Hold(run_dir, run_dir / "sent")


def test_the_process_that_records_a_session_is_its_voice(tmp_path: Path) -> None:
    hold = noted(tmp_path, {})
    hold.record_dir.mkdir()
    with recording(hold.record_dir / "s-1.1.wav") as voice:
        assert hold.job("s-1") == voice.pid
        with pytest.raises(NoSuchProcess, match="s-2"):
            hold.job("s-2")


def test_a_stopped_voice_is_not_taken_for_its_successor(tmp_path: Path) -> None:
    hold = noted(tmp_path, {})
    hold.record_dir.mkdir()
    with recording(hold.record_dir / "s-1.1.wav") as voice:
        hold.send(voice.pid, signal.SIGSTOP)
        with pytest.raises(NoSuchProcess):
            hold.job("s-1")
        with recording(hold.record_dir / "s-1.2.wav") as successor:
            assert hold.job("s-1") == successor.pid
        hold.send(voice.pid, signal.SIGCONT)
        assert hold.job("s-1") == voice.pid


def test_a_part_is_the_one_of_the_newest_note_and_must_be_alive(tmp_path: Path) -> None:
    with recording(tmp_path / "any") as part:
        assert noted(tmp_path, {"worker": part.pid}).pid("worker") == part.pid
        part.kill()
        part.wait()
    assert not alive(part.pid)
    hold = noted(tmp_path, {"worker": part.pid})
    for name in ("worker", "api"):
        with pytest.raises(NoSuchProcess, match=name):
            hold.pid(name)
    assert hold.up()


def test_without_a_note_nothing_is_up(tmp_path: Path) -> None:
    hold = Hold(tmp_path, tmp_path)
    assert not hold.up()
    with pytest.raises(NoSuchProcess):
        hold.pid("worker")

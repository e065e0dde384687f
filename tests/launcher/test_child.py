"""A child process: it dies with its parent, and its log is for its user alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from infra.embedded.child import spawn
from tests.launcher.processes import eventually, lives, scripted

PARENT = """
import os, sys
from pathlib import Path
from infra.embedded.child import spawn
folder = Path(sys.argv[1])
child = spawn("child", sys.argv[2:], environ=os.environ, log=folder / "log")
(folder / "new").write_text(str(child.pid)); (folder / "new").rename(folder / "pid")
child.process.wait()
"""


def test_a_child_dies_with_a_parent_that_is_killed_outright(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path, *scripted(f"touch={tmp_path / 'up'}", "stay")],
        cwd=Path(__file__).resolve().parent.parent.parent,
    )
    try:
        assert eventually((tmp_path / "up").exists)
        pid = int((tmp_path / "pid").read_text(encoding="utf-8"))
        assert lives(pid)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait(timeout=10)
    assert eventually(lambda: not lives(pid))


def test_a_childs_log_is_for_this_user_only_and_starts_anew(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for word in ("first", "second"):
        child = spawn("it", scripted(f"say={word}"), environ=os.environ, log=log)
        assert eventually(lambda: child.exit_status() is not None)  # noqa: B023 - called at once
        child.stop()
    assert child.last_words() == "second"
    assert log.stat().st_mode & 0o777 == 0o600

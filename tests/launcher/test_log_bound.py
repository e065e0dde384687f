"""A part's log has a bound of size, and its writer does not notice."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from app.log_bound import aside, bound
from infra.embedded.child import spawn
from tests.launcher.processes import eventually


def test_a_long_log_is_put_aside_and_a_short_one_stays(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    log.write_text("x" * 100)
    assert not bound(log, 100)
    assert bound(log, 99)
    before = tmp_path / "worker.log.before"
    assert (log.read_text(), before.read_text()) == ("", "x" * 100)
    assert stat.S_IMODE(before.stat().st_mode) == 0o600
    assert not bound(tmp_path / "nobody.log", 99)


def test_the_newest_three_that_were_put_aside_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    for words in ("one", "two", "three", "four"):
        log.write_text(words)
        assert bound(log, 1)
    kept = {each.name: each.read_text() for each in tmp_path.glob("worker.log.*")}
    assert kept == {"worker.log.before": "four", "worker.log.before.2": "three", "worker.log.before.3": "two"}


def test_what_was_put_aside_moves_no_further_than_to_the_first_place_that_is_free(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    for words in ("one", "two", "three"):
        log.write_text(words)
        assert bound(log, 1)
    for _ in range(3):  # twice there was no log, or no room for a copy
        assert not aside(log).exists()
    kept = {each.name: each.read_text() for each in tmp_path.glob("worker.log.*")}
    assert kept == {"worker.log.before.2": "three", "worker.log.before.3": "two"}


def test_a_log_without_room_for_a_copy_is_emptied_all_the_same(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    log.write_text("xx")
    for name in ("before", "before.2", "before.3"):  # nothing can be written there
        (tmp_path / f"worker.log.{name}").mkdir()
        (tmp_path / f"worker.log.{name}" / "it").touch()
    assert bound(log, 1)
    assert log.read_text() == ""


WRITER = """
import os, sys, time
print("first", flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
print("second", flush=True)
"""


def test_a_part_goes_on_writing_at_the_beginning_of_its_emptied_log(tmp_path: Path) -> None:
    log, go = tmp_path / "it.log", tmp_path / "go"
    child = spawn("it", (sys.executable, "-c", WRITER, go), environ=os.environ, log=log)
    try:
        assert eventually(lambda: log.read_text() == "first\n")
        assert bound(log, 1)
        go.touch()
        assert eventually(lambda: log.read_text() == "second\n")
    finally:
        child.stop()

"""mypy's cache, kept between checkouts: what is taken of it, what is kept, and that no verdict hangs on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import kept_types
from tools.kept_types import CACHE, RUNS, check, kept_in

FAKE = """#!/bin/sh
mkdir -p .mypy_cache
if grep -qs broken .mypy_cache/found; then echo crashed >> runs; exit 2; fi
if [ -e .mypy_cache/found ]; then echo warm >> runs; else echo cold >> runs; fi
echo found > .mypy_cache/found
exit $(cat status)
"""


@pytest.fixture
def mypy(tmp_path: Path) -> Path:
    """Write a mypy that notes whether it found a cache, and ends as the checkout's file `status` says."""
    program = tmp_path / "mypy"
    program.write_text(FAKE, encoding="utf-8")
    program.chmod(0o755)
    return program


def checkout(folder: Path, status: int = 0) -> Path:
    folder.mkdir()
    (folder / "status").write_text(str(status), encoding="utf-8")
    return folder


def runs(root: Path) -> list[str]:
    return (root / "runs").read_text(encoding="utf-8").split()


def test_a_new_checkout_begins_with_what_another_found(tmp_path: Path, mypy: Path) -> None:
    one, other, kept = checkout(tmp_path / "one"), checkout(tmp_path / "other"), tmp_path / "user" / "types"
    assert check(mypy, one, kept) == check(mypy, other, kept) == 0
    assert runs(one) == ["cold", *["warm"] * (len(RUNS) - 1)]
    assert runs(other) == ["warm"] * len(RUNS)


def test_what_mypy_says_is_its_verdict_with_and_without_a_cache(tmp_path: Path, mypy: Path) -> None:
    kept = tmp_path / "user" / "types"
    wrong = checkout(tmp_path / "wrong", 1)
    assert check(mypy, wrong, kept) == 1
    assert not kept.exists(), "what was found with an error in it is nobody else's"
    assert check(mypy, checkout(tmp_path / "right"), kept) == 0
    assert check(mypy, checkout(tmp_path / "again", 1), kept) == 1


def test_a_copy_that_can_not_be_read_is_thrown_away(tmp_path: Path, mypy: Path) -> None:
    root, kept = checkout(tmp_path / "one"), tmp_path / "user" / "types"
    kept.mkdir(parents=True)
    (kept / "found").write_text("broken", encoding="utf-8")
    assert check(mypy, root, kept) == 0
    assert runs(root) == ["crashed"] * len(RUNS) + ["cold", *["warm"] * (len(RUNS) - 1)]


def test_a_checkouts_own_cache_comes_first_and_a_long_check_is_kept_in_the_place_of_all_before(
    tmp_path: Path, mypy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, kept, old = checkout(tmp_path / "one"), tmp_path / "user" / "types", tmp_path / "user" / "old"
    for folder in (root / CACHE, kept, old):
        folder.mkdir(parents=True)
    (kept / "found").write_text("theirs", encoding="utf-8")
    (root / CACHE / "own").touch()
    assert check(mypy, root, kept) == 0
    assert runs(root)[0] == "cold" and (kept / "found").read_text(encoding="utf-8") == "theirs"
    monkeypatch.setattr(kept_types, "KEEP_AFTER_S", 0.0)
    assert check(mypy, root, kept) == 0
    assert (kept / "own").exists() and sorted(path.name for path in kept.parent.iterdir()) == ["types"]


def test_each_lock_has_a_copy_of_its_own(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    lock = tmp_path / "requirements" / "dev.lock"
    lock.parent.mkdir()
    before = kept_in(tmp_path, environ)
    lock.write_text("mypy==2", encoding="utf-8")
    assert before.parent == kept_in(tmp_path, environ).parent == tmp_path / "cache" / "exaim-voice" / "types"
    assert before != kept_in(tmp_path, environ)

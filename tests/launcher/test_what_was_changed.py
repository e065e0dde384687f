"""Which tests are chosen for a change, and what is left out for want of time or of a browser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.embedded.locate import BINARY_VARIABLE
from tools import touched
from tools.checks import environ_of_tests
from tools.facts import SetupError, SetupExit
from tools.recipes import CHROMIUM_VARIABLE, Place

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Write a small project: two rooms, one on top of the other."""
    files = {
        "api.py": "from routes import cases",
        "routes/cases.py": "from core import Engine",
        "exaim_core/__init__.py": "from exaim_core.engine import Engine\nfrom exaim_core.words import say",
        "exaim_core/engine.py": "from exaim_core import words",
        "exaim_core/words.py": "WORDS = 'words.txt'",
        "exaim_core/other.py": "",
        "infra/store.py": "from exaim_core import Engine",
        "infra/lua/take.lua": "",
        "tests/conftest.py": "",
        "tests/exaim_core/test_engine.py": "from exaim_core.engine import Engine",
        "tests/exaim_core/test_words.py": "from exaim_core.words import say",
        "tests/exaim_core/test_other.py": "import exaim_core.other",
        "tests/infra/conftest.py": "",
        "tests/infra/test_store.py": "from infra import store",
        "packages/exaim-live/exaim_live/events.py": "",
        "lab/bench.py": "from exaim_live import events",
        "tests/test_bench.py": "from lab import bench",
        "tests/agents/test_live.py": "from exaim_live.events import Event",
        "lab/demo/acts.py": "",
        "lab/ears/hear.py": "from lab.demo import acts",
        "tests/agents/test_acts.py": "from lab.demo import acts",
        "tests/app/test_demo.py": "from lab.demo import acts",
        "tests/ears/test_hear.py": "from lab.ears import hear",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


CORE, INFRA = "tests/exaim_core/test_", "tests/infra/test_store.py"


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("exaim_core/words.py", [f"{CORE}words.py", f"{CORE}engine.py", INFRA]),
        ("exaim_core/other.py", [f"{CORE}other.py"]),
        ("infra/store.py", [INFRA]),
        ("infra/lua/take.lua", [INFRA]),
        ("data/words.txt", [f"{CORE}words.py", f"{CORE}engine.py", INFRA]),
        ("tests/infra/conftest.py", [INFRA]),
        ("tests/infra/test_store.py", [INFRA]),
        ("packages/exaim-live/exaim_live/events.py", ["tests/agents/test_live.py", "tests/test_bench.py"]),
        ("lab/bench.py", ["tests/test_bench.py"]),
        (
            "lab/demo/acts.py",
            ["tests/app/test_demo.py", "tests/agents/test_acts.py", "tests/ears/test_hear.py"],
        ),
        ("lab/ears/hear.py", ["tests/ears/test_hear.py"]),
        ("docs/engine.md", []),
        ("gone.py", []),
    ],
)
def test_the_tests_of_what_was_changed_are_the_rooms_own_and_then_the_nearest(
    tree: Path, file: str, tests: list[str]
) -> None:
    assert touched.tests_for(tree, [file]) == tests


def test_what_was_changed_is_told_since_the_trunk_and_on_it_since_the_last_commit(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@x.example", "-c", "commit.gpgsign=false")
        subprocess.run(("git", *who, *arguments), cwd=tmp_path, check=True, capture_output=True)

    def told() -> list[str]:
        return touched.changed(tmp_path, touched.since(tmp_path))

    def commit(name: str) -> None:
        (tmp_path / name).touch()
        git("add", name)
        git("commit", "-m", name)

    git("init", "-b", "main")
    commit("first")
    assert told() == []
    commit("second")
    assert told() == ["second"]
    (tmp_path / "new").touch()
    assert told() == ["new"]
    git("switch", "-c", "branch")
    assert told() == ["new"]
    commit("third")
    commit("fourth")
    assert told() == ["fourth", "new", "third"]


def test_under_ci_only_tests_that_drive_a_browser_need_one(tmp_path: Path) -> None:
    place = Place(tmp_path, {"CI": "true", "PATH": "", BINARY_VARIABLE: sys.executable})
    assert environ_of_tests(place, browser=False)[CHROMIUM_VARIABLE] == ""
    with pytest.raises(SetupError) as refused:
        environ_of_tests(place, browser=True)
    assert refused.value.code is SetupExit.NO_BROWSER


def test_what_make_check_has_no_time_for_is_skipped_and_told(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("def test_one() -> None: pass\n", encoding="utf-8")
    ini = ("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", "tests.conftest")
    done = subprocess.run(
        [sys.executable, "-m", "tests", "-p", "no:cacheprovider", *ini, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "EXAIM_TESTS_UNTIL": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "the time of `make check` is over" in done.stdout
    assert "1 skipped in " in done.stdout.splitlines()[-1]

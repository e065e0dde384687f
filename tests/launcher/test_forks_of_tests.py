"""The processes of tests are forks of one that has imported them, and end with who wanted them."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

from tests.forks import Forks
from tests.launcher.processes import eventually, lives
from tests.workers import TEMPLATE

ROOT = Path(__file__).resolve().parent.parent.parent


OURS = (TEMPLATE, "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID")
HOOK = "from tests.workers import fork_from_template as pytest_xdist_setupnodes\n"
IMPORTED = """
import os
from pathlib import Path

IMPORTED_BY = os.getpid()
with Path(__file__).with_name("imported").open("a") as imported:
    imported.write(f"{Path(__file__).stem}\\n")
"""
FORKED = """
import re
from exaim_core.text.patterns import late

MADE_BY = []
late(lambda: MADE_BY.append(os.getpid()) or re.compile("gout"))


def test_it():
    assert [os.getppid()] == [IMPORTED_BY] == MADE_BY, "it was not imported and compiled by the template, or anew"
"""
FAILS = """
if "PYTEST_XDIST_WORKER" not in os.environ:
    os._exit(3)


def test_it():
    assert os.getpid() == IMPORTED_BY
"""
WAITS = """
import time


def test_it():
    Path(__file__).with_suffix(".pid").write_text(str(os.getpid()))
    time.sleep(99)
"""


def two_processes(folder: Path, test: str) -> subprocess.Popen[str]:
    """Run two files, each with this test, in two processes."""
    (folder / "conftest.py").write_text(HOOK, encoding="utf-8")
    for name in ("test_one", "test_two"):
        (folder / f"{name}.py").write_text(IMPORTED + test, encoding="utf-8")
    options = (
        "-n",
        "2",
        "--dist",
        "loadfile",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        str(ROOT / "pyproject.toml"),
    )
    return subprocess.Popen(
        (sys.executable, "-m", "tests", *options, str(folder)),
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in OURS}
        | {"EXAIM_TESTS_UNTIL": "inf"},
        stdout=subprocess.PIPE,
        text=True,
    )


def closing_line(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=100)[0].splitlines()[-1]


def test_two_processes_are_forks_of_one_that_has_imported_each_file_and_compiled_once(tmp_path: Path) -> None:
    assert closing_line(two_processes(tmp_path, FORKED)).startswith("2 passed in ")
    assert sorted((tmp_path / "imported").read_text(encoding="utf-8").split()) == ["test_one", "test_two"]


def test_what_a_process_of_tests_forks_has_imported_the_tests_too(tmp_path: Path) -> None:
    test = "from tests.forks import Forks\n" + inspect.getsource(forks_of_the_template)
    assert closing_line(two_processes(tmp_path, test.replace("forks_of_the_template", "test_it"))).startswith(
        "2 passed in "
    )


def forks_of_the_template() -> None:
    forks, nobody = Forks(), {"PATH": os.environ["PATH"]}
    fork = forks.start("tests.launcher.imported", __name__, environ=nobody)
    assert fork.said() == "True\n"
    assert fork.wait() == 3
    fork.close()
    left = forks.start("tests.launcher.imported", "", environ=nobody)
    assert left.pid > 0 and left.returncode is None
    forks.end()
    assert left.wait() == -9


def test_where_nothing_can_be_forked_each_process_imports_for_itself(tmp_path: Path) -> None:
    assert closing_line(two_processes(tmp_path, FAILS)).startswith("2 passed in ")


def test_forks_end_with_who_wanted_them(tmp_path: Path) -> None:
    process = two_processes(tmp_path, WAITS)
    notes = [tmp_path / "test_one.pid", tmp_path / "test_two.pid"]
    assert eventually(lambda: all(note.exists() and note.read_text(encoding="utf-8") for note in notes), 60.0)
    process.kill()
    process.communicate(timeout=60)
    assert eventually(lambda: not any(lives(int(note.read_text(encoding="utf-8"))) for note in notes))

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from app.exits import MEANING
from tests.launcher.processes import eventually, lives, scripted
from tools import bootstrap, facts
from tools.facts import MEND, SetupError, SetupExit
from tools.recipes import EXTRAS, Place, find_chromium, livekit_steps, packages_step
from tools.runner import Progress, Shell, Step, replace_folder, run_steps

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(
    ("version", "fits"),
    [((3, 10, 13), False), ((3, 11, 0), True), ((3, 13, 9), True), ((3, 14, 0), False)],
)
def test_which_pythons_fit(version: facts.Version, fits: bool) -> None:
    assert bootstrap.python_fits(version) is fits


def test_each_python_that_is_looked_for_fits() -> None:
    assert all(bootstrap.python_fits(facts.parse_version(name) or ()) for name in bootstrap.FITTING)


@pytest.mark.parametrize(
    ("version", "fits"), [((1, 25, 9), False), ((1, 26), True), ((2, 0), True), (None, False)]
)
def test_which_gos_fit(version: facts.Version | None, fits: bool) -> None:
    assert facts.go_fits(version) is fits


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ((18, 20, 0), False),
        ((20, 18, 9), False),
        ((20, 19, 0), True),
        ((21, 7, 0), False),
        ((22, 11, 0), False),
        ((22, 12, 0), True),
        ((24, 1, 0), True),
        (None, False),
    ],
)
def test_which_nodes_fit(version: facts.Version | None, fits: bool) -> None:
    assert facts.node_fits(version) is fits


def test_a_step_is_stale_when_its_key_changed_its_stamp_is_gone_or_its_product_is_gone(
    tmp_path: Path,
) -> None:
    stamp, product = tmp_path / "stamp", tmp_path / "product"
    assert facts.is_stale(stamp, "key", [])
    stamp.write_text("key\n", encoding="utf-8")
    assert not facts.is_stale(stamp, "key", [])
    assert facts.is_stale(stamp, "other key", [])
    assert facts.is_stale(stamp, "key", [product])
    product.touch()
    assert not facts.is_stale(stamp, "key", [product])


def test_a_fingerprint_follows_contents_names_and_words_and_not_the_order_of_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("1", encoding="utf-8")
    two.write_text("2", encoding="utf-8")
    first = facts.fingerprint([one, two], "word")
    assert facts.fingerprint([two, one], "word") == first
    assert facts.fingerprint([one, two], "other") != first
    assert facts.fingerprint([one], "word") != first
    two.write_text("3", encoding="utf-8")
    assert facts.fingerprint([one, two], "word") != first


def test_the_page_depends_on_its_sources_and_not_on_what_is_made_from_them(tmp_path: Path) -> None:
    for name in ("index.html", "src/main.ts", "node_modules/x/x.js", "dist/index.html", "tests/a.test.ts"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = {str(path.relative_to(tmp_path)) for path in facts.page_sources(tmp_path)}
    assert found == {"index.html", "src/main.ts"}


@pytest.mark.parametrize(
    ("dotenv", "named"),
    [
        ("LIVEKIT_URL=wss://host\n", True),
        ("A=1\nexport LIVEKIT_URL = 'wss://host'\n", True),
        ("#LIVEKIT_URL=wss://host\n", False),
        ("LIVEKIT_URL=\n", False),
        ('LIVEKIT_URL=""\n', False),
        ("MY_LIVEKIT_URL=wss://host\n", False),
    ],
)
def test_a_server_named_in_dotenv_spares_the_build(dotenv: str, named: bool) -> None:
    assert facts.names_livekit_url(dotenv) is named


@pytest.mark.parametrize(
    "said",
    [
        "error: Failed to fetch: `x`\n  Caused by: dns error: failed to lookup address information",
        "npm error code ENOTFOUND",
        "dial tcp: lookup proxy: no such host",
        "Retrying: NewConnectionError: Failed to establish a new connection",
    ],
)
def test_a_tool_that_speaks_of_the_network_is_understood(said: str) -> None:
    assert facts.looks_offline(said)
    assert not facts.looks_offline("hash mismatch: expected sha256:00")


def test_every_failure_has_its_own_code_and_a_mend() -> None:
    no_mend_needed = {SetupExit.DONE, SetupExit.STOPPED, SetupExit.CHECKS_FAILED}
    assert set(MEND) == set(SetupExit) - no_mend_needed
    assert "mend: install Go" in str(SetupError(SetupExit.NO_GO, "no Go"))


def test_the_documentation_lists_every_exit_code() -> None:
    text = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    for code, meaning in MEANING.items():
        assert f"| {code.value} | {code.name} | {meaning} |" in text
    for failure in set(SetupExit) - {SetupExit.DONE}:
        assert failure.value not in {code.value for code in MEANING}
        assert f"| {failure.value} | {failure.name} |" in text


class Bench:
    """A folder in which steps are run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[str] = []

    def step(
        self,
        name: str,
        make: Callable[[Shell], None] | None = None,
        key: str = "1",
        needs: tuple[str, ...] = (),
    ) -> Step:
        def record(shell: Shell) -> None:
            if make is not None:
                make(shell)
            self.made.append(name)

        return Step(name, f"makes {name}", key, self.folder / f"{name}.stamp", (), record, needs)

    def run(self, *steps: Step) -> None:
        run_steps(steps, logs=self.folder / "logs", environ=os.environ, progress=Progress())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_steps_run_once_and_again_only_when_their_key_changes(bench: Bench) -> None:
    bench.run(bench.step("a"), bench.step("b", needs=("a",)))
    assert bench.made == ["a", "b"]
    bench.run(bench.step("a"), bench.step("b", needs=("a",)))
    assert bench.made == ["a", "b"]
    bench.run(bench.step("a"), bench.step("b", key="2", needs=("a",)))
    assert bench.made == ["a", "b", "b"]


def test_steps_that_need_nothing_of_each_other_run_side_by_side(bench: Bench) -> None:
    both = threading.Barrier(2, timeout=20)

    def meet(_: Shell) -> None:
        both.wait()

    bench.run(bench.step("a", meet), bench.step("b", meet))
    assert sorted(bench.made) == ["a", "b"]


def test_a_step_that_fails_ends_the_others_and_is_not_taken_for_done(bench: Bench) -> None:
    started = bench.folder / "pid"

    def long(shell: Shell) -> None:
        shell.run(scripted(f"child={started}", "stay"), cwd=bench.folder)

    def fails(shell: Shell) -> None:
        assert eventually(started.exists)
        shell.run(scripted("say=the disk is full", "exit=3"), cwd=bench.folder)

    with pytest.raises(SetupError, match=r"(?s)bad: .* ended with 3 .*the disk is full") as failed:
        bench.run(bench.step("long", long), bench.step("bad", fails), bench.step("later", needs=("bad",)))
    assert failed.value.code is SetupExit.STEP_FAILED
    assert bench.made == []
    assert not list(bench.folder.glob("*.stamp"))
    grandchild = int(started.read_text(encoding="utf-8"))
    assert eventually(lambda: not lives(grandchild))


def test_a_step_that_fails_for_want_of_a_network_says_so(bench: Bench) -> None:
    def fails(shell: Shell) -> None:
        shell.run(scripted("say=dns error: no such host", "exit=1"), cwd=bench.folder, code=SetupExit.NO_GO)

    with pytest.raises(SetupError, match="check the network") as failed:
        bench.run(bench.step("go", fails))
    assert failed.value.code is SetupExit.NO_NETWORK


def test_a_tool_that_is_not_there_is_a_failed_step(bench: Bench) -> None:
    with pytest.raises(SetupError, match=r"nowhere.*can't be run"):
        bench.run(bench.step("a", lambda shell: shell.run(("/nowhere/tool",), cwd=bench.folder)))


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    for folder, name in ((new, "b"), (old, "a")):
        folder.mkdir()
        (folder / name).touch()
    replace_folder(new, old)
    assert [path.name for path in old.iterdir()] == ["b"]
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_an_environment_set_up_for_tests_is_not_taken_back_for_a_run(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    place = Place(tmp_path, {})
    assert packages_step(place, "run").key != packages_step(place, "dev").key
    place.python.parent.mkdir(parents=True)
    (place.python.parent / "pytest").touch()
    assert packages_step(place, "run").key == packages_step(place, "dev").key


@pytest.mark.parametrize(("profile", "compiled"), [("run", 1), ("dev", 0)])
def test_all_is_compiled_for_a_run_and_for_tests_what_they_import(
    tmp_path: Path, profile: str, compiled: int
) -> None:
    venv = tmp_path / ".venv" / "bin"
    venv.mkdir(parents=True)
    (venv / "uv").write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
    (venv / "uv").chmod(0o755)
    shell = Shell(tmp_path / "packages.log", os.environ)
    packages_step(Place(tmp_path, {}), profile).make(shell)
    assert shell.log.read_text(encoding="utf-8").count("\npip sync ") == 1
    said = [line for line in shell.log.read_text(encoding="utf-8").splitlines() if line.startswith("pip ")]
    assert [line.count("--compile-bytecode") for line in said] == [compiled, 0]


def test_an_environment_with_extras_keeps_them_all(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    place = Place(tmp_path, {})
    assert packages_step(place, "run").title == "the packages of requirements/run.lock"
    packages = place.venv / "lib" / "python3.11" / "site-packages"
    for package in ("langchain_anthropic-1.7.7.dist-info", "deepgram_sdk-5.0.0.dist-info"):
        (packages / package).mkdir(parents=True)
    assert (
        packages_step(place, "run").title
        == "the packages of requirements/run.lock and llm.lock and cloud.lock"
    )


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_is_known_by_what_no_other_lock_brings(extra: str) -> None:
    brought = {
        lock.stem: set(re.findall(r"^([\w.-]+)==", lock.read_text("utf-8"), re.MULTILINE))
        for lock in (ROOT / "requirements").glob("*.lock")
        if lock.stem != "dev"  # which holds all of them
    }
    assert [name for name, packages in brought.items() if EXTRAS[extra] in packages] == [extra]


def test_without_a_fitting_go_the_build_waits_for_the_one_from_pypi(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    place = Place(ROOT, {"HOME": str(tmp_path), "PATH": str(tools)})
    assert [(step.name, step.needs) for step in livekit_steps(place)] == [("livekit", ("uv",))]
    go = tools / "go"
    go.write_text("#!/bin/sh\necho go version go1.26.1 linux/amd64\n", encoding="utf-8")
    go.chmod(0o755)
    assert [(step.name, step.needs) for step in livekit_steps(place)] == [("livekit", ())]


def test_a_browser_is_named_or_found_on_path(tmp_path: Path) -> None:
    environ = {"PATH": str(tmp_path)}
    assert find_chromium(environ) is None
    browser = tmp_path / "chromium"
    browser.touch(mode=0o755)
    assert find_chromium(environ) == browser
    assert find_chromium({**environ, "EXAIM_CHROMIUM": str(tmp_path / "none")}) is None


@pytest.mark.parametrize("name", ["run", "dev", "uv", "go", "node"])
def test_locks_are_pinned_by_hash_and_name_no_index_and_no_path(name: str) -> None:
    lock = (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
    pins = [line for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
    assert pins
    assert all(re.match(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==\S+( ;.*)? \\$", line) for line in pins)
    assert lock.count("--hash=sha256:") >= len(pins)
    assert "://" not in lock
    assert " @ " not in lock
    assert "--index" not in lock
    assert "--find-links" not in lock


def test_everything_that_run_needs_is_pinned_alike_for_the_tests() -> None:
    def pins(name: str) -> set[str]:
        lock = (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
        return {line.rstrip(" \\") for line in lock.splitlines() if "==" in line and not line.startswith(" ")}

    assert pins("run") <= pins("dev")


def test_every_direct_dependency_has_its_reason() -> None:
    reasons = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    for source in (ROOT / "requirements").glob("*.in"):
        for line in source.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith(("#", "-")):
                name = re.split(r"[\[=<>]", line)[0]
                assert f"`{name}" in reasons, name


def test_an_old_python_is_told_what_to_do_and_not_shown_a_traceback() -> None:
    compile(
        (ROOT / "tools" / "bootstrap.py").read_text(encoding="utf-8"),
        "bootstrap.py",
        "exec",
        dont_inherit=True,
    )
    said = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "bootstrap.py"), "dance"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 2
    assert "invalid choice" in said.stderr

"""`make test` and `make check`: the checks and, beside them, pytest, whose closing line comes last."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from infra.embedded.locate import BINARY_VARIABLE, ServerMissing, find_livekit
from tools import touched
from tools.beside import Check, beside, run, say
from tools.facts import SetupError, SetupExit
from tools.recipes import CHROMIUM_VARIABLE, Place, find_chromium, npm_argv

PYTEST_WITHIN_S: Final = 3_000.0
"""Some 20 minutes on a quiet machine; a busy one is slow, and that is no failure."""
SIDE_BY_SIDE: Final = ("-n", "2", "--durations", "20")
"""pytest's processes (tests/lanes.py), and how many of the slowest tests are named. `-n 0`: one process."""
QUICK_WITHIN_S: Final = 40.0
"""For so long `make check` begins new tests; with the rest of it, it then takes less than a minute."""
QUICK: Final = ("-n", "2", "--durations", "20", "-m", "not real and not browser")
FILES: Final = 60
"""So many test files at most are looked into: to import them takes time, too."""
UNTIL: Final = "EXAIM_TESTS_UNTIL"
"""When tests that have not begun are skipped, in seconds since 1970 (tests/conftest.py)."""
WAIT_FOR: Final = "EXAIM_TESTS_WAIT_FOR"
"""By this pytest knows which file descriptor to wait for before it closes (tests/__main__.py)."""
_NO_TESTS: Final = 5  # pytest's exit code where all tests were left out
_HIDDEN: Final = (
    "LIVEKIT_URL",
    "LIVEKIT_API_KEY",
    "LIVEKIT_API_SECRET",
    "REDIS_URL",
    "CASES",
    "PYTHONDONTWRITEBYTECODE",
)


def checks(place: Place) -> list[Check]:
    """Return the static checks in the order they run, cheapest first."""
    binaries = place.venv / "bin"
    python: list[tuple[str, tuple[str | Path, ...]]] = [
        ("ruff check", (binaries / "ruff", "check", ".")),
        ("ruff format", (binaries / "ruff", "format", "--check", ".")),
        ("import contracts", (binaries / "lint-imports",)),
        ("mypy --strict", (place.python, "-m", "tools.kept_types")),
    ]
    found = [Check(name, argv, place.root) for name, argv in python]
    web = place.root / "web"
    npm, extra = npm_argv(place)
    for script, name in (("check", "the page's types"), ("test", "the page's tests")):
        if script in _scripts(web):
            found.append(Check(name, (*npm, "run", "--silent", script), web, extra))
    return found


def _scripts(web: Path) -> Mapping[str, str]:
    try:
        package = json.loads((web / "package.json").read_text(encoding="utf-8"))
    except OSError:
        return {}
    scripts = package.get("scripts", {})
    return scripts if isinstance(scripts, dict) else {}


def run_all(place: Place, arguments: Sequence[str]) -> SetupExit:
    """Run the checks beside pytest with `arguments`; the result is DONE only if all are well."""
    environ = environ_of_tests(place, browser=True)
    argv: tuple[str | Path, ...] = (place.python, "-m", "tests", *SIDE_BY_SIDE, *arguments)
    with beside(checks(place), environ) as row:
        told = {**environ, WAIT_FOR: str(row.over)}
        status = run(argv, place.root, told, within_s=PYTEST_WITHIN_S, handed=(row.over,))
    return SetupExit.CHECKS_FAILED if row.failed or status != 0 else SetupExit.DONE


def run_quick(place: Place, arguments: Sequence[str]) -> SetupExit:
    """Run the checks beside the fast tests that look at what was changed, the nearest first, for a while."""
    base = touched.since(place.root)
    files = touched.changed(place.root, base)
    tests = touched.tests_for(place.root, files)
    chosen = tests[:FILES]
    page = any(file.startswith("web/") for file in files)
    say(f"{len(files)} files changed since {base[:12]}; {len(tests)} test files see them, {len(chosen)} run")
    found = [check for check in checks(place) if page or check.cwd == place.root]
    environ = {**environ_of_tests(place, browser=False), UNTIL: str(time.time() + QUICK_WITHIN_S)}
    argv: tuple[str | Path, ...] = (place.python, "-m", "tests", *QUICK, *arguments, *chosen)
    with beside(found, environ) as row:
        told = {**environ, WAIT_FOR: str(row.over)}
        status = run(argv, place.root, told, within_s=PYTEST_WITHIN_S, handed=(row.over,)) if tests else 0
    return SetupExit.CHECKS_FAILED if row.failed or status not in (0, _NO_TESTS) else SetupExit.DONE


def run_live(place: Place, arguments: Sequence[str]) -> SetupExit:
    """Run the contract tests of the chat models against the real services whose keys are there."""
    environ = {**place.environ, "EXAIM_LIVE": "1"}
    tests = ("tests/exaim_core/test_llm_contract.py", "--timeout", "700")
    status = run(
        (place.python, "-m", "tests", *tests, *arguments), place.root, environ, within_s=PYTEST_WITHIN_S
    )
    return SetupExit.CHECKS_FAILED if status != 0 else SetupExit.DONE


def environ_of_tests(place: Place, *, browser: bool) -> dict[str, str]:
    """Name the server and the browser for the tests, and hide the user's own servers from them.

    Bytecode is kept: the tests start some hundred processes, and each would compile our modules anew.
    `browser`: tests that drive one are among them. Raises: SetupError: a server is missing, or under CI a browser.
    """
    environ = {name: value for name, value in place.environ.items() if name not in _HIDDEN}
    try:
        environ[BINARY_VARIABLE] = str(find_livekit(place.environ))
    except ServerMissing as error:
        raise SetupError(SetupExit.STEP_FAILED, str(error)) from None
    chromium = find_chromium(place.environ)
    if browser and chromium is None and place.environ.get("CI") == "true":
        raise SetupError(
            SetupExit.NO_BROWSER, "the browser tests need Chromium, and under CI they may not skip"
        )
    if browser and chromium is None:
        say("no Chromium: the browser tests will skip (install one, or set EXAIM_CHROMIUM)")
    environ[CHROMIUM_VARIABLE] = str(chromium or "")
    return environ

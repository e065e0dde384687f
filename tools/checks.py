"""`make test`: every check, then pytest, whose closing line is the last thing printed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infra.embedded.locate import BINARY_VARIABLE, ServerMissing, find_livekit
from tools.facts import SetupError, SetupExit
from tools.recipes import CHROMIUM_VARIABLE, Place, find_chromium, npm_argv

CHECK_WITHIN_S: Final = 300.0
PYTEST_WITHIN_S: Final = 3_000.0
"""Some 15 minutes on a quiet machine; a busy one is slow, and that is no failure."""
_OURS: Final = ("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET", "REDIS_URL", "CASES")


@dataclass(frozen=True)
class Check:
    """A tool that looks at the source and says nothing if all is well."""

    name: str
    argv: tuple[str | Path, ...]
    cwd: Path
    extra: Mapping[str, str]


def checks(place: Place) -> list[Check]:
    """Return the static checks in the order they run, cheapest first."""
    binaries = place.venv / "bin"
    python: list[tuple[str, tuple[str | Path, ...]]] = [
        ("ruff check", (binaries / "ruff", "check", ".")),
        ("ruff format", (binaries / "ruff", "format", "--check", ".")),
        ("import contracts", (binaries / "lint-imports",)),
        ("mypy --strict", (binaries / "mypy",)),
        ("mypy --strict tools", (binaries / "mypy", "-p", "tools")),
    ]
    found = [Check(name, argv, place.root, {}) for name, argv in python]
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
    """Run the checks and then pytest with `arguments`; the result is DONE only if all are well."""
    environ = _test_environ(place)
    failed = [check.name for check in checks(place) if not _passes(check, environ)]
    if failed:
        _say(f"FAILED before pytest: {', '.join(failed)}")
    pytest: tuple[str | Path, ...] = (place.python, "-m", "tests", *arguments)
    status = _run(pytest, place.root, environ, within_s=PYTEST_WITHIN_S)
    return SetupExit.CHECKS_FAILED if failed or status != 0 else SetupExit.DONE


def run_live(place: Place, arguments: Sequence[str]) -> SetupExit:
    """Run the contract tests of the chat models against the real services whose keys are there."""
    environ = {**place.environ, "EXAIM_LIVE": "1"}
    tests = ("tests/exaim_core/test_llm_contract.py", "--timeout", "120")
    status = _run(
        (place.python, "-m", "tests", *tests, *arguments), place.root, environ, within_s=PYTEST_WITHIN_S
    )
    return SetupExit.CHECKS_FAILED if status != 0 else SetupExit.DONE


def _test_environ(place: Place) -> dict[str, str]:
    """Name the server and the browser for the tests, and hide the user's own servers from them."""
    environ = {name: value for name, value in place.environ.items() if name not in _OURS}
    try:
        environ[BINARY_VARIABLE] = str(find_livekit(place.environ))
    except ServerMissing as error:
        raise SetupError(SetupExit.STEP_FAILED, str(error)) from None
    browser = find_chromium(place.environ)
    if browser is None and place.environ.get("CI") == "true":
        raise SetupError(
            SetupExit.NO_BROWSER, "the browser tests need Chromium, and under CI they may not skip"
        )
    if browser is None:
        _say("no Chromium: the browser tests will skip (install one, or set EXAIM_CHROMIUM)")
    environ[CHROMIUM_VARIABLE] = str(browser or "")
    return environ


def _passes(check: Check, environ: Mapping[str, str]) -> bool:
    began_s = time.monotonic()
    status = _run(check.argv, check.cwd, {**environ, **check.extra}, within_s=CHECK_WITHIN_S)
    _say(
        f"{check.name}: {'ok' if status == 0 else f'FAILED ({status})'} in {time.monotonic() - began_s:.1f} s"
    )
    return status == 0


def _run(argv: Sequence[str | Path], cwd: Path, environ: Mapping[str, str], within_s: float) -> int:
    """Run a tool in a process group of its own, all of which ends with it; 124 if it took too long."""
    process = subprocess.Popen(
        list(map(str, argv)), cwd=cwd, env=dict(environ), stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        return process.wait(timeout=within_s)
    except subprocess.TimeoutExpired:
        _say(f"{Path(argv[0]).name} took longer than {within_s:.0f} s and was ended")
        return 124
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        process.wait()


def _say(line: str) -> None:
    sys.stdout.write(f"== {line}\n")
    sys.stdout.flush()

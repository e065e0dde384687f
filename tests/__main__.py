"""pytest, ended without the interpreter's own end: `python -m tests`, with pytest's arguments.

LiveKit's runtime has threads of its own. One that calls into an interpreter which is ending is unwound by
CPython (before 3.14), and aborts the process: a run in which every test passed would count as failed.
"""

from __future__ import annotations

import atexit
import os
import sys

import pytest

WAIT_FOR = os.environ.pop("EXAIM_TESTS_WAIT_FOR", None)
"""A file descriptor: pytest's closing line waits until nobody has its other end open."""
WHY_CHARS = 1_000


class AfterTheChecks:
    """Names a failure at once, and keeps pytest's last lines back until the checks beside it have said theirs."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Say which test failed, and with what, minutes before its traceback."""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)  # none where a fixture is missing
            why = "" if crash is None else f": {crash.message.strip().partition(chr(10))[0][:WHY_CHARS]}"
            sys.stdout.write(f"\n{report.nodeid} failed in its {report.when}{why}\n")
            sys.stdout.flush()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Wait for the checks."""
        if WAIT_FOR is not None:
            with os.fdopen(int(WAIT_FOR), "rb") as others:
                others.read()


status = int(pytest.main(plugins=[AfterTheChecks()]))
atexit._run_exitfuncs()  # pytest's own: old folders of tests go
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)

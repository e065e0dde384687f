"""Runs `exaim` commands as forks of one process that has imported them: to import takes longer than to refuse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tests.conftest import ROOT


class Forks:
    """The process that is forked. For one thread."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            (sys.executable, "-m", "tests.launcher.commands"),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, folder: Path, arguments: Sequence[str], environ: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run `exaim` with `arguments` to its end; what it says is kept in `folder`. The test's time-out holds."""
        out, err = folder / "stdout", folder / "stderr"
        order = {"arguments": list(arguments), "environ": dict(environ), "out": str(out), "err": str(err)}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        said = (path.read_text(encoding="utf-8") for path in (out, err))
        return subprocess.CompletedProcess(list(arguments), code, *said)

    def end(self) -> None:
        """End the process: none of its forks runs any more."""
        self._process.communicate()


def serve() -> None:
    """Fork for each line of stdin, and write each fork's exit code to stdout once it has ended."""
    import app.cli  # before the first fork

    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _become(json.loads(line), app.cli.main)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()


def _become(order: Mapping[str, Any], main: Any) -> NoReturn:
    """Be the command that was ordered; never return."""
    for fd, path in ((0, os.devnull), (1, order["out"]), (2, order["err"])):
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, fd)
        os.close(opened)
    os.environ.clear()
    os.environ.update(order["environ"])
    sys.argv = ["exaim", *order["arguments"]]
    code: Any = 1
    try:
        main()
    except SystemExit as ending:
        code = ending.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    serve()

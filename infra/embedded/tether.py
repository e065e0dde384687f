"""Run as a script: tie this process to its parent's life, then become another program.

    python -I -S tether.py PARENT_PID PROGRAM [ARGUMENT ...]

The kernel kills the program (SIGKILL) when the parent dies, however it dies: PR_SET_PDEATHSIG, which
survives exec. A program of its own, and not a `preexec_fn`, because running Python between fork and exec
is unsafe where the parent has threads. On systems without prctl the program runs untied.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
CANT_RUN = 127  # as a shell says it


def main(parent_pid: int, program: list[str]) -> int:
    """Become `program`; returns only if that fails, or if the parent is already gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent_pid:  # it died before the tie was made
            return CANT_RUN
    try:
        os.execvp(program[0], program)
    except OSError as error:
        sys.stderr.write(f"{program[0]}: {error.strerror}\n")
        return CANT_RUN


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))

"""pytest, ended without the interpreter's own end: `python -m tests`, with pytest's arguments.

LiveKit's runtime has threads of its own. One that calls into an interpreter which is ending is unwound by
CPython (before 3.14), and aborts the process: a run in which every test passed would count as failed.
"""

from __future__ import annotations

import atexit
import os
import sys

import pytest

status = int(pytest.main())
atexit._run_exitfuncs()  # pytest's own: old folders of tests go
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)

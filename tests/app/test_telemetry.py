"""Nothing is told to anybody by a library of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

SILENCES: Final = {"CI", "GITHUB_ACTIONS", "TF_BUILD", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME"}
"""Variables by which onnxruntime is silent anyway, or writes elsewhere."""


@pytest.mark.parametrize("module", ["app.engines", "app.voice"])
def test_onnxruntime_makes_no_device_id_and_no_queue_of_reports(module: str, tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in SILENCES}
    environ = {**kept, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    code = f"import {module}, onnxruntime"
    subprocess.run([sys.executable, "-c", code], env=environ, check=True, timeout=60)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []

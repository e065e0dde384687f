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


@pytest.mark.parametrize(("module", "others"), [("app.engines", ""), ("app.voice", ", app.worker")])
def test_onnxruntime_makes_no_device_id_and_no_queue_of_reports_and_no_client_of_a_cloud_is_loaded(
    module: str, others: str, tmp_path: Path
) -> None:
    """The others come behind onnxruntime: its silence is the module's own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in SILENCES and not name.startswith(("EXAIM_", "DEEPGRAM_"))
    }
    environ = {**kept, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    code = f"import sys, {module}, onnxruntime{others}; assert 'deepgram' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environ, check=True, timeout=60)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []

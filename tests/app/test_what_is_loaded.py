"""What a process holds that does not need it yet, or at all."""

from __future__ import annotations

import asyncio
import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from livekit.agents.telemetry.loop_monitor import ENV_WARN_THRESHOLD_MS, LoopMonitorThresholds

from app import preloaded
from app.engines import AnswerFrame, Engine
from app.serve_voice import BLOCKED_LOOP
from tts_queue.engines.protocol import Header


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        # of the engine the API wants the types alone, and no sound: 10 MB
        ("api", {"langchain_core", "exaim_core.board.board", "numpy"}),
        ("app.engines", {"ctranslate2"}),
        ("app.launcher", {"livekit.agents", "numpy", "deepgram"}),
    ],
)
def test_a_process_does_without_what_others_need(module: str, unneeded: set[str]) -> None:
    code = f"import sys, {module}; sys.exit(' '.join({unneeded!r} & set(sys.modules)) or 0)"
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, timeout=60, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, ""), "it has these, or could not be loaded"


def nothing(header: Header, payload: bytes) -> Iterator[AnswerFrame]:
    yield AnswerFrame(b"")


async def test_an_engine_that_was_loaded_ahead_is_ready_and_says_nothing_to_nobody() -> None:
    done: list[str] = []
    engine = Engine("voice", nothing, load=lambda: done.append("load"), warm=lambda: done.append("warm"))
    engine.load_ahead()
    async with asyncio.timeout(5.0):
        await engine.prepare()
    assert engine.ready.is_set()
    assert done == ["load"]
    engine.stop()


def test_the_template_keeps_no_page_of_a_model_that_it_has_read_and_can_read_it_again(tmp_path: Path) -> None:
    weights = tmp_path / "weights.ort"
    weights.write_bytes(b"weights " * 100_000)
    with weights.open("rb") as file, mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ) as model:
        assert model[-8:] == b"weights "
        model[: len(model)]
        assert resident_kb(weights) > 700
        preloaded.let_go_of_files()
        assert resident_kb(weights) == 0
        assert model[:] == weights.read_bytes()


def test_what_was_written_to_a_mapped_file_of_ones_own_stays(tmp_path: Path) -> None:
    weights = tmp_path / "weights.ort"
    weights.write_bytes(bytes(8192))
    with weights.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as model:
        model[:4] = b"kept"
        preloaded.let_go_of_files()
        assert model[:4] == b"kept"


def resident_kb(file: Path) -> int:
    """Return how much of a mapped file is in this process's memory."""
    lines = Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if line.endswith(str(file)))
    return next(int(line.split()[1]) for line in lines[start:] if line.startswith("Rss:"))


@pytest.mark.real
def test_the_template_has_all_loaded_has_no_thread_and_holds_no_secret() -> None:
    code = """
import os, sys
from app import preloaded
preloaded.load([])
from app import engines
assert len(os.listdir("/proc/self/task")) == 1, "a thread that no fork would have"
assert set(preloaded.MODULES) <= set(sys.modules)
assert "ctranslate2" not in sys.modules
from exaim_core.text.rows import Lexicon
owned = [each for module in [*sys.modules.values()] for each in vars(module).values()]
assert all(each for each in owned if isinstance(each, Lexicon)), "some would be compiled while a listener waits"
(ready,) = engines._ahead.values()
assert set(ready) == {"synthesise", "transcribe", "second"}
"""
    environ = {"PATH": os.environ["PATH"], **preloaded.ENVIRON}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, check=False, timeout=300, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_job_is_not_watched_for_a_blocked_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    assert BLOCKED_LOOP == ENV_WARN_THRESHOLD_MS
    monkeypatch.setenv(BLOCKED_LOOP, "0")
    assert LoopMonitorThresholds.from_env() is None

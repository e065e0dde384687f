"""What a process holds that does not need it yet, or at all."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import pytest
from livekit.agents.telemetry.loop_monitor import ENV_WARN_THRESHOLD_MS, LoopMonitorThresholds

from app.engines import Engine, Step, load_spare
from app.serve_voice import BLOCKED_LOOP
from tts_queue.engines.protocol import Header


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [("api", "langchain_core"), ("app.engines", "ctranslate2"), ("app.launcher", "livekit.agents")],
)
def test_a_process_does_without_what_others_need(module: str, unneeded: str) -> None:
    code = f"import sys, {module}; sys.exit({unneeded!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def nothing(header: Header, payload: bytes) -> Iterator[Step]:
    yield Step(b"")


async def test_a_spare_has_voice_and_ears_and_loads_the_second_recogniser_when_it_begins() -> None:
    loaded: list[str] = []
    engines = {
        op: Engine(op, nothing, load=lambda op=op: loaded.append(op))  # type: ignore[misc]
        for op in ("synthesise", "transcribe", "second")
    }
    await load_spare(engines)
    assert loaded == ["synthesise", "transcribe"]
    begins = asyncio.create_task(engines["second"].run())
    async with asyncio.timeout(5.0):
        await engines["second"].ready.wait()
    assert loaded == ["synthesise", "transcribe", "second"]
    begins.cancel()
    for engine in engines.values():
        engine.stop()


def test_a_job_is_not_watched_for_a_blocked_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    assert BLOCKED_LOOP == ENV_WARN_THRESHOLD_MS
    monkeypatch.setenv(BLOCKED_LOOP, "0")
    assert LoopMonitorThresholds.from_env() is None

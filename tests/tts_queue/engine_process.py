"""A real engines process for tests: started, asked until it is ready, ended by its id."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tts_queue.engines.socket_voice import EngineClient

READY_S = 60.0  # loading two models takes 3 s on an idle core


def start(socket: Path, *more: str) -> subprocess.Popen[bytes]:
    """Start the process."""
    command = [sys.executable, "-m", "app.engines", "--socket", str(socket), "--die-with-parent", *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE)


def end(process: subprocess.Popen[bytes], number: int = signal.SIGTERM) -> tuple[int, str, str]:
    """End the process; return its exit code and what it wrote to stdout and stderr."""
    if process.poll() is None:
        process.send_signal(number)
    out, err = process.communicate(timeout=20)
    return process.returncode, out.decode(), err.decode()


async def ready(socket: Path) -> dict[str, str]:
    """Wait until the process on `socket` answers; return the names of its engines."""
    async with EngineClient(socket, READY_S) as client:
        answer, _ = await client.request({"op": "hello"})
        return dict(answer["engines"])


@asynccontextmanager
async def running(socket: Path, *more: str) -> AsyncIterator[subprocess.Popen[bytes]]:
    process = start(socket, *more)
    try:
        await ready(socket)
        yield process
    finally:
        await asyncio.to_thread(end, process)

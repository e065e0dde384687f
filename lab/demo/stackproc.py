"""A whole stack for a demonstration or a bench: `exaim up` as a child, in a folder of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.launcher import socket_folder

READY_WITHIN_S: Final = 180.0  # ten seconds where there is room; a machine that others use takes minutes
ENDS_WITHIN_S: Final = 15.0
SETTLES_S: Final = 15.0
"""For so long a stack that has just come up is left alone: what was loaded is read and given back."""


class StackFailed(Exception):
    """`exaim up` did not come up; the message holds its last lines."""


@dataclass(frozen=True, slots=True)
class RunningStack:
    """Where a running stack is."""

    api_url: str
    redis_url: str
    noted: Mapping[str, Any]


@asynccontextmanager
async def stack(run_dir: Path, environ: Mapping[str, str], *options: str) -> AsyncIterator[RunningStack]:
    """Run `exaim up` in `run_dir` for as long as the block lasts. Raises: StackFailed."""
    run_dir.mkdir(parents=True, exist_ok=True)
    log = run_dir / "up.log"
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "app.cli", "up", "--port", "0", "--run-dir", str(run_dir), *options),
            stdout=out,
            stderr=out,
            env={**os.environ, **environ},
        )
        try:
            noted = await _until_ready(run_dir, process, log)
            store = socket_folder(run_dir.absolute()) / "store.sock"
            yield RunningStack(noted["page_url"].rstrip("/"), f"unix://{store}", noted)
        finally:
            await _end(process)


async def _until_ready(run_dir: Path, process: asyncio.subprocess.Process, log: Path) -> dict[str, Any]:
    note = run_dir / "stack.json"
    try:
        async with asyncio.timeout(READY_WITHIN_S):
            while process.returncode is None:
                found = await asyncio.to_thread(_read, note, process.pid)
                if found is not None:
                    return found
                await asyncio.sleep(0.1)
    except TimeoutError:
        pass
    words = await asyncio.to_thread(log.read_text, encoding="utf-8", errors="replace")
    raise StackFailed("the stack did not come up:\n" + "\n".join(words.splitlines()[-12:]))


def _read(note: Path, pid: int) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if found.get("pid") == pid else None


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(ENDS_WITHIN_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()

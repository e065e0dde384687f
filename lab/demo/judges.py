"""A recogniser of the demo's own, in a process of its own, so that judging disturbs nothing."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import numpy as np
import soxr
from numpy.typing import NDArray

from tts_queue.engines.socket_voice import SocketEars

EARS_HZ: Final = 16_000
READY_WITHIN_S: Final = 30.0

Recognise = Callable[[NDArray[np.int16]], Awaitable[str]]


@asynccontextmanager
async def ears() -> AsyncIterator[Recognise]:
    """Run an engines process for the block; yield a function from 48 kHz sound to text."""
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "ears.sock"
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "app.engines", "--socket", str(socket), "--die-with-parent"),
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                while not socket.exists():
                    await asyncio.sleep(0.05)
            async with SocketEars(socket, deadline_s=20.0) as recogniser:

                async def recognise(pcm: NDArray[np.int16]) -> str:
                    lowered = soxr.resample(pcm.astype(np.float32), 48_000, EARS_HZ)
                    sound = np.clip(lowered, -32768, 32767).astype(np.int16)
                    return (await recogniser.transcribe(sound)).text

                yield recognise
        finally:
            process.terminate()
            await process.wait()

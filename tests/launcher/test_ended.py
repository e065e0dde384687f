from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from infra.embedded.ended import until_ended

WITHIN_S = 10.0


async def waiting_one() -> asyncio.subprocess.Process:
    """Start a process that ends with its input."""
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=pipe)


async def test_the_end_of_a_process_is_told_at_once() -> None:
    process = await waiting_one()
    waiting = asyncio.create_task(until_ended(process.pid, look_s=10 * WITHIN_S))
    await asyncio.sleep(0)
    assert not waiting.done()
    await process.communicate(b"\n")
    await asyncio.wait_for(waiting, WITHIN_S)


async def test_who_waits_no_more_leaves_nothing_open() -> None:
    process = await waiting_one()
    waiting = asyncio.create_task(until_ended(process.pid, look_s=WITHIN_S))
    before = set(os.listdir("/proc/self/fd"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    assert set(os.listdir("/proc/self/fd")) <= before
    await process.communicate(b"\n")


def test_of_a_process_that_is_gone_the_look_is_waited_for(virtual: asyncio.Runner) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()

    async def scene() -> float:
        began_s = asyncio.get_running_loop().time()
        await until_ended(process.pid, look_s=0.1)
        return asyncio.get_running_loop().time() - began_s

    assert virtual.run(scene()) == pytest.approx(0.1)

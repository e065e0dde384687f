"""The end of a process, as the kernel tells it: nobody has to look."""

from __future__ import annotations

import asyncio
import os


async def until_ended(pid: int, look_s: float) -> None:
    """Return once a process has ended, or after `look_s` if the kernel can't watch it.

    It need not be ours, and may still wait to be reaped. Linux tells since 5.3.
    """
    try:
        fd = os.pidfd_open(pid)
    except (AttributeError, OSError):  # another system, an older kernel, or it is gone
        await asyncio.sleep(look_s)
        return
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(fd, ended.set)
        await ended.wait()
    finally:
        loop.remove_reader(fd)
        os.close(fd)

"""The driver's hold on a page: a process that tells what happens to it, line by line."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from lab.chaos.audit import Heard
from lab.chaos.runs import Run
from lab.demo.listener import ListenerError

ENDS_WITHIN_S: Final = 5.0

Told = dict[str, Any]


class PageProcess:
    """A page in a process of its own. Owned by whoever started it: `end` it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.told: list[Told] = []
        self._process = process
        self._changed = asyncio.Condition()
        self._following = asyncio.create_task(self._follow(), name="page-follow")  # ended by `end`

    @staticmethod
    async def start(log: Path) -> PageProcess:
        """Return a page that is up and waits for its order; its log is `log`. Raises: ListenerError."""
        with log.open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "lab.chaos.page"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
            )
        page = PageProcess(process)
        try:
            await page.wait_for(lambda told: told["what"] == "up", 30.0, "a page's start")
        except ListenerError:
            await page.end()
            raise
        return page

    async def join(self, order: dict[str, str]) -> float:
        """Let it join; return when it was told to (monotonic)."""
        await self._say(order)
        return time.monotonic()

    async def leave(self) -> None:
        """Let it leave as a reload does."""
        await self._say({"leave": True})

    async def _say(self, what: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(what).encode() + b"\n")
            await self._process.stdin.drain()
        except ConnectionError as error:
            raise ListenerError("a page has ended by itself") from error

    async def _follow(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            async with self._changed:
                self.told.append(json.loads(line))
                self._changed.notify_all()

    async def wait_for(self, wanted: Callable[[Told], bool], within_s: float, what: str) -> Told:
        """Return the first telling that is wanted, past or to come. Raises: ListenerError."""
        seen = 0
        try:
            async with asyncio.timeout(within_s), self._changed:
                while True:
                    for told in self.told[seen:]:
                        if wanted(told):
                            return told
                    seen = len(self.told)
                    await self._changed.wait()
        except TimeoutError:
            raise ListenerError(f"{what} was not told within {within_s:.0f} s") from None

    async def kill(self) -> None:
        """End it as SIGKILL does."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        await self._following

    async def end(self) -> None:
        """End it in order if it can, else as `kill`; idempotent."""
        if self._process.returncode is None and self._process.stdin is not None:
            self._process.stdin.close()
            try:
                async with asyncio.timeout(ENDS_WITHIN_S):
                    await self._process.wait()
            except TimeoutError:
                pass
        await self.kill()


def heard(told: list[Told], until_s: float) -> Heard:
    """Return what a page heard: sound by track, and when it was connected and had said so. Pure."""
    sound: dict[str, list[Run]] = {}
    there: list[Run] = []
    since_s: float | None = None
    for each in told:
        match each["what"]:
            case "sound":
                sound.setdefault(each["sid"], []).append(Run(each["from"], each["to"]))
            case "ready" if since_s is None:
                since_s = each["at"]
            case "lost" | "elsewhere" | "over" | "left" if since_s is not None:
                there.append(Run(since_s, each["at"]))
                since_s = None
    if since_s is not None:
        there.append(Run(since_s, until_s))
    return Heard(sound, there)

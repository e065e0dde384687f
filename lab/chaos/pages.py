"""The driver's hold on a page: a process that tells what happens to it, line by line."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Final

from lab.chaos.audit import Heard
from lab.chaos.runs import Run
from lab.tellers import Teller, Told

ENDS_WITHIN_S: Final = 5.0


class PageProcess(Teller):
    """A page in a process of its own. Owned by whoever started it: `end` it."""

    @classmethod
    async def start(cls, log: Path) -> PageProcess:
        """Return a page that is up and waits for its order; its log is `log`. Raises: ListenerError."""
        with log.open("ab") as errors:
            return await cls.started("lab.chaos.page", lambda told: told["what"] == "up", errors)

    async def join(self, order: dict[str, str]) -> float:
        """Let it join; return when it was told to (monotonic)."""
        await self.say(order)
        return time.monotonic()

    async def leave(self) -> None:
        """Let it leave as a reload does."""
        await self.say({"leave": True})

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

"""A process of the laboratory's that tells what happens to it, a JSON object a line, and is told what to do so too."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from typing import IO, Any, Final, Self

from lab.demo.listener import ListenerError

UP_WITHIN_S: Final = 30.0

Told = dict[str, Any]


class Teller:
    """The hold on such a process. Owned by whoever started it: `kill` it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.told: list[Told] = []
        self._process = process
        self._changed = asyncio.Condition()
        self._following = asyncio.create_task(self._follow(), name="teller-follow")  # ended by `kill`

    @classmethod
    async def started(
        cls, module: str, is_up: Callable[[Told], bool], errors: IO[bytes] | None = None
    ) -> Self:
        """Run a module, and return it once it is up; its errors go where ours do, or to `errors`.

        Raises: ListenerError: it does not come up; it is killed then.
        """
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", module),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
        found = cls(process)
        try:
            await found.wait_for(is_up, UP_WITHIN_S, f"the start of {module}")
        except ListenerError:
            await found.kill()
            raise
        return found

    async def say(self, what: Mapping[str, Any]) -> None:
        """Tell it something. Raises: ListenerError: it has ended by itself."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(what).encode() + b"\n")
            await self._process.stdin.drain()
        except ConnectionError as error:
            raise ListenerError("a process that was told something has ended by itself") from error

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
        """End it as SIGKILL does, if it has not ended; idempotent."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        await self._following

"""Scenes in which nobody speaks into a microphone, two at a time: each test looks at what came of one.

They mostly wait for speech. Two side by side cost a stack little more than one, and take half the time.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from lab.demo.listener import Grant, follow
from tests.conftest import ROOT
from tests.e2e.sharing import UpStack

Scene = Callable[[UpStack], Coroutine[Any, Any, Any]]
Test = TypeVar("Test", bound=Callable[..., Any])
ROWS: Final = 2
ALONE_S: Final = 15.0
"""For so long the first scene has the stack to itself: how soon its first word is heard is looked at."""


@asynccontextmanager
async def running(*arguments: str) -> AsyncIterator[tuple[Grant, float]]:
    """Run a program of ours that prints a link, while the block lasts; yield the way in, and when that was printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60.0):
            line = (await process.stdout.readline()).decode()
        opened_s = time.monotonic()
        yield await follow(line.removeprefix("Listen here: ").strip()), opened_s
        async with asyncio.timeout(60.0):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def of(scene: Scene, *, lasts_s: float) -> Callable[[Test], Test]:
    """Name the scene that a test looks at, and about how long it takes where there is room."""

    def named(test: Test) -> Test:
        test.scene, test.lasts_s = scene, lasts_s  # type: ignore[attr-defined]
        return test

    return named


def longest_first(tests: Iterable[object]) -> list[Scene]:
    """Return the scenes of tests, each once."""
    lasts_s = {test.scene: test.lasts_s for test in tests if hasattr(test, "scene")}  # type: ignore[attr-defined]
    return sorted(lasts_s, key=lambda scene: -lasts_s[scene])


class Played:
    """What came of each scene."""

    def __init__(self) -> None:
        self._found: dict[Scene, Any] = {}

    def result(self, scene: Scene) -> Any:
        """Return what the scene returned. Raises: what it raised."""
        found = self._found[scene]
        if isinstance(found, Exception):
            raise found
        return found

    async def play(self, up: UpStack, scenes: Iterable[Scene]) -> None:
        """Play all in two rows. One that fails ends no other."""
        waiting = deque(scenes)

        async def row(after_s: float) -> None:
            await asyncio.sleep(after_s)
            while waiting:
                scene = waiting.popleft()
                try:
                    self._found[scene] = await scene(up)
                except Exception as error:
                    self._found[scene] = error

        await asyncio.gather(*(row(number * ALONE_S) for number in range(min(ROWS, len(waiting)))))

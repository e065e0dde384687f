"""Scenes that each have a room of the shared stack to themselves, and are played beside each other.

A scene mostly waits for speech. So the first test of a row of them begins all of the row, `AT_ONCE` at a time;
each test then waits for its own. A row ends at the next test that is no scene.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

import pytest
import pytest_asyncio

AT_ONCE: Final = 2
"""With three, beside a stack of a test's own, two cores would not be enough."""

APART_S: Final = 5.0
"""Between two that begin: a voice that starts beside another one is slow to come, and is asked for again."""

Scene = Callable[..., Awaitable[None]]


class Rooms:
    """The scenes that play now, or wait for their turn. For one event loop."""

    def __init__(
        self, items: Sequence[pytest.Item], given: Mapping[str, Any], apart_s: float = APART_S
    ) -> None:
        """`items` in the order in which they are run; `given`: what scenes may ask for, by name."""
        self._items, self._given, self._apart_s = items, given, apart_s
        self._played: dict[str, asyncio.Task[None]] = {}
        self._turns, self._entering = asyncio.Semaphore(AT_ONCE), asyncio.Lock()
        self._begun_s = float("-inf")

    async def played(self, item: pytest.Item) -> None:
        """Wait until the scene of a test is over; what it raised is raised here."""
        if item.nodeid not in self._played:
            self._begin(item)
        await self._played[item.nodeid]

    async def close(self) -> None:
        """End what nobody waits for any more."""
        for task in self._played.values():
            task.cancel()
        await asyncio.gather(*self._played.values(), return_exceptions=True)

    def _begin(self, first: pytest.Item) -> None:
        for item in takewhile(_is_scene, self._items[self._items.index(first) :]):
            scene: Scene = item.function.scene  # type: ignore[attr-defined]  # of pytest's functions
            self._played[item.nodeid] = asyncio.create_task(self._play(scene), name=item.name)

    async def _play(self, scene: Scene) -> None:
        now_s = asyncio.get_running_loop().time
        async with self._turns:
            async with self._entering:
                await asyncio.sleep(self._begun_s + self._apart_s - now_s())
                self._begun_s = now_s()
            await scene(**{name: self._given[name] for name in inspect.signature(scene).parameters})


def _is_scene(item: pytest.Item) -> bool:
    return hasattr(getattr(item, "function", None), "scene")


def beside(scene: Scene) -> Scene:
    """Make a test of a scene: it is played in a row, beside another one."""

    @pytest.mark.asyncio(loop_scope="session")
    async def test(rooms: Rooms, request: pytest.FixtureRequest) -> None:
        await rooms.played(request.node)

    test.__name__, test.__qualname__ = scene.__name__, scene.__qualname__
    test.__module__, test.__doc__ = scene.__module__, scene.__doc__
    test.scene = scene  # type: ignore[attr-defined]  # a function's attribute, by which a row is known
    return test


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def rooms(request: pytest.FixtureRequest) -> AsyncIterator[Rooms]:
    """Return the rooms of this process, on a loop that all scenes share; see that no task is left behind."""
    before = asyncio.all_tasks()
    given = {name: request.getfixturevalue(name) for name in ("up", "said")}
    held = Rooms(request.session.items, given)
    yield held
    await held.close()
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not left, f"tasks left behind: {left}"

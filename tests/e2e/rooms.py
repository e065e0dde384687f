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

Scene = Callable[..., Awaitable[None]]


class Rooms:
    """The scenes that play now, or wait for their turn. For one event loop."""

    def __init__(self, items: Sequence[pytest.Item], given: Mapping[str, Any]) -> None:
        """`items` in the order in which they are run; `given`: what scenes may ask for, by name."""
        self._items, self._given = items, given
        self._played: dict[str, asyncio.Task[None]] = {}

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
        turns = asyncio.Semaphore(AT_ONCE)
        row = takewhile(_is_scene, self._items[self._items.index(first) :])
        for item in row:
            play = _play(item.function.scene, self._given, turns)  # type: ignore[attr-defined]  # pytest's
            self._played[item.nodeid] = asyncio.create_task(play, name=item.name)


def _is_scene(item: pytest.Item) -> bool:
    return hasattr(getattr(item, "function", None), "scene")


async def _play(scene: Scene, given: Mapping[str, Any], turns: asyncio.Semaphore) -> None:
    async with turns:
        await scene(**{name: given[name] for name in inspect.signature(scene).parameters})


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
    assert not left, f"tasks left behind: {[task.get_name() for task in left if task]}"

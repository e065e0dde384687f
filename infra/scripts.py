"""Runs the Lua scripts of `infra/lua`: one round trip each, a deadline, and our own errors."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import OutOfMemoryError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from infra.errors import CorruptSession, StoreMisconfigured, StoreUnavailable
from infra.keys import SessionKeys

SESSION_TTL_MS: Final = 4 * 3600 * 1000
"""How long a session's keys outlive its last write: the longest case plus an evening."""

DEADLINE_S: Final = 5.0
"""For one operation with all its retries; the client's own retries last 2.6 s on a refused connection."""


@cache
def source(name: str) -> str:
    """Return the text of script `name`, the shared head before it."""
    folder = files("infra") / "lua"
    return (folder / "prelude.lua").read_text("utf-8") + (folder / f"{name}.lua").read_text("utf-8")


@contextlib.asynccontextmanager
async def answering(doing: str, deadline_s: float = DEADLINE_S) -> AsyncIterator[None]:
    """Turn a missing answer, or a store without memory, into StoreUnavailable; `doing` names the operation.

    A key of another type is CorruptSession, any other refusal of the server's StoreMisconfigured.

    A cancellation is never lost: before Python 3.12 `asyncio.wait_for`, under which the client sends,
    swallows one that comes as the send completes (cpython#86296). It is raised here then; the
    operation may have been done.
    """
    task = asyncio.current_task()
    asked_before = task.cancelling() if task else 0

    def pass_on_cancellation() -> None:
        if task and task.cancelling() > asked_before:
            raise asyncio.CancelledError

    try:
        async with asyncio.timeout(deadline_s):
            yield
    except (RedisConnectionError, RedisTimeoutError, TimeoutError, OutOfMemoryError) as error:
        pass_on_cancellation()
        raise StoreUnavailable(doing) from error
    except ResponseError as error:  # its message may quote a key, never a value
        if "WRONGTYPE" in str(error):
            raise CorruptSession(doing, "a key of another type has that name") from error
        raise StoreMisconfigured(f"the store refused {doing}: {type(error).__name__}: {error}") from error
    pass_on_cancellation()


class Scripts:
    """The scripts of one session. Every script declares all of the session's keys.

    Each script may be sent twice with one effect, because the client retries after a timeout.
    """

    def __init__(self, client: Redis, keys: SessionKeys) -> None:
        self._client = client
        self._declared = keys.declared

    async def run(self, name: str, *args: str | int) -> tuple[str, str]:
        """Run script `name`; return the reply's word and its second part, or "".

        Raises: StoreUnavailable.
        """
        reply = await self._call(name, args)
        return reply[0], reply[1] if len(reply) > 1 else ""

    async def read(self, name: str) -> list[str]:
        """Run script `name`, which only reads; return its whole reply. Raises: StoreUnavailable."""
        return await self._call(name, ())

    async def _call(self, name: str, args: Sequence[str | int]) -> list[str]:
        script = self._client.register_script(source(name))
        async with answering(name):
            reply: list[str | int] = await script(self._declared, (SESSION_TTL_MS, *args))
        return [str(part) for part in reply]

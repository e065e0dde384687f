"""Runs the Lua scripts of `infra/lua`: one round trip each, a deadline, and our own errors."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from types import TracebackType
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import AuthenticationError, OutOfMemoryError, ResponseError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from chat_models.unconnected import chain, unconnected
from infra.deadlines import Deadline
from infra.errors import CorruptSession, StoreFull, StoreMisconfigured, StoreUnavailable
from infra.keys import SessionKeys

SESSION_TTL_MS: Final = 4 * 3600 * 1000
"""How long a session's keys outlive its last write: the longest case plus an evening."""

DEADLINE_S: Final = 5.0
"""For one operation with all its retries; the client's own retries last 2.6 s on a refused connection."""

_NO_ANSWER: Final = (RedisConnectionError, RedisTimeoutError, TimeoutError)

_NOT_OURS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile("WRONGTYPE"), "a key of another type has that name"),
    (
        re.compile(r"attempt to |bad argument #|is not an integer|is not a valid float"),
        "a value is no number",
    ),
)
"""What the server says of a value that no script of ours has written; its words name no value."""


@cache
def source(name: str) -> str:
    """Return the text of script `name`, the shared head before it."""
    folder = files("infra") / "lua"
    return (folder / "prelude.lua").read_text("utf-8") + (folder / f"{name}.lua").read_text("utf-8")


def _may_pass(error: BaseException) -> bool:
    """Return whether there was no answer, or the disk has no room: writes are refused until it has some."""
    # Redis 6 says MISCONF within a script's error.
    full_disk = isinstance(error, ResponseError) and "MISCONF" in str(error)
    return full_disk or isinstance(error, _NO_ANSWER)


def _because(error: BaseException | None) -> str:
    """Return why there is no connection, without address and password; "" if unknown."""
    if any(isinstance(each, AuthenticationError) for each in chain(error)):
        return "it refuses the user or the password"
    return unconnected(error)


def _is_full(error: BaseException | None) -> bool:
    """Return whether the store has no memory left; Redis 6 says so within the error of a script."""
    within = isinstance(error, ResponseError) and "OOM command not allowed" in str(error)
    return within or isinstance(error, OutOfMemoryError)


class answering:
    """Raise StoreUnavailable for a missing answer or a full disk in a block; StoreFull for full memory.

    A key of another type is CorruptSession, and so is what is no UTF-8, or no number where the block makes
    one of it: damage under one session's keys. Any other refusal of the server's is StoreMisconfigured.

    A cancellation is never lost: before Python 3.12 `asyncio.wait_for`, under which the client sends
    what the socket does not take at once, swallows one that comes as the send completes (cpython#86296).
    It is raised here then; the operation may have been done.

    Args:
        doing: names the operation in the error.
        deadline_s: for all of the block.
    """

    __slots__ = ("_deadline", "_doing")

    def __init__(self, doing: str, deadline_s: float = DEADLINE_S) -> None:
        self._doing, self._deadline = doing, Deadline(deadline_s)

    async def __aenter__(self) -> None:
        self._deadline.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._deadline.__exit__(kind, error, trace)
        except TimeoutError as expired:
            error = expired
        if error is None or _may_pass(error):
            if self._deadline.cancelled:
                raise asyncio.CancelledError
            if error is not None:
                raise StoreUnavailable(self._doing, _because(error)) from error
        if _is_full(error):
            raise StoreFull(self._doing) from error
        if isinstance(error, ValueError):  # its text quotes the value; a UnicodeDecodeError is one
            raise CorruptSession(self._doing, type(error).__name__) from None
        if isinstance(error, ResponseError):  # its message may quote a key, never a value
            for told, why in _NOT_OURS:
                if told.search(str(error)):
                    raise CorruptSession(self._doing, why) from error
            refused = f"the store refused {self._doing}: {type(error).__name__}: {error}"
            raise StoreMisconfigured(refused) from error


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

"""Runs the Lua scripts of this folder on one thread: one round trip each, and our own errors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.client import NEVER_DECODE
from redis.exceptions import ClusterError, NoScriptError, ResponseError, TryAgainError

from infra.checkpoints.errors import MEND, CorruptRecord
from infra.checkpoints.keys import ThreadKeys
from infra.checkpoints.records import SCHEMA
from infra.errors import Fenced, StoreUnavailable, TornSession
from infra.keys import SessionKeys
from infra.leases import Fence
from infra.scripts import answering
from infra.store import readable

Client = Redis | RedisCluster

_THREAD: Final = "a thread's checkpoints"


@cache
def source(name: str) -> tuple[str, str]:
    """Return the text of script `name`, what it shares with others before it, and its SHA-1."""
    folder = files("infra") / "checkpoints" / "lua"
    own = (folder / f"{name}.lua").read_text("utf-8")
    shared = ("prelude", "thinning") if "thinning()" in own else ("prelude",)
    text = "".join((folder / f"{part}.lua").read_text("utf-8") for part in shared) + own
    return text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class CheckpointScripts:
    """The scripts of this folder, under one fence or none.

    Each may be sent twice with one effect, because the client retries after a timeout.

    Args:
        client: of one server or of a cluster; whether it decodes replies does not matter.
        ttl_ms: how long a thread's keys outlive its last write.
        session: whose lease the fence is of; None without a fence.
    """

    def __init__(self, client: Client, ttl_ms: int, fence: Fence | None, session: SessionKeys | None) -> None:
        self._client, self._ttl_ms, self._fence = client, ttl_ms, fence
        self._fence_key = session.name(f"fence:{fence.kind}") if fence and session else None

    async def run(self, name: str, keys: ThreadKeys, *args: str | bytes | int) -> tuple[str, list[Any]]:
        """Run script `name`, which writes; return the reply's word and the rest of it, strings as bytes.

        Raises: Fenced, TornSession, NewerSchema, CorruptRecord, StoreUnavailable, StoreMisconfigured.
        """
        if self._fence is None or self._fence_key is None:
            return await self._call(name, keys.declared, "", args)
        return await self._call(name, (*keys.declared, self._fence_key), self._fence.token, args)

    async def read(self, name: str, keys: ThreadKeys, *args: str | bytes | int) -> tuple[str, list[Any]]:
        """Run script `name`, which only reads, as `run` does, but under no fence."""
        return await self._call(name, keys.declared, "", args)

    async def _call(
        self, name: str, declared: Sequence[str], token: str, args: Sequence[str | bytes | int]
    ) -> tuple[str, list[Any]]:
        async with answering(f"checkpoints: {name}"):
            reply = await self._evaluate(name, declared, (self._ttl_ms, token, *args))
        word, rest = reply[0].decode(), reply[1:]
        self._refuse(word, rest)
        return word, rest

    async def _evaluate(self, name: str, keys: Sequence[str], args: Sequence[str | bytes | int]) -> list[Any]:
        text, sha = source(name)
        call = (len(keys), *keys, *args)
        try:
            try:
                return await self._send("EVALSHA", sha, *call)
            except NoScriptError:  # a server that is new, restarted or flushed; EVAL makes it known too
                return await self._send("EVAL", text, *call)
        except (ClusterError, TryAgainError) as error:  # slots on the move, or a primary that is gone
            raise StoreUnavailable(f"checkpoints: {name}") from error
        except ResponseError as error:
            if "WRONGTYPE" in str(error):
                raise CorruptRecord(_THREAD, "a key is of another type") from error
            raise

    async def _send(self, *command: str | bytes | int) -> list[Any]:
        """Send a command whose reply is bytes even where the client decodes: blobs are no text."""
        reply: list[Any] = await self._client.execute_command(*command, **{NEVER_DECODE: True})
        return reply

    def _refuse(self, word: str, rest: list[Any]) -> None:
        match word:
            case "FENCED":
                raise Fenced(self._fence.kind if self._fence else "unknown")
            case "TORN":
                raise TornSession(f"the store has dropped part of {_THREAD}: {rest[0].decode()}; {MEND}")
            case "SCHEMA":
                if not rest[0].isdigit():
                    raise CorruptRecord(_THREAD, "their marker is not ours")
                readable(_THREAD, int(rest[0]), SCHEMA)

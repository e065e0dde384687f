"""Lease a session to one process: `voice` may speak, `reason` may judge, `team` runs a team of ours.

A lease is checked twice. The store compares the fence token in every guarded script, so that a paused process writes
nothing after its successor came. And the holder stops at a local deadline, before the lease can have run out, so that
it does not speak meanwhile either.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NoReturn
from uuid import uuid4

from redis.asyncio import Redis

from infra.errors import CorruptSession, LeaseLost, StoreUnavailable
from infra.keys import SessionKeys
from infra.scripts import Scripts
from infra.sfu_port import GRACE_S

LeaseKind = Literal["voice", "reason", "team"]

MARGIN_S: Final = 0.3
"""Local deadline before the store's: a frame of 20 ms, a native queue of 100 ms, and the clocks' drift."""

GIVE_UP_S: Final = float(GRACE_S)
"""How long the store may be gone before the holder gives up: the session's grace."""


def boottime_s() -> float:
    """Return seconds since boot, time asleep included: a lease runs out during a suspend too."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # Linux only; elsewhere the next best
    return time.clock_gettime(clock)


@dataclass(frozen=True, slots=True)
class Fence:
    """Proof of a lease, compared in every script that it guards; `token` is `<epoch>:<random>`."""

    kind: LeaseKind
    epoch: int
    token: str


class Lease:
    """One process's claim on one lease of one session.

    Args:
        owner: a uuid for each start of a process, never a host name.
        ttl_s: how long the store keeps it without renewal; takeover takes this long after a crash.
        now_s: local clock for the deadline.

    `vacant_s` is for how long nobody had held it when it was acquired, by the store's clock; None: nobody
    ever had.
    """

    def __init__(
        self,
        client: Redis,
        keys: SessionKeys,
        kind: LeaseKind,
        owner: str | None = None,
        ttl_s: float = 4.0,
        *,
        now_s: Callable[[], float] = boottime_s,
    ) -> None:
        self.kind, self.owner, self.ttl_s = kind, owner or uuid4().hex, ttl_s
        self._scripts = Scripts(client, keys)
        self._now_s = now_s
        self._fence: Fence | None = None
        self._valid_until_s = float("-inf")
        self.vacant_s: float | None = None

    @property
    def fence(self) -> Fence:
        """The current fence. Raises LeaseLost while the lease was never held, or was given up."""
        if self._fence is None:
            raise LeaseLost(self.kind, "it is not held")
        return self._fence

    @property
    def valid(self) -> bool:
        """Whether the lease is surely ours now; to be asked before each audio frame."""
        return self._now_s() < self._valid_until_s

    async def acquire(self) -> Fence | None:
        """Take the lease if nobody holds it; the epoch rises. None: another owner holds it.

        Raises: StoreUnavailable, CorruptSession.
        """
        asked_at_s = self._now_s()
        word, reply = await self._scripts.run(
            "acquire", self.kind, self.owner, self._ttl_ms, secrets.token_hex(8)
        )
        if word != "OK":
            return None
        token, _, vacant_ms = reply.partition(" ")
        try:
            fence = Fence(self.kind, int(token.split(":")[0]), token)
            self.vacant_s = max(0, int(vacant_ms)) / 1000 if vacant_ms else None
        except ValueError as error:
            raise CorruptSession(f"the {self.kind} lease", type(error).__name__) from None
        self._fence = fence
        self._extend(asked_at_s)
        return self._fence

    async def renew(self) -> None:
        """Keep the lease for another `ttl_s`. Raises LeaseLost, StoreUnavailable."""
        fence, asked_at_s = self.fence, self._now_s()
        word, _ = await self._scripts.run("renew", self.kind, self.owner, self._ttl_ms, fence.token)
        if word != "OK":
            self._drop()
            raise LeaseLost(self.kind, "a successor took it over, or the session expired")
        self._extend(asked_at_s)

    async def hold(self) -> NoReturn:
        """Renew every quarter of the time to live until cancelled (the lease is then kept: see `release`).

        An outage of the store only makes the lease invalid until it is back.

        Raises: LeaseLost: it went to a successor, or the store was gone for 5 minutes.
        """
        while True:
            await asyncio.sleep(self.ttl_s / 4)
            try:
                await self.renew()
            except StoreUnavailable as error:
                if self._now_s() - self._valid_until_s > GIVE_UP_S:
                    self._drop()
                    raise LeaseLost(self.kind, "the store was gone for too long") from error

    async def release(self) -> None:
        """Release the lease, so that a successor need not wait; no error if it is lost already.

        Raises: StoreUnavailable: the lease then runs out by itself.
        """
        if self._fence is None:
            return
        fence = self._fence
        self._drop()
        await self._scripts.run("release", self.kind, self.owner, fence.token)

    @property
    def _ttl_ms(self) -> int:
        return round(self.ttl_s * 1000)

    def _extend(self, asked_at_s: float) -> None:
        """Count from before the call: the store cannot have counted from earlier."""
        self._valid_until_s = asked_at_s + self.ttl_s - min(MARGIN_S, self.ttl_s / 4)

    def _drop(self) -> None:
        self._fence = None
        self._valid_until_s = float("-inf")

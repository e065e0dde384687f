"""A client whose scripts of one kind are late, and which tells what it ran, in order."""

from __future__ import annotations

import asyncio
from typing import Any

from redis.asyncio import Redis

from infra.checkpoints.scripts import source

_NAMES = {source(name)[1]: name for name in ("put", "put_writes", "get")}


class GatedRedis(Redis):
    """Shares another client's connections.

    Scripts called `gated` wait for `gate`, which is open at first, and then for `turns` of the event
    loop; `arrived` says that one has come to the gate.
    """

    def __init__(self, client: Redis, gated: str, turns: int = 0) -> None:
        super().__init__(connection_pool=client.connection_pool)
        self.gate, self.arrived = asyncio.Event(), asyncio.Event()
        self.gate.set()
        self.ran: list[str] = []
        self._gated, self._turns = gated, turns

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Send a command, once the gate is open if it is a gated script."""
        name = _NAMES.get(str(args[1])) if args[0] == "EVALSHA" else None
        if name == self._gated:
            self.arrived.set()
            await self.gate.wait()
            for _ in range(self._turns):
                await asyncio.sleep(0)
        reply = await super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        if name:
            self.ran.append(name)
        return reply

"""Which job is on its way to be a session's voice: from when a worker takes it until it is in its room.

While one is, no worker takes another, and the watcher asks for none. Whoever takes a job claims that it is on its
way, and renews the claim for as long as the job's process lives and is not there: so this holds however long the
way takes on a busy machine, and a job that dies on its way is out of it within `TTL_S`.
"""

from __future__ import annotations

from typing import Final

from redis.asyncio import Redis

from infra.keys import SessionKeys
from infra.scripts import Scripts

NAME: Final = "arriving"
OVER_MARK: Final = "-"
TTL_S: Final = 4.0  # as a lease's: a worker that is killed with a job on its way costs no more than a voice


class Arrival:
    """One job's way to the room of one session. Each call raises: StoreUnavailable, StoreFull."""

    def __init__(self, client: Redis, keys: SessionKeys, job_id: str, ttl_s: float = TTL_S) -> None:
        self._scripts = Scripts(client, keys)
        self._job_id, self._ttl_ms = job_id, round(1000 * ttl_s)

    async def claim(self) -> bool:
        """Take or renew the claim; return whether this job is on its way, and no other."""
        word, _ = await self._scripts.run("arrive", self._job_id, self._ttl_ms)
        return word == "OK"

    async def over(self) -> None:
        """Tell that the job is in its room, or will not come. May be told by two, and more than once."""
        await self._scripts.run("arrived", self._job_id, self._ttl_ms)


def is_arriving(holder: str | None) -> bool:
    """Return whether the value of the key `NAME` says that a job is on its way."""
    return holder is not None and not holder.startswith(OVER_MARK)

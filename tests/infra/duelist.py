"""A worker that writes as fast as it can for as long as it may; run as a process by the duel's test.

Arguments: the store's URL. Ends with 3 once it is fenced, after one line on stdout for each state.
"""

from __future__ import annotations

import asyncio
import sys

from infra.errors import Fenced
from infra.keys import SessionKeys
from infra.leases import Lease
from infra.store import connect
from infra.streams import SessionStreams
from tests.infra.making import events


async def fight(url: str) -> int:
    """Take the lease, append events one by one until fenced."""
    client = connect(url)
    keys = SessionKeys("t-1", "s-1")
    lease = Lease(client, keys, "reason", ttl_s=0.5)
    fence = await lease.acquire()
    assert fence is not None
    say("writing")
    streams, seq = SessionStreams(client, keys), 0
    try:
        while True:
            await streams.append_events(events(seq, seq), fence)
            seq += 1
    except Fenced:
        say("still valid" if lease.valid else "fenced")
        return 3
    finally:
        await client.aclose()


def say(what: str) -> None:
    """Tell the test."""
    sys.stdout.write(what + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(asyncio.run(fight(sys.argv[1])))

"""What a put and a get of 20 KB cost. By hand: `python -m tests.checkpoints.measure [--url URL]`.

Without a URL it starts the embedded store. The state has 10 channels of 2 KB, of which 3 change in
each step; the thread keeps its last 20 checkpoints, or all with `--keep 0`. An empty round trip (ping) is
measured beside them: on a busy machine all of them grow together.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

from redis.asyncio import Redis

from infra.checkpoints import RedisSaver
from infra.checkpoints.keys import ThreadKeys
from infra.store import connect
from tests.checkpoints.making import config, following, there
from tests.servers import valkey

CHANNELS, CHANGING, VALUE = 10, 3, "x" * 2000


async def measure(url: str, puts: int, keep: int) -> list[str]:
    """Return a line for each kind of call."""
    client = connect(url)
    saver, taken = RedisSaver(client, keep=keep), Taken()
    thread = ThreadKeys("measured")
    await saver.adelete_thread(thread.thread_id)
    where = await saver.aput(
        *following(saver, {f"c{n}": VALUE for n in range(CHANNELS)}, at=config(thread.thread_id))
    )
    for step in range(puts):
        last = await there(saver, where)
        changes = {f"c{(step + n) % CHANNELS}": f"{step}{VALUE}" for n in range(CHANGING)}
        await taken.time("ping", client.ping())
        await taken.time("put_writes", saver.aput_writes(where, list(changes.items()), f"task-{step}"))
        await taken.time("put", saver.aput(*(ready := following(saver, changes, after=last))))
        where = config(thread.thread_id, checkpoint_id=ready[1]["id"])
        await taken.time("get", saver.aget_tuple(config(thread.thread_id)))
    lines = [*taken.lines(), await _size(client, thread)]
    await saver.adelete_thread(thread.thread_id)
    await client.aclose()
    return lines


class Taken:
    """How long the calls of each kind took."""

    def __init__(self) -> None:
        self._ms: dict[str, list[float]] = {}

    async def time(self, what: str, call: Awaitable[object]) -> None:
        began_s = time.perf_counter()
        await call
        self._ms.setdefault(what, []).append((time.perf_counter() - began_s) * 1000)

    def lines(self) -> list[str]:
        return [self._line(what, statistics.quantiles(ms, n=100)) for what, ms in self._ms.items()]

    def _line(self, what: str, cuts: list[float]) -> str:
        return f"{what:10}  p50 {cuts[49]:.2f} ms  p99 {cuts[98]:.2f} ms  n {len(self._ms[what])}"


async def _size(client: Redis, thread: ThreadKeys) -> str:
    there = [key for key in thread.declared if await client.exists(key)]
    size = sum([await client.memory_usage(key, samples=0) or 0 for key in there])
    return f"{len(there)} keys, {size / 2**20:.2f} MiB"


def main() -> None:
    """Measure and say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url")
    parser.add_argument("--puts", type=int, default=1000)
    parser.add_argument("--keep", type=int, default=20)
    asked = parser.parse_args()
    if asked.url:
        lines = asyncio.run(measure(asked.url, asked.puts, asked.keep))
    else:
        with tempfile.TemporaryDirectory() as folder, valkey(Path(folder)) as server:
            lines = asyncio.run(measure(server.url, asked.puts, asked.keep))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

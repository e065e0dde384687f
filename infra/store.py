"""The store's client, and whether the server behind it can be trusted with a session."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import AuthenticationError, ResponseError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from infra.connections import pool
from infra.errors import NewerSchema, StoreFull, StoreMisconfigured
from infra.scripts import answering

SOCKET_TIMEOUT_S: Final = 2.0
OLDEST_REDIS: Final = (6, 0)  # streams, and scripts replicated by effect, since 5; older than 6 is not run


HOW_TO_WRITE: Final = (
    "give redis://user:password@host:6379/0, rediss:// for TLS, or unix:///a/socket; in a password write "
    "/ ? # @ and : as %2F %3F %23 %40 and %3A"
)


def connect(url: str) -> Redis:
    """Return a client for `url` (redis://, rediss:// or unix://); nothing is sent yet.

    Retries 8 times from 20 ms up to 500 ms apart: a server away for a second costs no session
    (measured: 0.3 s and 1.0 s went unnoticed, 4 s did not). The caller closes it with `aclose()`.

    Raises: StoreMisconfigured: `url` is empty, or can't be read; it may hold a password, so it is not told.
    """
    wrong = "can't be read" if url else "is empty; `exaim up` starts a store and sets it. Else"
    unreadable = StoreMisconfigured(f"REDIS_URL {wrong}: {HOW_TO_WRITE}")
    after_login = url.partition("://")[2].partition("/")[2]
    if "@" in after_login and not url.startswith("unix:"):  # a password with a bare slash in it
        raise unreadable
    try:
        connections = pool(
            url,
            decode_responses=True,
            protocol=2,  # alike on every server; RESP3 would change the shape of stream replies
            socket_timeout=SOCKET_TIMEOUT_S,
            socket_connect_timeout=SOCKET_TIMEOUT_S,
            health_check_interval=15,
            retry=Retry(ExponentialBackoff(cap=0.5, base=0.02), 8),
            retry_on_error=[RedisConnectionError, RedisTimeoutError],
        )
        connections.make_connection()  # type: ignore[no-untyped-call]  # nothing is sent
    except (ValueError, TypeError):  # the latter: an option that the client does not know
        raise unreadable from None
    return Redis.from_pool(connections)


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What `check` found."""

    server: str  # valkey or redis
    version: str
    eviction: str  # maxmemory_policy, or "unknown" where the server hides it
    full: bool = False  # no memory is left: nothing new is written, what ends or renews goes on
    warnings: tuple[str, ...] = ()


async def check(client: Redis) -> StoreInfo:
    """Ask the server who it is.

    Raises:
        StoreUnavailable: it does not answer.
        StoreMisconfigured: it refuses us, is too old, or may evict parts of a live session.
    """
    async with answering("INFO"):
        try:
            info: dict[str, Any] = await client.info()
        except (AuthenticationError, ResponseError) as error:
            raise StoreMisconfigured(
                "the store refused INFO: check user and password in REDIS_URL"
            ) from error
    return judge(info)


def judge(info: dict[str, Any]) -> StoreInfo:
    """Judge a server by its INFO. Raises StoreMisconfigured."""
    redis_version = str(info.get("redis_version", "0"))
    numbers = tuple(int(part) for part in re.findall(r"\d+", redis_version)[:2])
    if numbers < OLDEST_REDIS:
        raise StoreMisconfigured(f"the store is Redis {redis_version}; use Redis 6 or Valkey 7 and later")
    valkey = info.get("valkey_version")  # Valkey names the Redis it is compatible with as redis_version
    policy = str(info.get("maxmemory_policy", "unknown"))
    most = int(info.get("maxmemory", 0))
    used = int(info.get("used_memory", 0)) - int(info.get("mem_not_counted_for_evict", 0))
    bounded = most > 0
    if bounded and policy not in {"noeviction", "unknown"}:
        raise StoreMisconfigured(
            f"the store evicts ({policy}): it would drop parts of a live session; "
            "set maxmemory-policy noeviction"
        )
    hidden = "the store hides its eviction policy: make sure that it is noeviction"
    warnings = [hidden] if policy == "unknown" else []
    full = bounded and used >= most
    if full:
        warnings.append(str(StoreFull(f"{used:,} of {most:,} bytes")))
    return StoreInfo(
        server="valkey" if valkey else "redis",
        version=str(valkey or redis_version),
        eviction=policy,
        full=full,
        warnings=tuple(warnings),
    )


async def clock_ms(client: Redis) -> float:
    """Return the store's own time, in ms since 1970. Raises: StoreUnavailable."""
    async with answering("time"):
        seconds, microseconds = await client.time()
    return float(seconds) * 1000 + float(microseconds) / 1000


def readable(what: str, found: object, known: int) -> None:
    """Accept a record's schema version up to `known`. Raises NewerSchema."""
    try:
        version = int(str(found))
    except ValueError:
        raise NewerSchema(what, found, known) from None
    if not 1 <= version <= known:
        raise NewerSchema(what, found, known)

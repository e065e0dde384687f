"""Tell which database a URL names, without loading a driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qs, urlsplit

from infra.database.errors import DatabaseMisconfigured

DRIVERS: Final = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
MEND_URL: Final = "give sqlite:////a/file.db or postgresql://user:password@host/database"
SSL_MODES: Final = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
"""What libpq's `sslmode` may say; asyncpg knows the same, as `ssl`."""

_TAKEN: Final = frozenset(
    {"host", "port", "user", "password", "passfile", "target_session_attrs", "prepared_statement_cache_size"}
)
_DROPPED: Final = frozenset(
    {
        *("application_name", "fallback_application_name", "connect_timeout", "tcp_user_timeout"),
        *("keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count"),
    }
)
"""Options of libpq's that change neither what is reached nor who may listen; the deadlines are our own."""

_UNBOUND: Final = ("disable", "prefer", ["disable"], ["prefer"])  # values of channel_binding
_ELSEWHERE: Final = frozenset({"sslrootcert", "sslcert", "sslkey", "sslcrl"})


def driver(url: str) -> str:
    """Return the driver that a database URL needs. Raises: DatabaseMisconfigured."""
    if "\0" in url:
        raise DatabaseMisconfigured(f"it is no URL of a database; {MEND_URL}")
    scheme, mark, rest = url.partition("://")
    if not mark:
        raise DatabaseMisconfigured(f"it is no URL of a database; {MEND_URL}")
    if scheme not in DRIVERS:
        raise DatabaseMisconfigured(f"{scheme} can't be used; {MEND_URL}")
    if scheme.startswith("sqlite") and rest.lstrip("/").partition("?")[0] in {"", ":memory:"}:
        raise DatabaseMisconfigured(f"a database in memory is lost at every restart; {MEND_URL}")
    try:
        _ = urlsplit(url).port
    except ValueError:
        raise DatabaseMisconfigured(f"its port is no number; {MEND_URL}") from None
    if scheme.startswith("postgres"):
        after_login = rest.rpartition("@")[2]  # what stands before it may be a piece of the password
        options(parse_qs(after_login.partition("?")[2], keep_blank_values=True))
    return DRIVERS[scheme]


def options(query: Mapping[str, str | Sequence[str]]) -> dict[str, str | Sequence[str]]:
    """Return a PostgreSQL URL's options (one value each, or several) as asyncpg takes them.

    `sslmode`, as libpq and the vendors have it, becomes `ssl`; what is of no account here is left out.
    Raises: DatabaseMisconfigured: an option can't be used; the message names it, and no value.
    """
    taken: dict[str, str | Sequence[str]] = {}
    for name, value in query.items():
        if name in {"sslmode", "ssl"}:
            taken["ssl"] = _ssl_mode(name, value, "ssl" in taken)
        elif name in _TAKEN:
            taken[name] = value
        elif name not in _DROPPED and not (name == "channel_binding" and value in _UNBOUND):
            raise DatabaseMisconfigured(_not_taken(name, value))
    return taken


def _ssl_mode(name: str, value: str | Sequence[str], twice: bool) -> str:
    mode = value if isinstance(value, str) else value[0]
    if twice or (not isinstance(value, str) and len(value) > 1):
        raise DatabaseMisconfigured("it says twice how TLS is used; leave one sslmode=… there")
    if mode not in SSL_MODES:
        raise DatabaseMisconfigured(f"{name} has to be one of {', '.join(SSL_MODES)}")
    return mode


def _not_taken(name: str, value: str | Sequence[str]) -> str:
    if name in _ELSEWHERE:
        return f"{name} can't be used there; take it out, and set PG{name.upper()} in the environment instead"
    if "@" in f"{name}{value}" or not name.isidentifier():  # a password with a bare "?" or "@" reads so
        return "it has an option that can't be used; write ? and @ in a password as %3F and %40"
    return f"its option {name} can't be used; take it out (sslmode is known, and host and port)"

"""Which database a URL names, judged without a driver."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from infra.database.errors import DatabaseMisconfigured

DRIVERS: Final = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
MEND_URL: Final = "give sqlite:////a/file.db or postgresql://user:password@host/database"


def driver(url: str) -> str:
    """Return the driver that a database URL needs. Raises: DatabaseMisconfigured."""
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
    return DRIVERS[scheme]

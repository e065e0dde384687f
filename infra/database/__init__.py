"""The database of sessions that are over: one row each, in SQLite or PostgreSQL."""

from infra.database.errors import (
    DatabaseFull,
    DatabaseMisconfigured,
    DatabaseUnavailable,
    RecordConflict,
    RecordError,
    ValueRefused,
    WrongSchema,
)
from infra.database.port import Records, RowFate, StoredSession

__all__ = [
    "DatabaseFull",
    "DatabaseMisconfigured",
    "DatabaseUnavailable",
    "RecordConflict",
    "RecordError",
    "Records",
    "RowFate",
    "StoredSession",
    "ValueRefused",
    "WrongSchema",
]

"""The one table. A change here goes with a migration in `migrations/versions/`."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, MetaData, String, Table, Text

VERSION_TABLE: Final = "exaim_schema"  # named as ours: a PostgreSQL database may be shared

metadata = MetaData()

sessions = Table(
    "exaim_sessions",
    metadata,
    Column("session_id", String(64), primary_key=True),
    Column("thread_id", String(64), nullable=False),
    Column("case_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("secret_sha256", String(64), nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger, nullable=False),
    Column("record", Text, nullable=False),
    Column("report_state", String(16), nullable=False),
    Column("problem", Text, nullable=False),
    Column("report", Text),
    Column("remains", Text),
    Index("exaim_sessions_ended", "ended_at_ms"),
    Index("exaim_sessions_thread", "thread_id"),
)

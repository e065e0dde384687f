"""The table of sessions that are over."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table and its two indexes."""
    op.create_table(
        "exaim_sessions",
        sa.Column("session_id", sa.String(64), primary_key=True),
        sa.Column("thread_id", sa.String(64), nullable=False),
        sa.Column("case_id", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("secret_sha256", sa.String(64), nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_at_ms", sa.BigInteger, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("report_state", sa.String(16), nullable=False),
        sa.Column("problem", sa.Text, nullable=False),
        sa.Column("report", sa.Text),
        sa.Column("remains", sa.Text),
    )
    op.create_index("exaim_sessions_ended", "exaim_sessions", ["ended_at_ms"])
    op.create_index("exaim_sessions_thread", "exaim_sessions", ["thread_id"])


def downgrade() -> None:
    """Drop the table, and with it all that was kept."""
    op.drop_table("exaim_sessions")

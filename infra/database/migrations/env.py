"""Run by Alembic, inside the transaction that `infra.database.schema` has opened."""

from __future__ import annotations

from alembic import context

from infra.database.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,  # SQLite can't alter a table in place
)
context.run_migrations()

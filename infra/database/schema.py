"""Migrate a database to this version in one transaction, or refuse one that is not ours."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from infra.database.errors import WrongSchema
from infra.database.tables import VERSION_TABLE, sessions

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_TURN: Final = 0x455841494D  # PostgreSQL's advisory lock: one process makes the tables, the others wait


def bring_up_to_date(connection: Connection) -> None:
    """Run the migrations that are missing, inside the transaction of `connection`. Raises: WrongSchema."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:turn)"), {"turn": _TURN})
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    script = ScriptDirectory.from_config(config)
    at = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_heads()
    known = {revision.revision for revision in script.walk_revisions()}
    if not set(at) <= known:
        raise WrongSchema(
            f"tables of a later version ({', '.join(at)})", "update the program, or name another database"
        )
    if not at and inspect(connection).has_table(sessions.name):
        raise WrongSchema(
            f"a table {sessions.name} that this program did not make", "name another database by DATABASE_URL"
        )
    if set(at) != set(script.get_heads()):
        command.upgrade(config, "head")

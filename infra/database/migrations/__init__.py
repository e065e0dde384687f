"""Migrate a database of an older version to this one, by Alembic."""

"""How a database of an older version of this program becomes one of this version. Alembic runs it."""

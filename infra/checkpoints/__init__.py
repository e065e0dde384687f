"""LangGraph's checkpoints on Redis or Valkey, on plain commands and Lua (docs/decisions/012)."""

from infra.checkpoints.errors import CheckpointFromTheFuture, CorruptRecord
from infra.checkpoints.saver import RedisSaver

__all__ = ["CheckpointFromTheFuture", "CorruptRecord", "RedisSaver"]

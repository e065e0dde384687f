"""The errors of a thread's checkpoints, besides those of every store adapter.

StoreError (infra.errors)
├── TornSession, NewerSchema, Fenced, StoreUnavailable, StoreMisconfigured
├── CorruptRecord            something under our keys is not what this program wrote
└── CheckpointFromTheFuture  the clock of this machine is behind the one that wrote last
"""

from __future__ import annotations

from infra.errors import StoreError

MEND = "restore the store from its file, or delete the thread with adelete_thread and begin it anew"
"""What helps against a record that cannot be read; nothing else touches the thread meanwhile."""


class CorruptRecord(StoreError):
    """A record cannot be read: another program wrote it, or it was made with another key or type."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what} cannot be read ({why}); {MEND}")
        self.what, self.why = what, why


class CheckpointFromTheFuture(StoreError):
    """The thread has a checkpoint that is later than the one offered: nothing was written."""

    def __init__(self, checkpoint_id: str, newest_id: str) -> None:
        super().__init__(
            f"checkpoint {checkpoint_id} is older than {newest_id}, the newest of its thread, and would "
            "never be read: set this machine's clock, which is behind, or delete the thread"
        )
        self.checkpoint_id, self.newest_id = checkpoint_id, newest_id

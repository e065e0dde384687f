"""The engine's errors.

EngineError
├── DeltaOutOfOrder   the caller's log went back
└── Finished          the caller goes on after the end
"""

from __future__ import annotations


class EngineError(Exception):
    """Any of the errors in this module."""


class DeltaOutOfOrder(EngineError):
    """A delta's number or time did not follow the last one's; it was not taken in."""

    def __init__(self, seq: int, last_seq: int) -> None:
        super().__init__(f"delta {seq} came after {last_seq}; feed the event log in order")
        self.seq, self.last_seq = seq, last_seq


class Finished(EngineError):
    """The case is finished; another case needs a new EXAIM."""

    def __init__(self) -> None:
        super().__init__("finish() was called; no text is taken after it")

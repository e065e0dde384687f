"""The store's errors, each with one meaning.

StoreError
├── StoreUnavailable    no answer in time; the session is silent until it is back
│   └── StoreFull       it answers, and has no memory for what is new; what ends or renews goes on
├── StoreMisconfigured  the server answers, and must not be used as it is
├── Fenced              a successor has taken over; the caller must stop writing for good
├── LeaseLost           the lease is another's, or the store was gone too long
├── StaleVersion        the record changed since it was read; read again, decide again
├── SequenceGap         events came with a hole before them
├── LogSealed           a live team's reasoning is over; it may add nothing
├── InboxOver           nobody takes a message any more
├── InboxFull           a live team has more messages waiting than it takes
├── TeamsFull           as many teams of ours wait or run as may
├── NewerSchema         a record was written by a later version of this program
├── TornSession         part of a session's keys is gone (evicted or expired)
├── CorruptSession      something under a session's keys is not what this program wrote
├── UnknownSession      there is no such session, or it has expired
└── SessionCompleted    the session has ended for good and is not written any more
"""

from __future__ import annotations


class StoreError(Exception):
    """Base of all failures of the store's adapters. No message holds clinical text."""


class StoreUnavailable(StoreError):
    """The store gave no answer in time, after retries, or its disk is full; `because`: why, if known."""

    def __init__(self, doing: str, because: str = "") -> None:
        self.doing, self.because = doing, because
        super().__init__(self._says(doing))

    def _says(self, doing: str) -> str:
        if self.because:
            return f"the store can't be reached ({doing}): {self.because}; is it running at REDIS_URL?"
        return (
            f"the store did not answer in time, or has no room on its disk ({doing}); "
            "is it running at REDIS_URL, and is there room?"
        )


class StoreFull(StoreUnavailable):
    """The store is at its `maxmemory`: nothing new is written until it has some again."""

    def _says(self, doing: str) -> str:
        return (
            f"the store has no memory left ({doing}): raise maxmemory of the server at REDIS_URL, or wait "
            "until sessions expire, four hours after their end"
        )


class StoreMisconfigured(StoreError):
    """The store may lose records by its settings, or is too old."""


class Fenced(StoreError):
    """The writer's fence is stale: nothing was written."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"the {kind} lease has gone to a successor; nothing was written")
        self.kind = kind


class LeaseLost(StoreError):
    """The lease is no longer held."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(f"the {kind} lease is lost: {why}")
        self.kind, self.why = kind, why


class StaleVersion(StoreError):
    """A compare-and-set found another version than the caller had read: nothing was written."""

    def __init__(self, what: str, expected: int, found: int) -> None:
        super().__init__(f"{what} is at version {found}, not {expected}; read it again")
        self.what, self.expected, self.found = what, expected, found


class SequenceGap(StoreError):
    """The first new event does not follow the last stored one: nothing was appended."""

    def __init__(self, expected: int, found: int) -> None:
        super().__init__(f"event {found} was offered where {expected} comes next")
        self.expected, self.found = expected, found


class LogSealed(StoreError):
    """The reasoning in this log is over, by END or by silence: nothing was appended."""

    def __init__(self, stored: int) -> None:
        super().__init__(f"the reasoning is over; its last event is {stored}")
        self.stored = stored


class InboxOver(StoreError):
    """The session, or its team's reasoning, is over: the message was not put."""

    def __init__(self) -> None:
        super().__init__("the team has ended; nobody takes a message any more")


class TeamsFull(StoreError):
    """As many teams of ours wait or run as may: this one was not taken."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"{most} teams wait or run, and that is the limit; end one, or wait until one is done"
        )
        self.most = most


class InboxFull(StoreError):
    """As many messages wait for a team as may, or a session has had as many as it may: none was put."""

    def __init__(self, bound: int) -> None:
        super().__init__(f"{bound} messages wait for the team, which takes none; ask again once it does")
        self.bound = bound


class NewerSchema(StoreError):
    """A record's version is above what this program reads."""

    def __init__(self, what: str, found: object, known: int) -> None:
        super().__init__(f"{what} has schema version {found}, this program reads {known}: update the program")
        self.what, self.found, self.known = what, found, known


class TornSession(StoreError):
    """A record that must be there is missing; the store has dropped part of the session."""


class CorruptSession(StoreError):
    """Something under a session's keys can't be read; other sessions are not touched by it."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(
            f"{what} can't be read ({why}): another program wrote under exaim:*, or the store's file is "
            "damaged; delete the session's keys, or restore that file"
        )
        self.what, self.why = what, why


class UnknownSession(StoreError):
    """No session has this id, or it has expired."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"there is no session {session_id}; it may have expired")
        self.session_id = session_id


class SessionCompleted(StoreError):
    """The session is COMPLETED, and that is never overwritten."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id} is completed")
        self.session_id = session_id

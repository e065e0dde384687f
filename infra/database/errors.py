"""The database's errors, each with one meaning and its remedy. No message holds clinical text.

RecordError
├── DatabaseUnavailable    no answer in time, or somebody holds it locked; later it may do
├── DatabaseFull           no space is left for it
├── DatabaseMisconfigured  its address, login or file can't be used as they are
├── ValueRefused           it can never take a value that it was given
├── WrongSchema            its tables are of a later version of this program, or not of this program
└── RecordConflict         another session has this id there

Live sessions never wait for the database, so none of these reaches them.
"""

from __future__ import annotations


class RecordError(Exception):
    """Base of all failures of the database's adapter. `retryable`: the same call may do later."""

    retryable = True


class DatabaseUnavailable(RecordError):
    """It gave no answer in time, or is locked."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the database can't be used now ({why}); what is to be written waits in the store. "
            "Start it, or end the program that holds it locked (DATABASE_URL names it)"
        )


class DatabaseFull(RecordError):
    """There is no space left."""

    def __init__(self) -> None:
        super().__init__(
            "the disk of the database is full; what is to be written waits in the store. Make space there, "
            "or name another database by DATABASE_URL"
        )


class DatabaseMisconfigured(RecordError):
    """It can't be used as it is named or set up."""

    def __init__(self, why: str) -> None:
        super().__init__(f"DATABASE_URL: {why}")


class ValueRefused(RecordError):
    """It takes no such value, now or later: a NUL in a text, a text or a number that is too long."""

    retryable = False

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the database can't take a value that it was given ({why}), and that is not tried again. "
            "A session's report stays in the store for its four hours"
        )


class WrongSchema(RecordError):
    """Its tables are not those that this program knows."""

    def __init__(self, why: str, mend: str) -> None:
        super().__init__(f"the database has {why}: {mend}")


class RecordConflict(RecordError):
    """A session of another making has the same id; nothing was written."""

    retryable = False

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"the database has another session {session_id}, made at another time; nothing was written. "
            "Two installations write to one database: give each its own by DATABASE_URL"
        )
        self.session_id = session_id

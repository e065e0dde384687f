"""Decide who may do what with a session, by the clinician's secret and by invitations.

A secret is stored as its digest. It lets its holder enter, steer and end for a day, and read the report for
as long as EXAIM_REPORT_DAYS says. Whoever opens a session for a team gets no secret but an invitation, good
once and for an hour: the secret is made by who redeems it, so that nobody before knows it.

Everything here is pure; the time is an argument, in ms since the epoch.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from enum import Enum, auto
from typing import Final

from infra.sessions import SessionRecord

SECRET_BYTES: Final = 32
SECRET_FORM: Final = r"^[A-Za-z0-9_-]{43,128}$"
"""What 32 random bytes are at least, written as base64url without padding."""

SECRET_KINDS_LEAST: Final = 12
"""Different characters in a secret. 43 random ones of 64 have fewer about once in 10^11."""

HOUR_MS: Final = 3_600_000
ENTER_MS: Final = 24 * HOUR_MS
"""A session lasts four hours at most; who was cut off comes back within the same day or night."""

INVITATION_MS: Final = HOUR_MS
"""A clinician who is called comes within the hour; whoever opened the session can invite anew."""


class Right(Enum):
    """What a secret is shown for."""

    ENTER = auto()  # join, steer, end, go on
    READ = auto()  # how it stands, its report, to revoke the secret


class Shown(Enum):
    """What a secret that was shown is worth."""

    GOOD = auto()
    EXPIRED = auto()  # it was good
    WRONG = auto()


class Invited(Enum):
    """What an invitation that was shown is worth."""

    OPEN = auto()
    USED = auto()  # it is this session's, and somebody came by it
    EXPIRED = auto()
    WRONG = auto()


def new_secret() -> str:
    """Return 32 random bytes as text."""
    return secrets.token_urlsafe(SECRET_BYTES)


def digest(secret: str) -> str:
    """Return the form in which a secret is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_random(secret: str) -> bool:
    """Return whether a secret may be 32 random bytes; one that repeats few characters is none."""
    return len(set(secret)) >= SECRET_KINDS_LEAST


def matches(stored: str | None, shown: str | None) -> bool:
    """Return whether `stored` is the digest of `shown`. An empty value matches nothing."""
    return hmac.compare_digest(stored or "", digest(shown or "")) and bool(shown)


def given(record: SessionRecord, secret: str, now_ms: int, report_ms: int) -> SessionRecord:
    """Return the record with this secret as the clinician's, from now on."""
    return record.model_copy(
        update={
            "secret_sha256": digest(secret),
            "secret_until_ms": now_ms + ENTER_MS,
            "report_until_ms": now_ms + report_ms,
        }
    )


def longer(record: SessionRecord, now_ms: int) -> SessionRecord:
    """Return the record of a session that goes on: its clinician may enter for another day."""
    return record.model_copy(update={"secret_until_ms": max(record.secret_until_ms, now_ms + ENTER_MS)})


def worth(record: SessionRecord, secret: str | None, right: Right, now_ms: int) -> Shown:
    """Return what a secret is worth, shown for this right at this time."""
    if not matches(record.secret_sha256, secret):
        return Shown.WRONG
    until_ms = record.secret_until_ms if right is Right.ENTER else record.report_until_ms
    return Shown.GOOD if now_ms < until_ms else Shown.EXPIRED


def inviting(record: SessionRecord, code: str, now_ms: int) -> SessionRecord:
    """Return the record with this invitation to it, in the place of any that it had."""
    invitation = {"invitation_sha256": digest(code), "invitation_until_ms": now_ms + INVITATION_MS}
    return record.model_copy(update=invitation)


def invitation(record: SessionRecord, code: str | None, now_ms: int) -> Invited:
    """Return what an invitation is worth at this time."""
    if not matches(record.invitation_sha256, code):
        return Invited.WRONG
    if record.secret_sha256:
        return Invited.USED
    return Invited.OPEN if now_ms < record.invitation_until_ms else Invited.EXPIRED

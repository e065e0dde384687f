"""Check who may do what: the clinician's secret, the team's token, invitations, revocation.

An unknown session, a wrong secret and none get the same answer, so that nobody learns which ids exist.
"""

from __future__ import annotations

import contextlib
import re
from typing import Final

from agents.keys import Holder
from agents.stream import StreamFull
from infra import access
from infra.access import Invited, Right, Shown
from infra.clock import wall_ms
from infra.database import StoredSession
from infra.errors import SessionCompleted, StoreFull, UnknownSession
from infra.sessions import OVER, SessionRecord, stored_record
from infra.streams import Command, SessionStreams
from routes.authentication import may_see
from routes.errors import ApiError
from routes.lifecycle import end_session, report_ms
from routes.parts import Parts

SESSION_ID: Final = re.compile(r"s-[a-z2-7]{16}")
STRANGER_EVERY_MS: Final = 60_000  # a clinician is told of strangers at most once in so long
BEARER: Final = {"WWW-Authenticate": "Bearer"}


async def thread_of(parts: Parts, session_id: str, secret: str | None) -> str:
    """Return the thread of an earlier session, for another to go on in; `secret` is the earlier one's.

    Raises: ApiError 401; StoreError, RecordError.
    """
    return (await authorised_anywhere(parts, session_id, secret, Right.READ)).thread_id


async def authorised(
    parts: Parts, session_id: str, secret: str | None, right: Right = Right.ENTER
) -> SessionRecord:
    """Return the session's record if `secret` is its own, and still good for this.

    An unknown session and a wrong secret get the same answer, so that nobody learns which ids exist.

    Raises: ApiError 401, StoreError.
    """
    record = await _in_store(parts, session_id)
    if record is None:
        raise _wrong_secret()
    shown = access.worth(record, secret, right, wall_ms())
    if shown is Shown.WRONG and secret:
        await _tell_of_stranger(parts, record)
    _must_be_good(shown, right)
    return record


async def authorised_team(parts: Parts, session_id: str, token: str | None) -> SessionRecord:
    """Return a live session's record if `token` is its team's; the clinician's secret is not.

    Raises: ApiError 401, StoreError.
    """
    record = await _in_store(parts, session_id)
    if record is None or not access.matches(record.team_sha256, token):
        if record is not None and token:
            await _tell_of_stranger(parts, record)
        raise _wrong("wrong_token", "live session has this id and token", "team_token")
    return record


async def authorised_anywhere(
    parts: Parts, session_id: str, secret: str | None, right: Right
) -> SessionRecord | StoredSession:
    """Return the session as the store has it, or else as the database does, if `secret` is good for this.

    Raises: ApiError 401, StoreError, RecordError.
    """
    if await _in_store(parts, session_id) is not None:
        return await authorised(parts, session_id, secret, right)
    stored = None
    if parts.records is not None and secret and SESSION_ID.fullmatch(session_id):
        stored = await parts.records.get(session_id)
    if stored is None or not access.matches(stored.secret_sha256, secret):
        raise _wrong_secret()
    _must_be_good(access.worth(record_of(stored), secret, right, wall_ms()), right)
    return stored


def record_of(found: SessionRecord | StoredSession) -> SessionRecord:
    """Return the session's record, from wherever it was found. Raises: CorruptSession."""
    if isinstance(found, SessionRecord):
        return found
    return stored_record(found.record, found.session_id, found.secret_sha256)


async def invited(parts: Parts, session_id: str, code: str | None) -> SessionRecord:
    """Return the record of the session that a valid invitation opens.

    Raises: ApiError 401 (there is none such), 410 (it was used, or is too old), StoreError.
    """
    record = await _in_store(parts, session_id)
    if record is None:
        raise _wrong_invitation()
    await _must_be_open(parts, record, code)
    return record


async def redeem(parts: Parts, session_id: str, code: str | None, secret: str) -> SessionRecord:
    """Redeem an invitation, which is good once: make `secret` the clinician's; return the new record.

    The same call with the same secret gives the same answer again, as an answer may be lost on its way.

    Raises: ApiError 401, 410, StoreError.
    """
    record = await _in_store(parts, session_id)
    if record is None:
        raise _wrong_invitation()
    ours = False

    def came(now: SessionRecord) -> SessionRecord:
        nonlocal ours
        ours = access.invitation(now, code, wall_ms()) is Invited.OPEN
        return access.given(now, secret, wall_ms(), report_ms(parts)) if ours else now

    try:
        record = await parts.sessions.change(session_id, came)
    except SessionCompleted:  # nothing was written
        ours = False
    again = access.matches(record.invitation_sha256, code) and access.matches(record.secret_sha256, secret)
    if not ours and not again:
        await _must_be_open(parts, record, code)
        raise ApiError(410, "session_ended", "this session has ended, and nobody was in it; ask for another")
    return record


async def invite(parts: Parts, session_id: str, caller: Holder) -> tuple[SessionRecord, str]:
    """Replace a session's invitation by a new one, for whoever opened it; return record and code.

    Raises: ApiError 404 (there is none that the caller has opened), 409 (somebody has it), StoreError.
    """
    code = access.new_secret()

    def invited_anew(now: SessionRecord) -> SessionRecord:
        if now.secret_sha256 or now.invitation_sha256 is None:  # the latter: a recording, or revoked
            message = "this session has its clinician, or nobody may have it any more; open another"
            raise ApiError(409, "session_taken", message)
        return access.inviting(now, code, wall_ms())

    record = await _in_store(parts, session_id)
    if record is None or not may_see(caller, record):
        message = "with this key no session of this id was opened; POST /sessions opens one"
        raise ApiError(404, "unknown_session", message)
    try:
        return await parts.sessions.change(session_id, invited_anew), code
    except SessionCompleted:
        raise ApiError(410, "session_ended", "this session has ended; open another") from None


async def revoke(parts: Parts, found: SessionRecord | StoredSession) -> None:
    """Revoke a session's secret for good; a session that is under way ends.

    In the database first, so that after a failure the same call can be made again; and last, for its row may
    have been written in between. Raises: StoreError, SfuError, RecordError.
    """
    if isinstance(found, SessionRecord) and found.status not in OVER:
        await end_session(parts, found)
    if parts.records is not None:
        await parts.records.revoke(found.session_id)
    if isinstance(found, SessionRecord):
        await parts.sessions.revoke(found.keys)
        if parts.records is not None:
            await parts.records.revoke(found.session_id)


async def _must_be_open(parts: Parts, record: SessionRecord, code: str | None) -> None:
    match access.invitation(record, code, wall_ms()):
        case Invited.OPEN:
            return
        case Invited.EXPIRED:
            message = "this invitation is too old; ask whoever sent it for a new one"
            raise ApiError(410, "invitation_expired", message)
        case Invited.USED:
            await _tell_of_stranger(parts, record)
            message = (
                "this invitation was used, and is good once. If it was not you, somebody else has this "
                "session: tell whoever sent it, and ask for another session"
            )
            raise ApiError(410, "invitation_used", message)
        case Invited.WRONG:
            if code:
                await _tell_of_stranger(parts, record)
            raise _wrong_invitation()


async def _in_store(parts: Parts, session_id: str) -> SessionRecord | None:
    if not SESSION_ID.fullmatch(session_id):
        return None
    try:
        return await parts.sessions.get(session_id)
    except UnknownSession:
        return None


def _must_be_good(shown: Shown, right: Right) -> None:
    match shown, right:
        case Shown.GOOD, _:
            return
        case Shown.EXPIRED, Right.ENTER:
            message = "this secret opened the session for a day, which is over; its report can still be read"
            raise ApiError(401, "secret_expired", message, headers=BEARER)
        case Shown.EXPIRED, _:
            message = "the right to read this session's report has ended (EXAIM_REPORT_DAYS)"
            raise ApiError(401, "secret_expired", message, headers=BEARER)
        case _:
            raise _wrong_secret()


def _wrong_secret() -> ApiError:
    return _wrong("wrong_secret", "session has this id and secret", "client_secret")


def _wrong_invitation() -> ApiError:
    return _wrong("wrong_invitation", "session has this id and invitation", "invitation")


def _wrong(code: str, what: str, credential: str) -> ApiError:
    message = f"no {what}; send `Authorization: Bearer <{credential}>` as POST /sessions answered it"
    return ApiError(401, code, message, headers=BEARER)


async def _tell_of_stranger(parts: Parts, record: SessionRecord) -> None:
    """Tell the clinician that somebody asked with a wrong secret, at most once a minute."""
    if record.ended_at_ms is not None:
        return
    now_ms = wall_ms()
    name = f"{record.session_id}.stranger.{now_ms // STRANGER_EVERY_MS}"
    stranger = Command(kind="stranger", by="api", at_ms=now_ms, command_id=name)
    with contextlib.suppress(StreamFull, StoreFull):
        await SessionStreams(parts.client, record.keys).append_command(stranger)

"""`POST /sessions`, `/sessions/{id}/token`, `/sessions/{id}/end`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

from infra.sessions import SessionRecord, Status
from infra.sfu_port import JoinToken
from routes.errors import answers
from routes.lifecycle import authorised, end_session, open_session, playable, thread_of, token_for
from routes.parts import Parts, PartsHere
from routes.slots import wake

router = APIRouter(tags=["sessions"])

CASE_ID_MAX: Final = 128
SESSION_ID_MAX: Final = 64
bearer = HTTPBearer(auto_error=False, description="the `client_secret` of the session")

SessionId = Annotated[str, Path(description="the `session_id` that POST /sessions answered")]
Secret = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]

AWAY: Final = (
    503,
    "store_unavailable, store_unusable, sfu_unavailable or sfu_refused: try again after Retry-After",
)
INVALID: Final = (422, "invalid_request: the message names the field")
SLOTS: Final = (429, "too_many_sessions: a restarted server let it sleep, and others have all slots")
WRONG_SECRET: Final = (401, "wrong_secret: the secret is wrong or missing, or there is no such session")


class OpenSession(BaseModel):
    """What to listen to."""

    model_config = ConfigDict(extra="forbid")

    case_id: str = Field(min_length=1, max_length=CASE_ID_MAX, description="one of GET /cases")
    speed: float | None = Field(
        default=None,
        gt=0,
        le=100,
        allow_inf_nan=False,
        description="how fast the recorded case runs; 1 is as recorded; by default the server's setting",
    )
    thread_id: str | None = Field(
        default=None,
        max_length=SESSION_ID_MAX,
        description="goes on with the dialogue of an earlier session: its id, and its secret as `Bearer`",
    )


class RoomAccess(BaseModel):
    """How to join the room."""

    room: str
    livekit_url: str = Field(description="where to connect, ws:// or wss://")
    token: str = Field(description="LiveKit token: this room, publish a microphone and data, subscribe")
    expires_at: datetime = Field(description="until when the token lets somebody join, RFC 3339, UTC")


class SessionOpened(RoomAccess):
    """A new session."""

    session_id: str
    thread_id: str
    client_secret: str = Field(description="shown this once; the other session calls want it")


class SessionEnded(BaseModel):
    """A session that is over."""

    session_id: str
    status: Status


@router.post(
    "/sessions",
    status_code=201,
    summary="Open a session",
    responses=answers(
        (404, "unknown_case: the message names those there are"),
        (401, "wrong_secret: of the session that thread_id names"),
        (
            409,
            "broken_case: the message says what is wrong with its file; thread_busy: a session speaks in it",
        ),
        (413, "too_large"),
        INVALID,
        (429, "too_many_sessions"),
        AWAY,
    ),
)
async def open_a_session(asked: OpenSession, secret: Secret, parts: PartsHere) -> SessionOpened:
    """Make the session, its room, and a token for its clinician; ask for its voice to come into the room."""
    case = playable(parts.cases, asked.case_id)
    speed = parts.settings.speed if asked.speed is None else asked.speed
    thread_id = await thread_of(parts, asked.thread_id, secret_text(secret)) if asked.thread_id else None
    opened = await open_session(parts, case, speed, thread_id)
    return SessionOpened(
        session_id=opened.record.session_id,
        thread_id=opened.record.thread_id,
        room=opened.record.room,
        livekit_url=parts.livekit_url,
        token=opened.token.jwt,
        expires_at=_expiry(opened.token),
        client_secret=opened.client_secret,
    )


@router.post(
    "/sessions/{session_id}/token",
    summary="Get a fresh token",
    responses=answers(WRONG_SECRET, (410, "session_ended: open another"), SLOTS, INVALID, AWAY),
)
async def fresh_token(session_id: SessionId, secret: Secret, parts: PartsHere) -> RoomAccess:
    """Return a new token for the same room and identity, to come back with."""
    record = await authorised(parts, session_id, secret_text(secret))
    token = token_for(parts, record)
    await wake(parts, record)
    return room_access(parts, record, token)


@router.post(
    "/sessions/{session_id}/end",
    summary="End a session",
    responses=answers(WRONG_SECRET, INVALID, AWAY),
)
async def end_a_session(session_id: SessionId, secret: Secret, parts: PartsHere) -> SessionEnded:
    """End the session for good and close its room. Again: the same answer.

    After a 503 of the SFU the session is over, but its room may still stand: call again.
    """
    record = await end_session(parts, await authorised(parts, session_id, secret_text(secret)))
    return SessionEnded(session_id=record.session_id, status=record.status)


def room_access(parts: Parts, record: SessionRecord, token: JoinToken) -> RoomAccess:
    """Return the answer that lets somebody join a session's room."""
    return RoomAccess(
        room=record.room, livekit_url=parts.livekit_url, token=token.jwt, expires_at=_expiry(token)
    )


def secret_text(secret: HTTPAuthorizationCredentials | None) -> str | None:
    """Return the secret that came with a request."""
    return None if secret is None else secret.credentials


def _expiry(token: JoinToken) -> datetime:
    return datetime.fromtimestamp(token.expires_at_ms / 1000, UTC)

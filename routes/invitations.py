"""`/sessions/{id}/invitation`: shown, then redeemed once; `/sessions/{id}/revoke`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from fastapi import APIRouter, Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, model_validator

from infra.access import SECRET_FORM, Right, is_random
from infra.clock import utc
from infra.sessions import SessionRecord, Status
from routes.authentication import NO_KEY, Caller
from routes.errors import AWAY, AWAY_TOO, INVALID, answers
from routes.parts import PartsHere
from routes.rights import authorised_anywhere, invite, invited, redeem, revoke
from routes.sessions import WRONG_SECRET, Secret, SessionId, address_of, invitation_link, secret_text

router = APIRouter(tags=["sessions"])

invitation_bearer = HTTPBearer(
    scheme_name="Invitation", auto_error=False, description="the code in a live session's `page_url`"
)
Code = Annotated[HTTPAuthorizationCredentials | None, Depends(invitation_bearer)]

REFUSALS = (
    (401, "wrong_invitation: there is no such session, or this is no invitation to it"),
    (410, "invitation_used or invitation_expired: the message says whom to ask; session_ended"),
    INVALID,
    AWAY,
)


class InvitationShown(BaseModel):
    """What an invitation leads to."""

    session_id: str
    case_id: str
    title: str
    agents: tuple[str, ...]
    status: Status
    created_at: datetime
    expires_at: datetime = Field(description="until when it can be redeemed")

    @classmethod
    def of(cls, record: SessionRecord) -> Self:
        """Return what is shown of a session that somebody is invited to."""
        return cls(
            session_id=record.session_id,
            case_id=record.case_id,
            title=record.title,
            agents=record.agents,
            status=record.status,
            created_at=utc(record.created_at_ms),
            expires_at=utc(record.invitation_until_ms),
        )


class Redeeming(BaseModel):
    """What a clinician redeems an invitation with."""

    model_config = ConfigDict(extra="forbid")

    client_secret: str = Field(
        pattern=SECRET_FORM,
        description="made by who redeems: 32 random bytes or more as base64url without padding; only its "
        "digest is stored, and nobody else ever knows it",
    )

    @model_validator(mode="after")
    def _random(self) -> Self:
        if not is_random(self.client_secret):
            raise ValueError("client_secret is not random: make it of 32 random bytes")
        return self


class Redeemed(BaseModel):
    """The session is the clinician's now; a token for its room comes from /token, or /reopen."""

    session_id: str
    thread_id: str
    title: str
    status: Status
    enter_until: datetime = Field(description="until when the secret lets its holder enter")
    report_until: datetime = Field(description="until when it lets its holder read the report")


class InvitationMade(BaseModel):
    """A new invitation."""

    page_url: str = Field(description="invites a clinician, once")
    page_url_until: datetime = Field(description="until when it does")


class Revoked(BaseModel):
    """Nobody has a right to the session any more."""

    session_id: str
    revoked: bool = True


@router.get(
    "/sessions/{session_id}/invitation",
    summary="Say what an invitation leads to",
    responses=answers(*REFUSALS),
)
async def look_at_an_invitation(session_id: SessionId, code: Code, parts: PartsHere) -> InvitationShown:
    """Change nothing: whoever follows a link is to know whose case it opens before going in."""
    return InvitationShown.of(await invited(parts, session_id, secret_text(code)))


@router.post(
    "/sessions/{session_id}/invitation",
    summary="Redeem an invitation",
    responses=answers(*REFUSALS),
)
async def redeem_an_invitation(
    session_id: SessionId, code: Code, asked: Redeeming, parts: PartsHere
) -> Redeemed:
    """Make the session the clinician's, by a secret of the clinician's own making.

    It is good once. The same call with the same secret may be made again: it has the same answer.
    """
    record = await redeem(parts, session_id, secret_text(code), asked.client_secret)
    return Redeemed(
        session_id=record.session_id,
        thread_id=record.thread_id,
        title=record.title,
        status=record.status,
        enter_until=utc(record.secret_until_ms),
        report_until=utc(record.report_until_ms),
    )


@router.post(
    "/sessions/{session_id}/invitations",
    status_code=201,
    summary="Invite anew",
    responses=answers(
        NO_KEY,
        (404, "unknown_session: the key's holder has opened none of this id"),
        (409, "session_taken: somebody has redeemed an invitation to it, or it was revoked"),
        (410, "session_ended"),
        INVALID,
        AWAY,
    ),
)
async def invite_anew(
    session_id: SessionId, caller: Caller, parts: PartsHere, request: Request
) -> InvitationMade:
    """Make a new invitation for whoever opened the session. The former one is good no more."""
    record, code = await invite(parts, session_id, caller)
    return InvitationMade(
        page_url=invitation_link(address_of(parts, request), session_id, code),
        page_url_until=utc(record.invitation_until_ms),
    )


@router.post(
    "/sessions/{session_id}/revoke",
    summary="Take the secret from a session for good",
    responses=answers(WRONG_SECRET, INVALID, AWAY_TOO),
)
async def revoke_a_secret(session_id: SessionId, secret: Secret, parts: PartsHere) -> Revoked:
    """End the session if it is under way. Afterwards nobody enters it, or reads its report."""
    found = await authorised_anywhere(parts, session_id, secret_text(secret), Right.READ)
    await revoke(parts, found)
    return Revoked(session_id=session_id)

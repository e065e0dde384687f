"""`POST /sessions`, `/sessions/{id}/token`, `/sessions/{id}/end`."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Final, Self

from fastapi import APIRouter, Depends, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from agents.stream import PRINTABLE, AgentName
from exaim_core import CasePaper
from infra.clock import utc
from infra.sessions import TEAM_SILENCE_S, SessionRecord, Status
from infra.sfu_port import JoinToken
from routes.authentication import NO_KEY, Caller
from routes.errors import AWAY, INVALID, answers
from routes.lifecycle import (
    Opened,
    OpenedForTeam,
    Opening,
    Team,
    end_session,
    known_reader,
    open_session,
    playable,
    token_for,
)
from routes.parts import Parts, PartsHere
from routes.rights import authorised, thread_of
from routes.slots import wake

router = APIRouter(tags=["sessions"])

CASE_ID_MAX: Final = 128
SESSION_ID_MAX: Final = 64
TITLE_MAX: Final = 200
AGENTS_MAX: Final = 50
READER_MAX: Final = 40
LIVE_CASE_ID: Final = "live"
bearer = HTTPBearer(auto_error=False, description="the `client_secret` of the session")

SessionId = Annotated[str, Path(description="the `session_id` that POST /sessions answered")]
Secret = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]

SLOTS: Final = (429, "too_many_sessions: a restarted server let it sleep, and others have all slots")
WRONG_SECRET: Final = (
    401,
    "wrong_secret: the secret is wrong or missing, or there is no such session; secret_expired: it was good",
)


Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TITLE_MAX, pattern=PRINTABLE)
]


class LiveCase(BaseModel):
    """A case that a team of your own works on, and streams its thoughts of (docs/live.md)."""

    model_config = ConfigDict(extra="forbid")

    title: Title = Field(description="shown on the page, and said when there is time for it")
    paper: CasePaper | None = Field(
        default=None, description="what is on record of the patient (docs/case-paper.md)"
    )
    agents: tuple[AgentName, ...] = Field(
        default=(), max_length=AGENTS_MAX, description="who will speak; others may join in"
    )
    silence_s: float = Field(
        default=TEAM_SILENCE_S,
        ge=5,
        le=3600,
        allow_inf_nan=False,
        description="after so long without an event it is told that the team is silent; it may go on",
    )

    reader: str | None = Field(
        default=None,
        min_length=1,
        max_length=READER_MAX,
        description="which of the operator's models reads the team's words, by its name; by default the usual one",
    )

    max_tokens: int | None = Field(
        default=None,
        ge=1_000,
        le=1_000_000_000,
        description="at 80 % and at 100 % of so many, in and out, by the costs that it sends, `budget` is in its inbox",
    )

    @field_validator("paper")
    @classmethod
    def _can_be_kept(cls, paper: CasePaper | None) -> CasePaper | None:
        """Refuse what no store, no log and no page can have: half a surrogate, an id that is none."""
        if paper is None:
            return None
        try:
            paper.model_dump_json()
        except ValueError:
            raise ValueError("the paper holds text that is no Unicode: half a surrogate pair") from None
        printable = re.fullmatch(PRINTABLE, paper.case_id) and not paper.case_id.isspace()
        if len(paper.case_id) > CASE_ID_MAX or not printable:
            told = f"case_id has 1 to {CASE_ID_MAX} characters, not blanks alone, and no control character"
            raise ValueError(told)
        return paper


class OpenSession(BaseModel):
    """What to listen to: `case_id`, a recording, or `live`, a team of your own."""

    model_config = ConfigDict(extra="forbid")

    case_id: str | None = Field(
        default=None, min_length=1, max_length=CASE_ID_MAX, description="one of GET /cases"
    )
    live: LiveCase | None = Field(default=None, description="instead of case_id")
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

    @model_validator(mode="after")
    def _one_case(self) -> Self:
        if (self.case_id is None) == (self.live is None):
            raise ValueError("give either case_id, a recording, or live, a team of your own")
        if self.live is not None and self.speed is not None:
            raise ValueError("speed is of recordings only")
        return self


class RoomAccess(BaseModel):
    """How to join the room."""

    room: str
    livekit_url: str = Field(description="where to connect, ws:// or wss://")
    token: str = Field(description="LiveKit token: this room, publish a microphone and data, subscribe")
    expires_at: datetime = Field(description="until when the token lets somebody join, RFC 3339, UTC")


class LiveAccess(BaseModel):
    """How a team reaches its session, and a clinician its page."""

    events_url: str = Field(description="where the team's events go")
    team_token: str = Field(description="shown this once; events come with it, and nothing else does")
    page_url: str = Field(
        description="invites a clinician, once: who opens it is asked, and is the session's clinician then"
    )
    page_url_until: datetime = Field(description="until when it does")


class SessionOpened(RoomAccess):
    """A new session, of whoever opened it."""

    session_id: str
    thread_id: str
    client_secret: str = Field(description="shown this once; the other session calls want it")
    enter_until: datetime = Field(description="until when the secret lets its holder enter")
    report_until: datetime = Field(description="until when it lets its holder read the report")


class LiveSessionOpened(BaseModel):
    """A new session for a team of one's own. Its clinician is whoever redeems the invitation."""

    session_id: str
    thread_id: str
    live: LiveAccess


class SessionEnded(BaseModel):
    """A session that is over."""

    session_id: str
    status: Status


@router.post(
    "/sessions",
    status_code=201,
    summary="Open a session",
    responses=answers(
        (404, "unknown_case, unknown_reader: the message names those there are"),
        (401, f"{NO_KEY[1]}; wrong_secret: of the session that thread_id names"),
        (
            409,
            "broken_case: the message says what is wrong with its file; thread_busy: a session speaks in it",
        ),
        (413, "too_large"),
        INVALID,
        (429, "too_many_sessions; too_many_openings, logs_full or store_low: again after Retry-After"),
        AWAY,
    ),
)
async def open_a_session(
    asked: OpenSession, caller: Caller, secret: Secret, parts: PartsHere, request: Request
) -> SessionOpened | LiveSessionOpened:
    """Make the session and its room, and ask for its voice to come there.

    Whoever opens a recording is its clinician. Whoever opens one for a team gets what the team sends with,
    and a link that invites a clinician.
    """
    opening = live_opening(asked.live, parts) if asked.live else _recording(asked, parts)
    opening = replace(opening, tenant=caller.tenant, opened_by=caller.principal)
    if asked.thread_id:
        thread_id = await thread_of(parts, asked.thread_id, secret_text(secret))
        opening = replace(opening, thread_id=thread_id)
    opened = await open_session(parts, opening)
    if isinstance(opened, OpenedForTeam):
        return _for_team(opened, address_of(parts, request))
    return for_clinician(parts, opened)


def for_clinician(parts: Parts, opened: Opened) -> SessionOpened:
    """Return the answer to whoever has opened a session, and is its clinician."""
    return SessionOpened(
        session_id=opened.record.session_id,
        thread_id=opened.record.thread_id,
        room=opened.record.room,
        livekit_url=parts.livekit_url,
        token=opened.token.jwt,
        expires_at=utc(opened.token.expires_at_ms),
        client_secret=opened.client_secret,
        enter_until=utc(opened.record.secret_until_ms),
        report_until=utc(opened.record.report_until_ms),
    )


def _for_team(opened: OpenedForTeam, base_url: str) -> LiveSessionOpened:
    session_id = opened.record.session_id
    live = LiveAccess(
        events_url=f"{base_url}sessions/{session_id}/events",
        team_token=opened.team_token,
        page_url=invitation_link(base_url, session_id, opened.invitation),
        page_url_until=utc(opened.record.invitation_until_ms),
    )
    return LiveSessionOpened(session_id=session_id, thread_id=opened.record.thread_id, live=live)


def _recording(asked: OpenSession, parts: Parts) -> Opening:
    case = playable(parts.cases, asked.case_id or "")
    speed = parts.settings.speed if asked.speed is None else asked.speed
    return Opening(case_id=case.case_id, title=case.title, agents=tuple(case.agents), speed=speed)


def live_opening(case: LiveCase, parts: Parts) -> Opening:
    """Return what a team's session is opened with. Raises: ApiError 404: no such reader."""
    case_id = case.paper.case_id if case.paper else LIVE_CASE_ID
    reader = known_reader(parts.readers, case.reader)
    team = Team(case.paper, case.silence_s, reader, case.max_tokens)
    return Opening(case_id=case_id, title=case.title, agents=case.agents, team=team)


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


def address_of(parts: Parts, request: Request) -> str:
    """Return the address, with a slash, under which browsers reach this server."""
    public = parts.settings.public_url
    return f"{public}/" if public else str(request.base_url)


def invitation_link(base_url: str, session_id: str, code: str) -> str:
    """Return the address that invites a clinician."""
    return f"{base_url}#session={session_id}&invitation={code}"


def room_access(parts: Parts, record: SessionRecord, token: JoinToken) -> RoomAccess:
    """Return the answer that lets somebody join a session's room."""
    return RoomAccess(
        room=record.room,
        livekit_url=parts.livekit_url,
        token=token.jwt,
        expires_at=utc(token.expires_at_ms),
    )


def secret_text(secret: HTTPAuthorizationCredentials | None) -> str | None:
    """Return the secret that came with a request."""
    return None if secret is None else secret.credentials

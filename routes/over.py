"""`GET /sessions/{id}`, `/sessions/{id}/report`, `POST /sessions/{id}/reopen`: ended sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Header, Query, Response
from pydantic import BaseModel, Field

from infra.access import Right
from infra.clock import utc
from infra.database import StoredSession
from infra.errors import TornSession
from infra.outbox import OutboxEntry, ReportState
from infra.reports.markdown import to_markdown
from infra.reports.model import Report
from infra.reports.reading import read_report
from infra.sessions import OVER, SessionRecord, Status
from infra.unheard_count import read_unheard, unheard_of_stored
from routes.errors import AWAY_TOO, INVALID, ApiError, answers
from routes.parts import Parts, PartsHere
from routes.reopening import reopen
from routes.rights import authorised_anywhere, record_of
from routes.sessions import (
    WRONG_SECRET,
    RoomAccess,
    Secret,
    SessionId,
    room_access,
    secret_text,
)

router = APIRouter(tags=["sessions"])

NOT_READY_RETRY_S: Final = 5
"""A report is made about 3 s after the end, and tried again after 30 s."""

MARKDOWN: Final = "text/markdown"


class SessionShown(BaseModel):
    """How a session stands."""

    session_id: str
    thread_id: str
    case_id: str
    title: str
    status: Status
    created_at: datetime
    ended_at: datetime | None
    report: ReportState | None = Field(description="null: the session is not over")
    enter_until: datetime = Field(description="until when the secret lets its holder enter, or go on")
    report_until: datetime = Field(description="until when it lets its holder read the report")
    problem: str = Field(description="why there is no report, if it failed")
    unheard: int | None = Field(
        description="how many items were still to be said when it ended; null: it is not over, or not known"
    )


@router.get(
    "/sessions/{session_id}",
    summary="Say how a session stands",
    responses=answers(WRONG_SECRET, INVALID, AWAY_TOO),
)
async def show_a_session(session_id: SessionId, secret: Secret, parts: PartsHere) -> SessionShown:
    """Return status and report state, from the store or, once that has forgotten it, from the database."""
    found = await authorised_anywhere(parts, session_id, secret_text(secret), Right.READ)
    state, problem = await _report_state(parts, found)
    rights = record_of(found)
    return SessionShown(
        session_id=found.session_id,
        thread_id=found.thread_id,
        case_id=found.case_id,
        title=found.title,
        status=Status(found.status),
        created_at=utc(found.created_at_ms),
        ended_at=utc(found.ended_at_ms) if found.ended_at_ms else None,
        report=state,
        enter_until=utc(rights.secret_until_ms),
        report_until=utc(rights.report_until_ms),
        problem=problem,
        unheard=await _unheard(parts, found),
    )


@router.get(
    "/sessions/{session_id}/report",
    summary="Get the report",
    response_model=Report,
    responses={
        200: {"content": {MARKDOWN: {"schema": {"type": "string"}}}},
        **answers(
            WRONG_SECRET,
            (404, "report_failed: the message says why; no_report: nothing happened in the session"),
            (409, "session_live: it is not over; report_not_ready: try again after Retry-After"),
            INVALID,
            AWAY_TOO,
        ),
    },
)
async def report(
    session_id: SessionId,
    secret: Secret,
    parts: PartsHere,
    form: Annotated[
        Literal["json", "md"] | None, Query(alias="format", description="by default as Accept says")
    ] = None,
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Return the report as JSON, or as Markdown if that is asked for."""
    found = await authorised_anywhere(parts, session_id, secret_text(secret), Right.READ)
    text = await _report(parts, found)
    made = read_report(text)
    if form != "md" and (form == "json" or not _wants_markdown(accept)):
        return Response(text, media_type="application/json", headers={"Vary": "Accept"})
    return Response(to_markdown(made), media_type=f"{MARKDOWN}; charset=utf-8", headers={"Vary": "Accept"})


@router.post(
    "/sessions/{session_id}/reopen",
    summary="Go on with an abandoned session",
    responses=answers(
        WRONG_SECRET,
        (409, "session_completed: it was ended for good; thread_busy: another session speaks in its thread"),
        (410, "session_ended: nothing is left of it"),
        INVALID,
        (429, "too_many_sessions; logs_full or store_low: again after Retry-After"),
        AWAY_TOO,
    ),
)
async def reopen_a_session(session_id: SessionId, secret: Secret, parts: PartsHere) -> RoomAccess:
    """Make a room for it again and ask for its voice, which goes on with what was not heard.

    For a session that is under way: the same as a fresh token.
    """
    found = await authorised_anywhere(parts, session_id, secret_text(secret), Right.ENTER)
    record, token = await reopen(parts, found)
    return room_access(parts, record, token)


async def _report_state(parts: Parts, found: SessionRecord | StoredSession) -> tuple[ReportState | None, str]:
    if isinstance(found, StoredSession):
        entry = OutboxEntry.model_validate(
            {"version": 0, "since_ms": 0, "report": found.report_state, "sql": "written"}
        )
        return entry.report, found.problem
    if found.status not in OVER:
        return None, ""
    kept = await parts.outbox.read(found.keys)
    return (kept.report, kept.problem) if kept else ("none", "")


async def _unheard(parts: Parts, found: SessionRecord | StoredSession) -> int | None:
    if isinstance(found, StoredSession):
        return unheard_of_stored(found)
    return await read_unheard(parts.client, found.keys) if found.status in OVER else None


async def _report(parts: Parts, found: SessionRecord | StoredSession) -> str:
    state, problem = await _report_state(parts, found)
    match state:
        case None:
            raise ApiError(409, "session_live", "the session is not over; its report is made when it is")
        case "due":
            tried = f"; the last try failed: {problem}" if problem else ""
            retry = {"Retry-After": str(NOT_READY_RETRY_S)}
            message = f"the report is being made; try again in a few seconds{tried}"
            raise ApiError(409, "report_not_ready", message, headers=retry)
        case "failed":
            raise ApiError(404, "report_failed", f"the report could not be made: {problem}")
        case "none":
            raise ApiError(404, "no_report", "nothing happened in this session, so there is no report")
    text = found.report if isinstance(found, StoredSession) else await parts.outbox.report(found.keys)
    if text is None:
        raise TornSession("the report is gone; the store has dropped part of the session")
    return text


def _wants_markdown(accept: str) -> bool:
    """Return whether Markdown is named, and JSON is not before it."""
    named = [part.split(";")[0].strip().lower() for part in accept.split(",")]
    return next((each == MARKDOWN for each in named if each in (MARKDOWN, "application/json")), False)

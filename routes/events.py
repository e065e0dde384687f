"""`POST /sessions/{id}/events`: what a team of one's own thinks, as it thinks it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Annotated, Any, Final, Self

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.datastructures import MutableHeaders
from starlette.types import Message

from agents.stream import EventType, SentEvent, StreamEvent, StreamFull
from infra.errors import LogSealed, SequenceGap
from infra.sessions import SessionRecord, Status
from infra.team_budget import TeamBudget
from infra.team_log import TeamLog
from routes.errors import INVALID, ApiError, answers
from routes.parts import PartsHere
from routes.rights import authorised_team
from routes.sessions import SessionId, secret_text

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

MOST_EVENTS: Final = 500
FULL_RETRY_S: Final = 60
GAP_OR_OVER: Final = (
    "sequence_gap: nothing was taken, the message names the seq to send from; "
    "reasoning_over: END was sent, or the log has expired"
)
OVER_QUOTA: Final = (
    "too_fast or store_low: send the same batch again after Retry-After; log_full: only ERROR and END are "
    "still taken"
)
NDJSON: Final = "application/x-ndjson"

team_bearer = HTTPBearer(
    scheme_name="TeamToken", auto_error=False, description="the `team_token` of the live session"
)
TeamToken = Annotated[HTTPAuthorizationCredentials | None, Depends(team_bearer)]


class EventBatch(BaseModel):
    """Events in order of `seq`. None at all: only asks how far the log is."""

    model_config = ConfigDict(extra="forbid")

    events: tuple[SentEvent, ...] = Field(max_length=MOST_EVENTS)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        found = [event.seq for event in self.events]
        if any(after != before + 1 for before, after in pairwise(found)):
            raise ValueError("seq must rise by one from event to event")
        if any(event.type is EventType.END for event in self.events[:-1]):
            raise ValueError("END is the last event there is")
        return self


class EventsTaken(BaseModel):
    """How far the log is."""

    stored_seq: int = Field(description="the newest of the team's events that is stored; -1: none is")


class EventsRoute(APIRoute):
    """A route that also takes events one a line (NDJSON), for programs that write them as they come."""

    def get_route_handler(self) -> Handler:
        """Return the route's handler, behind the change of form."""
        handle = super().get_route_handler()

        async def handle_lines(request: Request) -> Response:
            return await handle(await _as_json(request))

        return handle_lines


async def _as_json(request: Request) -> Request:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != NDJSON:
        return request
    lines = filter(None, map(bytes.strip, (await request.body()).splitlines()))
    message = {"type": "http.request", "body": b'{"events":[' + b",".join(lines) + b"]}", "more_body": False}
    changed = MutableHeaders(raw=list(request.scope["headers"]))
    changed["content-type"] = "application/json"

    async def receive() -> Message:
        return message

    return Request({**request.scope, "headers": changed.raw}, receive)


router = APIRouter(tags=["live teams"], route_class=EventsRoute)


@router.post(
    "/sessions/{session_id}/events",
    summary="Send a live team's events",
    openapi_extra={"requestBody": {"content": {NDJSON: {"schema": {"type": "string"}}}}},
    responses=answers(
        (401, "wrong_token: the team's token is wrong or missing, or there is no such live session"),
        (409, GAP_OR_OVER),
        (410, "session_ended: open another"),
        (413, "too_large: send fewer events at once"),
        INVALID,
        (429, OVER_QUOTA),
        (503, "store_unavailable or store_unusable: send the same batch again after Retry-After"),
    ),
)
async def take_events(
    session_id: SessionId,
    token: TeamToken,
    batch: EventBatch,
    parts: PartsHere,
) -> EventsTaken:
    """Append events to the session's log, all or none; those that are there already are passed over.

    So a batch without an answer is sent again as it was.
    """
    record = await authorised_team(parts, session_id, secret_text(token))
    if record.status is Status.COMPLETED:
        raise ApiError(410, "session_ended", "this session has ended; open another with POST /sessions")
    await parts.quotas.count_events(record, batch.events)
    events = [_within(record, event) for event in batch.events]
    share = parts.quotas.logs.share
    try:
        log = TeamLog(parts.client, record.keys, byte_bound=share)
        stored = await log.take(events)
    except SequenceGap as gap:
        raise ApiError(409, "sequence_gap", f"event {gap.expected} comes next; send from there on") from None
    except LogSealed as over:
        message = f"the reasoning is over, its last event was {over.stored}; open another session"
        raise ApiError(409, "reasoning_over", message) from None
    except StreamFull as full:
        message = (
            f"the log is full ({full.bound} events, or {share // 2**20} MiB); "
            "send ERROR or END, which are still taken"
        )
        raise ApiError(429, "log_full", message, headers={"Retry-After": str(FULL_RETRY_S)}) from None
    if record.team_tokens is not None:
        await TeamBudget(parts.client, record.keys, record.team_tokens).count(events)
    return EventsTaken(stored_seq=stored)


def _within(record: SessionRecord, event: SentEvent) -> StreamEvent:
    ids = {"thread_id": record.thread_id, "trace_id": record.case_id, "session_id": record.session_id}
    return StreamEvent(**event.model_dump(), **ids)

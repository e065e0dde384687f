"""`GET /sessions/{id}/calls`: the observations of a team's model calls, read from its log."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from agents.stream import LLMMetadata
from agents.streaming.sockets import ObservationType
from infra.clock import utc
from infra.errors import UnknownSession
from infra.observations import read_observations
from infra.sessions import SessionRecord
from infra.streams import SessionStreams
from routes.authentication import MaybeCaller, may_see
from routes.errors import AWAY, INVALID, answers
from routes.events import TeamToken
from routes.parts import Parts, PartsHere
from routes.rights import authorised_team
from routes.sessions import SessionId, secret_text

router = APIRouter(tags=["live teams"])

MOST: Final = 1_000  # of one answer


class CallObserved(BaseModel):
    """One observation: a call began, told its cost, failed or ended. No word of an agent is part of it."""

    id: str
    at: datetime | None
    type: ObservationType
    trace_id: str = Field(description="names the call")
    agent_id: str | None
    turn: int | None
    llm: LLMMetadata | None = Field(description="what it cost up to then")
    text: str = Field(description="why it failed, where the team says so")


class CallsObserved(BaseModel):
    """The newest observations, oldest first."""

    calls: tuple[CallObserved, ...]


@router.get(
    "/sessions/{session_id}/calls",
    summary="See what the calls of a team's models cost, and how they ended",
    responses=answers(
        (401, "wrong_token: neither the team's token nor the key that opened the session"), INVALID, AWAY
    ),
)
async def calls_of(
    session_id: SessionId,
    token: TeamToken,
    caller: MaybeCaller,
    parts: PartsHere,
    most: Annotated[int, Query(ge=1, le=MOST)] = MOST,
) -> CallsObserved:
    """Answer from the session's log, which every process can read for four hours after the last word."""
    record = await _seen_by(parts, session_id, token, caller)
    found = await read_observations(SessionStreams(parts.client, record.keys), most=most)
    return CallsObserved(
        calls=tuple(
            CallObserved(
                id=each.observation_id,
                at=utc(each.at_ms),
                type=each.type,
                trace_id=each.trace_id,
                agent_id=each.agent_id,
                turn=each.turn,
                llm=each.llm,
                text=each.text,
            )
            for each in found
        )
    )


async def _seen_by(parts: Parts, session_id: str, token: TeamToken, caller: MaybeCaller) -> SessionRecord:
    """Return the record for the session's team or its opener. Raises: ApiError 401, 429; StoreError."""
    record: SessionRecord | None = None
    if caller is not None:
        with suppress(UnknownSession):
            record = await parts.sessions.get(session_id)
    if record is None or caller is None or not may_see(caller, record):
        record = await authorised_team(parts, session_id, secret_text(token))
    parts.quotas.count_look(f"{session_id}.calls")
    return record

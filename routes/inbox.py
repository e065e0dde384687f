"""`POST /sessions/{id}/ask`, `GET /sessions/{id}/inbox`: the clinician's messages to a live team."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, Final, Literal, Self
from uuid import uuid4

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from agents.inbox import ASKED_MAX, ID_MAX, MessageKind, Numbered, TeamMessage
from agents.stream import PRINTABLE, AgentName
from infra.clock import utc, wall_ms
from infra.errors import InboxFull, InboxOver
from infra.inbox import WAITING_BOUND, InboxStands, TeamInbox
from infra.sessions import SessionRecord, Status
from routes.errors import AWAY, INVALID, ApiError, answers
from routes.events import TeamToken
from routes.parts import Parts, PartsHere
from routes.quotas import over
from routes.rights import authorised, authorised_team
from routes.sessions import WRONG_SECRET, Secret, SessionId, secret_text
from routes.slots import must_be_live

router = APIRouter(tags=["live teams"])

WAIT_MOST_S: Final = 25.0
"""Of one call. Proxies between here and a team end a quiet connection after 30 s at the earliest."""
LOOK_S: Final = 0.25
"""How late a message is noticed by who waits for one; the end of a session has 1 s to reach a provider."""
FULL_RETRY_S: Final = 10
MOST_NUMBER: Final = 2**53 - 1
NO_TEAM: Final = (
    409,
    "no_team: the case is a recording; team_deaf: its team asks for no messages; reasoning_over: it has ended",
)

AskedText = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=ASKED_MAX, pattern=PRINTABLE.replace("+$", "*$"))
]


class Ask(BaseModel):
    """What the team is asked or told."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["question", "fact", "cancelled"] = Field(
        default="question", description="`cancelled`: the clinician wants no more of it; it needs no text"
    )
    text: AskedText = Field(default="", description="as the clinician says it; a cancellation may have none")
    to: AgentName | None = Field(default=None, description="an agent, as it is called; null: whoever chairs")
    id: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9._-]+$",
        max_length=ID_MAX - 32,
        description="of the caller's own making: the same one again is sent once. By default a new one",
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.kind != "cancelled" and not self.text:
            raise ValueError("a question or a fact has a text")
        return self


class Asked(BaseModel):
    """That it is on its way."""

    message_id: str = Field(description="events that answer it carry this as `inReplyTo`")
    number: int = Field(description="its place among the session's messages, from 1")


class MessageShown(BaseModel):
    """A message of the clinician's, or that the session is over."""

    number: int = Field(description="ask for the next ones `after` this")
    id: str = Field(description="events that answer it carry it as `inReplyTo`")
    kind: MessageKind
    text: str
    to: str = Field(description="an agent, as it is called; empty: whoever chairs")
    at: datetime | None


class Messages(BaseModel):
    """What came, in order. None: nothing did within `wait_s`; ask again."""

    messages: tuple[MessageShown, ...]


@router.post(
    "/sessions/{session_id}/ask",
    summary="Ask the team of a live session, or tell it a fact",
    status_code=202,
    responses=answers(
        WRONG_SECRET,
        NO_TEAM,
        (410, "session_ended: open another"),
        INVALID,
        (429, "too_many_asks: wait; inbox_full: the team takes none of what it has"),
        AWAY,
    ),
)
async def ask_the_team(session_id: SessionId, secret: Secret, asked: Ask, parts: PartsHere) -> Asked:
    """Send it; whoever calls this has asked the clinician whether to. Nothing is ordered by it."""
    record = await authorised(parts, session_id, secret_text(secret))
    must_be_live(record)
    if not record.live:
        raise ApiError(409, "no_team", "this case is a recording: there is nobody to ask")
    inbox = TeamInbox(parts.client, record.keys)
    stands = await inbox.stands()
    if stands.over:
        raise _over()
    if asked.kind != "cancelled" and not stands.listens:
        why = "the team asks for no messages, or does not any more: nothing was sent, and nobody was asked"
        raise ApiError(409, "team_deaf", why)
    parts.quotas.count_ask(session_id)
    message = TeamMessage(
        id=f"a-{asked.id or uuid4().hex}",
        kind=MessageKind(asked.kind),
        text=asked.text,
        to=asked.to or "",
        at_ms=wall_ms(),
    )
    try:
        return Asked(message_id=message.id, number=await inbox.put(message))
    except InboxFull:
        told = f"{WAITING_BOUND} messages wait for the team, which takes none; this one was not sent"
        raise over("inbox_full", told, FULL_RETRY_S) from None
    except InboxOver:
        raise _over() from None


@router.get(
    "/sessions/{session_id}/inbox",
    summary="Fetch what the clinician says to the team",
    responses=answers(
        (401, "wrong_token: the team's token is wrong or missing, or there is no such live session"),
        INVALID,
        (429, "too_fast: come again after Retry-After"),
        AWAY,
    ),
)
async def fetch_messages(
    session_id: SessionId,
    token: TeamToken,
    parts: PartsHere,
    after: Annotated[
        int, Query(ge=0, le=MOST_NUMBER, description="the number of the newest that you have")
    ] = 0,
    wait_s: Annotated[
        float, Query(ge=0, le=WAIT_MOST_S, description="for how long to wait for one")
    ] = WAIT_MOST_S,
    answering: Annotated[
        bool,
        Query(description="false: you only want to know when it is over; nobody is told that you listen"),
    ] = True,
) -> Messages:
    """Return the messages after a number, waiting for the first if there is none. `ended` is the last."""
    record = await authorised_team(parts, session_id, secret_text(token))
    parts.quotas.count_look(session_id)
    inbox, loop = TeamInbox(parts.client, record.keys), asyncio.get_running_loop()
    await inbox.note_taken(after, answers=answering)
    until_s = loop.time() + wait_s
    while True:
        found = await _messages(parts, record, inbox, after)
        left_s = until_s - loop.time()
        if found or left_s <= 0:
            return Messages(messages=tuple(found))
        await asyncio.sleep(min(LOOK_S, left_s))


async def _messages(parts: Parts, record: SessionRecord, inbox: TeamInbox, after: int) -> list[MessageShown]:
    """Return the messages after a number, and a last one once the session or its reasoning is over.

    Nothing is put any more then, so that its number is the next one for good.
    """
    stands = await inbox.stands()
    found = [_shown(each) for each in await inbox.read(after)] if stands.newest > after else []
    # Whoever has the end may ask on from its number. Messages that are no longer kept come no more.
    all_of_them = not found or after + len(found) >= stands.newest
    if all_of_them and (stands.over or await _is_over(parts, record)):
        found.append(_ended(record, stands))
    return found


async def _is_over(parts: Parts, record: SessionRecord) -> bool:
    return (await parts.sessions.get(record.session_id)).status is Status.COMPLETED


def _shown(each: Numbered) -> MessageShown:
    message = each.message
    return MessageShown(
        number=each.number,
        id=message.id,
        kind=message.kind,
        text=message.text,
        to=message.to,
        at=utc(message.at_ms) if message.at_ms else None,
    )


def _ended(record: SessionRecord, stands: InboxStands) -> MessageShown:
    text = "the session, or its reasoning, is over: nothing more is taken"
    number, ended = stands.newest + 1, MessageKind.ENDED
    return MessageShown(number=number, id=f"{record.session_id}.ended", kind=ended, text=text, to="", at=None)


def _over() -> ApiError:
    return ApiError(
        409, "reasoning_over", "the team has ended, and can't be asked any more; nothing was sent"
    )

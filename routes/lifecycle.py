"""Opening a session and ending it: the record, the room with its dispatch, the secret.

Order when opening: record, then room, because the room's dispatch starts a worker that reads the record.
If the room fails, the record is marked over and the room removed, so that nothing half-made is left.
Order when ending: command, record, then the room, because deleting the room takes everybody's line away.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agents.stream import StreamFull
from exaim_core import CasePaper
from infra.clock import wall_ms
from infra.database import StoredSession
from infra.errors import StoreError, StoreFull, UnknownSession
from infra.papers import keep_paper
from infra.sessions import TEAM_SILENCE_S, SessionRecord, Status
from infra.sfu_port import (
    JoinToken,
    SfuError,
    agent_identity,
    clinician_identity,
    room_metadata,
    room_of,
    voice_dispatch,
)
from infra.streams import Command, SessionStreams
from routes.errors import ApiError
from routes.parts import CaseEntry, Parts
from routes.slots import must_be_live, taken, thread_must_be_free, too_many

log = logging.getLogger(__name__)

SECRET_BYTES: Final = 32
SESSION_ID: Final = re.compile(r"s-[a-z2-7]{16}")
KNOWN_SHOWN: Final = 20
"""How many case ids the answer to an unknown one names."""
STRANGER_EVERY_MS: Final = 60_000  # a clinician is told of strangers at most once in so long
VOICE_LEAVES_S: Final = 3.0  # its books take it 1.5 s at most, its goodbye half a second; often 0.6 s in all
VOICE_LOOK_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Team:
    """A team that runs elsewhere; after `silence_s` without an event its reasoning is over."""

    paper: CasePaper | None = None
    silence_s: float = TEAM_SILENCE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a session is opened with: a recording, or a `team` of one's own. No thread: one of its own."""

    case_id: str
    title: str
    agents: tuple[str, ...] = ()
    speed: float = 1.0
    thread_id: str | None = None
    team: Team | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A session just opened. Secret and token of the team are stored nowhere."""

    record: SessionRecord
    client_secret: str
    token: JoinToken
    team_token: str | None = None


def playable(cases: Mapping[str, CaseEntry], case_id: str) -> CaseEntry:
    """Return the case. Raises ApiError: there is none of that id, or it can't be played."""
    entry = cases.get(case_id)
    if entry is None:
        known = sorted(each.case_id for each in cases.values() if each.problem is None)
        more = f" and {len(known) - KNOWN_SHOWN} more" if len(known) > KNOWN_SHOWN else ""
        listed = (
            ", ".join(known[:KNOWN_SHOWN]) or "none (GET /cases says what is wrong; CASES names the files)"
        )
        raise ApiError(404, "unknown_case", f"there is no such case; those to be played: {listed}{more}")
    if entry.problem is not None:
        raise ApiError(409, "broken_case", f"{entry.case_id} can't be played: {entry.problem}")
    return entry


async def thread_of(parts: Parts, session_id: str, secret: str | None) -> str:
    """Return the thread of an earlier session, for another to go on in; `secret` is the earlier one's.

    Raises: ApiError 401; StoreError, RecordError.
    """
    return (await authorised_anywhere(parts, session_id, secret)).thread_id


async def open_session(parts: Parts, asked: Opening) -> Opened:
    """Open a session. Raises ApiError, StoreError, SfuError; after any of them nothing is left open."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    team_token = secrets.token_urlsafe(SECRET_BYTES) if asked.team else None
    async with parts.opening:
        record = await _recorded(parts, asked, secret, team_token)
    metadata = room_metadata(record.session_id)
    try:
        await parts.sfu.create_room(
            record.room, metadata, voice_dispatch(record.session_id, record.thread_id)
        )
    except SfuError:
        await _undo(parts, record)
        raise
    return Opened(record, secret, token_for(parts, record), team_token)


async def authorised(parts: Parts, session_id: str, secret: str | None) -> SessionRecord:
    """Return the session's record if `secret` is its own.

    An unknown session and a wrong secret get the same answer, so that nobody learns which ids exist.

    Raises: ApiError 401, StoreError.
    """
    record = await _in_store(parts, session_id)
    if record is None or not _matches(record.secret_sha256, secret):
        if record is not None and secret:
            await _tell_of_stranger(parts, record)
        raise _wrong_secret()
    return record


async def authorised_team(parts: Parts, session_id: str, token: str | None) -> SessionRecord:
    """Return a live session's record if `token` is its team's; the clinician's secret is not.

    Raises: ApiError 401, StoreError.
    """
    record = await _in_store(parts, session_id)
    if record is None or record.team_sha256 is None or not _matches(record.team_sha256, token):
        if record is not None and token:
            await _tell_of_stranger(parts, record)
        raise _wrong("wrong_token", "live session has this id and token", "team_token")
    return record


async def authorised_anywhere(
    parts: Parts, session_id: str, secret: str | None
) -> SessionRecord | StoredSession:
    """Return the session as the store has it, or else as the database does, if `secret` is its own.

    Raises: ApiError 401, StoreError, RecordError.
    """
    if await _in_store(parts, session_id) is not None:
        return await authorised(parts, session_id, secret)
    stored = None
    if parts.records is not None and secret and SESSION_ID.fullmatch(session_id):
        stored = await parts.records.get(session_id)
    if stored is None or not _matches(stored.secret_sha256, secret):
        raise _wrong_secret()
    return stored


async def _in_store(parts: Parts, session_id: str) -> SessionRecord | None:
    if not SESSION_ID.fullmatch(session_id):
        return None
    try:
        return await parts.sessions.get(session_id)
    except UnknownSession:
        return None


def _matches(stored: str, secret: str | None) -> bool:
    return hmac.compare_digest(stored, digest(secret or "")) and bool(secret)


def _wrong_secret() -> ApiError:
    return _wrong("wrong_secret", "session has this id and secret", "client_secret")


def _wrong(code: str, what: str, credential: str) -> ApiError:
    message = f"no {what}; send `Authorization: Bearer <{credential}>` as POST /sessions answered it"
    return ApiError(401, code, message, headers={"WWW-Authenticate": "Bearer"})


async def _tell_of_stranger(parts: Parts, record: SessionRecord) -> None:
    """Let the clinician know that somebody asked with a wrong secret: once a minute, whoever asks."""
    if record.ended_at_ms is not None:
        return
    now_ms = wall_ms()
    name = f"{record.session_id}.stranger.{now_ms // STRANGER_EVERY_MS}"
    stranger = Command(kind="stranger", by="api", at_ms=now_ms, command_id=name)
    with contextlib.suppress(StreamFull, StoreFull):
        await SessionStreams(parts.client, record.keys).append_command(stranger)


async def end_session(parts: Parts, record: SessionRecord) -> SessionRecord:
    """End a session; again is no error.

    Raises: StoreError; SfuError: the session is over, but its room may still stand.
    """
    if record.status is not Status.COMPLETED:
        command = Command(kind="end", by="api", at_ms=wall_ms(), command_id=f"{record.session_id}.end")
        try:
            await SessionStreams(parts.client, record.keys).append_command(command)
        except (StreamFull, StoreFull):
            log.warning("session %s: no room for the end command; the record says it", record.session_id)
        record = await parts.sessions.end(record.session_id)
        await _until_voice_left(parts, record)
    await parts.sfu.delete_room(record.room)
    return record


async def _until_voice_left(parts: Parts, record: SessionRecord) -> None:
    """Give the voice time to say that the session has ended, and to leave; the room goes in any case."""
    identity = agent_identity(record.session_id)
    try:
        async with asyncio.timeout(VOICE_LEAVES_S):
            while await parts.sfu.agent_present(record.room, identity):
                await asyncio.sleep(VOICE_LOOK_S)
    except TimeoutError:
        log.info("session %s: the voice had not left after %.1f s", record.session_id, VOICE_LEAVES_S)
    except SfuError:
        pass  # deleting the room meets the same, and says so


def token_for(parts: Parts, record: SessionRecord) -> JoinToken:
    """Return a fresh token for the session's clinician. Raises ApiError 410: the session is over."""
    must_be_live(record)
    return parts.sfu.token(clinician_identity(record.session_id), record.room)


def new_session_id() -> str:
    """Return an id of 80 random bits: `s-` and 16 characters of lower-case base32."""
    return "s-" + base64.b32encode(secrets.token_bytes(10)).decode("ascii").lower()


def digest(secret: str) -> str:
    """Return the form in which a secret is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()


async def _recorded(parts: Parts, asked: Opening, secret: str, team_token: str | None) -> SessionRecord:
    """Store a new session's record.

    Raises: ApiError 429: there are as many sessions as there may be; 409: one speaks in that thread.

    Counted again afterwards, for another process may have added one too: two may then both be refused,
    but there is never one too many.
    """
    most = parts.settings.max_sessions
    if asked.thread_id:
        await thread_must_be_free(parts, asked.thread_id)
    if await taken(parts) >= most:
        raise too_many(most)
    session_id = new_session_id()
    team = asked.team or Team()
    new = SessionRecord(
        session_id=session_id,
        thread_id=asked.thread_id or session_id,
        case_id=asked.case_id,
        title=asked.title,
        agents=asked.agents,
        room=room_of(session_id),
        secret_sha256=digest(secret),
        created_at_ms=wall_ms(),
        speed=asked.speed,
        team_sha256=digest(team_token) if team_token else None,
        team_silence_s=team.silence_s,
    )
    if team.paper is not None:
        await keep_paper(parts.client, new.keys, team.paper)  # first: whoever reads the record looks for it
    record = await parts.sessions.create(new)
    if await taken(parts) > most:
        await parts.sessions.end(session_id)
        raise too_many(most)
    return record


async def _undo(parts: Parts, record: SessionRecord) -> None:
    """Mark the record over, then remove the room, which may exist although its making failed."""
    try:
        await parts.sessions.end(record.session_id)
    except StoreError as error:
        log.warning("session %s: could not be marked over: %s", record.session_id, error)
    try:
        await parts.sfu.delete_room(record.room)
    except SfuError as error:
        log.info("session %s: its room, if there is one, closes by itself: %s", record.session_id, error)

"""Opening a session and ending it: the record, the room with its dispatch, the rights.

Order when opening: record, then room, because the room's dispatch starts a worker that reads the record.
If the room fails, the record is marked over and the room removed, so that nothing half-made is left.
Order when ending: command, record, then the room, because deleting the room takes everybody's line away.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from agents.keys import LOCAL
from agents.stream import StreamFull
from exaim_core import CasePaper
from infra import access
from infra.clock import wall_ms
from infra.errors import StoreError, StoreFull
from infra.papers import keep_paper
from infra.sessions import TEAM_SILENCE_S, SessionRecord, Status
from infra.sfu_port import (
    JoinToken,
    SfuError,
    agent_identity,
    clinician_identity,
    room_of,
)
from infra.streams import Command, SessionStreams
from infra.team_runs import TeamRun, TeamRuns
from routes.errors import ApiError
from routes.parts import CaseEntry, Parts
from routes.slots import make_room, must_be_live, taken, thread_must_be_free, too_many

log = logging.getLogger(__name__)

KNOWN_SHOWN: Final = 20
"""How many case ids the answer to an unknown one names."""
DAY_MS: Final = 24 * 3_600_000
VOICE_LEAVES_S: Final = 3.0  # its ledger takes 1.5 s at most, its goodbye half a second; often 0.6 s in all
VOICE_LOOK_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Team:
    """A team that runs elsewhere; after `silence_s` without an event it is told as silent.

    `reader` is the name of the model that reads its words; "": the usual one. `tokens`: that it may spend.
    """

    paper: CasePaper | None = None
    silence_s: float = TEAM_SILENCE_S
    reader: str = ""
    tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a session is opened with: a recording, or a `team`. Without `thread_id` it gets a new thread."""

    case_id: str
    title: str
    agents: tuple[str, ...] = ()
    speed: float = 1.0
    thread_id: str | None = None
    team: Team | None = None
    tenant: str = LOCAL
    opened_by: str = LOCAL


@dataclass(frozen=True, slots=True)
class Opened:
    """A session just opened for the caller. Its secret is stored nowhere."""

    record: SessionRecord
    client_secret: str
    token: JoinToken


@dataclass(frozen=True, slots=True)
class OpenedForTeam:
    """A session just opened for a team: what it sends with, and a way in for a clinician. No secret yet."""

    record: SessionRecord
    team_token: str
    invitation: str


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


def known_reader(readers: Mapping[str, object], name: str | None) -> str:
    """Return the name. Raises ApiError: no model of that name may read here."""
    if name is None:
        return ""
    if name not in readers:
        listed = ", ".join(readers) or "none: rules read (docs/llm.md)"
        raise ApiError(404, "unknown_reader", f"no such model reads here; those that may: {listed}")
    return name


async def open_session(parts: Parts, asked: Opening) -> Opened | OpenedForTeam:
    """Open a session: for the caller, or, with a team, for the clinician whom the team invites.

    Raises: ApiError, StoreError, SfuError; after any of them nothing is left open.
    """
    new, now_ms, secret = _new_record(asked), wall_ms(), access.new_secret()
    if asked.team is None:
        record = await _made(parts, asked, access.given(new, secret, now_ms, report_ms(parts)))
        return Opened(record, secret, token_for(parts, record))
    team_token = access.new_secret()
    new = new.model_copy(update={"team_sha256": access.digest(team_token)})
    record = await _made(parts, asked, access.inviting(new, secret, now_ms))
    return OpenedForTeam(record, team_token, secret)


async def open_with_team_of_ours(
    parts: Parts, asked: Opening, run: Callable[[SessionRecord, str], TeamRun]
) -> Opened:
    """Open a session for the caller, and list the run of our team that `run` makes from its token.

    Raises: ApiError, StoreError (TeamsFull too), SfuError; after any of them nothing is left open.
    """
    new, now_ms = _new_record(asked), wall_ms()
    secret, team_token = access.new_secret(), access.new_secret()
    new = new.model_copy(update={"team_sha256": access.digest(team_token)})
    record = await _made(parts, asked, access.given(new, secret, now_ms, report_ms(parts)))
    try:
        await TeamRuns(parts.client).ask(run(record, team_token))
    except StoreError:
        await _undo(parts, record)
        raise
    return Opened(record, secret, token_for(parts, record))


async def _made(parts: Parts, asked: Opening, new: SessionRecord) -> SessionRecord:
    async with parts.opening:
        record = await _recorded(parts, asked, new)
    try:
        await make_room(parts, record)
    except SfuError:
        await _undo(parts, record)
        raise
    return record


def report_ms(parts: Parts) -> int:
    """Return for how long a secret made now lets its holder read the report."""
    return parts.settings.report_days * DAY_MS


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


def _new_record(asked: Opening) -> SessionRecord:
    """Return the record of a session that nobody has a right to yet."""
    session_id, team = new_session_id(), asked.team or Team()
    return SessionRecord(
        session_id=session_id,
        thread_id=asked.thread_id or session_id,
        case_id=asked.case_id,
        title=asked.title,
        agents=asked.agents,
        room=room_of(session_id),
        tenant=asked.tenant,
        opened_by=asked.opened_by,
        secret_sha256="",
        created_at_ms=wall_ms(),
        speed=asked.speed,
        team_silence_s=team.silence_s,
        team_tokens=team.tokens,
        reader=team.reader,
    )


async def _recorded(parts: Parts, asked: Opening, new: SessionRecord) -> SessionRecord:
    """Store a new session's record.

    Raises: ApiError 429: there are as many sessions as there may be, or a quota is used up; 409: one speaks
        in that thread.

    Both are looked at again afterwards, for another process may have added one too: two may then both be
    refused, but there is never one too many, and never two in one thread.
    """
    most = parts.settings.max_sessions
    if asked.thread_id:
        await thread_must_be_free(parts, asked.thread_id)
    if await taken(parts) >= most:
        raise too_many(most)
    parts.quotas.count_opening(asked.tenant, asked.opened_by)
    await parts.quotas.room_for(new.session_id)
    if asked.team is not None and asked.team.paper is not None:
        await keep_paper(parts.client, new.keys, asked.team.paper)  # first: who reads the record looks for it
    record = await parts.sessions.create(new)
    try:
        if await taken(parts) > most:
            raise too_many(most)
        if asked.thread_id:
            await thread_must_be_free(parts, asked.thread_id, but=record.session_id)
    except ApiError:
        await parts.sessions.end(record.session_id)
        raise
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

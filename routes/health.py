"""`GET /health`: which part is down, by name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from infra import store
from infra.errors import StoreError
from infra.sfu_port import SfuError
from routes.authentication import MaybeCaller
from routes.parts import Parts, PartsHere
from routes.slots import taken
from tts_queue.engines import protocol

router = APIRouter(tags=["health"])

CHECK_DEADLINE_S: Final = 2.0
"""For each check; all run at once. Healthy ones take milliseconds."""

KEPT_S: Final = 2.0
"""For so long the last answer is given again."""

STUCK_S: Final = 10.0
"""A job of an engine that takes longer hangs; the longest utterance is made in under a second."""


_END_IT: Final = "end the engines process (stack.json has its pid): `exaim up` starts it again at once"


class PartHealth(BaseModel):
    """One part."""

    ok: bool
    detail: str = Field(description="what it is, or what is wrong with it and what to do")


class Health(BaseModel):
    """All parts that a session needs, and what the watcher has done."""

    status: Literal["ok", "failing"]
    parts: dict[Literal["store", "sfu", "engines", "catalogue", "watcher", "recorder"], PartHealth]
    sessions: int | None = Field(description="open sessions that hold a slot, null while the store is away")
    max_sessions: int
    watcher: dict[str, int] = Field(description="counted since this process started")
    recorder: dict[str, int] = Field(description="reports and rows, counted since this process started")


class HealthInShort(BaseModel):
    """Whether all is well, for callers without a key."""

    status: Literal["ok", "failing"]


class Alive(BaseModel):
    """The process that was asked answers."""

    alive: bool


class Known:
    """What the parts said last, for all who ask within `KEPT_S`: asking them costs every part something."""

    def __init__(self, kept_s: float = KEPT_S) -> None:
        self._kept_s = kept_s
        self._health: Health | None = None
        self._asked_s = 0.0
        self._asking = asyncio.Lock()

    async def now(self, parts: Parts) -> Health:
        """Return how the parts are, or were a moment ago. Who comes while they are asked waits for that."""
        async with self._asking:
            now_s = asyncio.get_running_loop().time()
            if self._health is None or now_s - self._asked_s >= self._kept_s:
                self._health, self._asked_s = await _look(parts), now_s
            return self._health


@router.get(
    "/health",
    summary="Say which part is down",
    responses={503: {"model": Health | HealthInShort, "description": "a part is down; the body names it"}},
)
async def health(
    caller: MaybeCaller, parts: PartsHere, request: Request, response: Response
) -> Health | HealthInShort:
    """Say how every part is: 200 if all are well, else 503 with the same body. Without a key: in short."""
    known: Known = request.app.state.known_health
    found = await known.now(parts)
    response.status_code = 200 if found.status == "ok" else 503
    return found if caller else HealthInShort(status=found.status)


async def _look(parts: Parts) -> Health:
    async with asyncio.TaskGroup() as group:
        asked = {
            "store": group.create_task(_checked("REDIS_URL", lambda: _store(parts))),
            "sfu": group.create_task(_checked("LIVEKIT_URL", lambda: _sfu(parts))),
            "engines": group.create_task(
                _checked("its log", lambda: _engines(parts.settings.engines_socket))
            ),
        }
        live = group.create_task(_live(parts))
    found = {name: task.result() for name, task in asked.items()}
    found |= {"catalogue": _catalogue(parts), "watcher": _watcher(parts), "recorder": _recorder(parts)}
    well = all(part.ok for part in found.values())
    return Health.model_validate(
        {
            "status": "ok" if well else "failing",
            "parts": found,
            "sessions": live.result(),
            "max_sessions": parts.settings.max_sessions,
            "watcher": dict(parts.watcher.counts) if parts.watcher else {},
            "recorder": dict(parts.recorder.counts) if parts.recorder else {},
        }
    )


@router.get("/health/live", summary="Say that this process answers, whatever is down")
async def live() -> Alive:
    """Answer without asking other parts, for whatever supervises this process alone."""
    return Alive(alive=True)


async def _checked(look_at: str, check: Callable[[], Awaitable[PartHealth]]) -> PartHealth:
    try:
        async with asyncio.timeout(CHECK_DEADLINE_S):
            return await check()
    except TimeoutError:
        return PartHealth(ok=False, detail=f"no answer within {CHECK_DEADLINE_S:g} s; look at {look_at}")
    except (StoreError, SfuError) as error:
        return PartHealth(ok=False, detail=str(error))


async def _store(parts: Parts) -> PartHealth:
    found = await store.check(parts.client)
    told = "; ".join((f"{found.server} {found.version}", *found.warnings))
    return PartHealth(ok=not found.full, detail=told)


async def _sfu(parts: Parts) -> PartHealth:
    await parts.sfu.check()
    return PartHealth(ok=True, detail="answers, and accepts our key")


async def _engines(socket: Path) -> PartHealth:
    """Ask on a connection of its own: an engine that is stuck does not keep the process from answering."""
    try:
        reader, writer = await asyncio.open_unix_connection(str(socket))
        try:
            names = (await _ask(reader, writer, "hello")).get("engines")
            stuck_s = float((await _ask(reader, writer, "ping")).get("running_s", 0.0))
        finally:
            writer.close()
    except (OSError, protocol.ProtocolError) as error:
        return PartHealth(ok=False, detail=f"no engines process answers ({error}); start `exaim up` again")
    if stuck_s > STUCK_S:
        detail = f"an engine has worked on one job for {stuck_s:.0f} s; {_END_IT}"
        return PartHealth(ok=False, detail=detail)
    listed = ", ".join(f"{kind}: {name}" for kind, name in names.items()) if isinstance(names, dict) else ""
    return PartHealth(ok=True, detail=listed or "answers")


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, op: str) -> protocol.Header:
    writer.write(protocol.encode({"op": op, "id": 1}))
    await writer.drain()
    frame = await protocol.read_frame(reader)
    if frame is None:
        raise protocol.ProtocolError("it hung up")
    return frame[0]


async def _live(parts: Parts) -> int | None:
    try:
        async with asyncio.timeout(CHECK_DEADLINE_S):
            return await taken(parts)
    except (TimeoutError, StoreError):
        return None


def _catalogue(parts: Parts) -> PartHealth:
    cases = parts.cases
    broken = sum(entry.problem is not None for entry in cases.values())
    playable = len(cases) - broken
    detail = f"{playable} cases" + (f", and {broken} that can't be played" if broken else "")
    return PartHealth(ok=playable > 0, detail=detail if playable else f"{detail}; name trace files in CASES")


def _watcher(parts: Parts) -> PartHealth:
    if parts.watcher is None or parts.watching is None:
        return PartHealth(ok=True, detail="runs in another process")
    if parts.watching.problem is not None:
        return PartHealth(ok=False, detail=parts.watching.problem)
    voiceless = parts.watcher.voiceless
    return PartHealth(ok=True, detail=_voiceless(voiceless))


def _voiceless(sessions: int) -> str:
    if sessions == 0:
        return "watches"
    told = "1 session got" if sessions == 1 else f"{sessions} sessions got"
    return f"{told} no voice; look at worker.log, and whether the SFU knows the worker"


def _recorder(parts: Parts) -> PartHealth:
    """Say how reports fare. With the database away all is well here: the store keeps them meanwhile."""
    if parts.recorder is None or parts.recording is None:
        return PartHealth(ok=True, detail="runs in another process")
    if parts.recording.problem is not None:
        return PartHealth(ok=False, detail=parts.recording.problem)
    if parts.recorder.problem is not None:
        detail = f"makes reports, which stay in the store for now: {parts.recorder.problem}"
        return PartHealth(ok=True, detail=detail)
    if parts.records is None:
        return PartHealth(ok=True, detail="makes reports; nothing is kept of them (EXAIM_RECORD)")
    return PartHealth(ok=True, detail="makes reports, and brings them into the database")

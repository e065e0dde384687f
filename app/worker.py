"""The voice worker: LiveKit Agents' server, one process a session (`python -m app.worker`).

The framework registers with the SFU, keeps processes warm and starts one for each job. A job is one
session's voice: it takes the `voice` lease, joins the room under the session's one agent identity
(so that the SFU evicts a ghost), speaks until the session ends, and lets go.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
from typing import Final

from livekit import rtc
from livekit.agents import AgentServer, AutoSubscribe, JobContext, JobProcess, JobRequest
from pydantic import BaseModel, ValidationError

from app.process import run_until_signalled, settings_or_exit
from app.voice import speak
from infra.settings import Settings, load_settings
from infra.sfu_port import AGENT_NAME
from realtime.ears.silero import SileroVad

log = logging.getLogger("exaim.worker")

WARM_PROCESSES: Final = 1  # started ahead, so that a session does not wait for imports
PRELOADED: Final = ("app.voice", "numpy", "redis.asyncio", "livekit.rtc")


class Assignment(BaseModel):
    """A job's metadata, as `infra.sfu` writes it."""

    v: int
    session_id: str
    thread_id: str


async def accept(request: JobRequest) -> None:
    """Take a job under the session's one agent identity; one without a session is refused."""
    try:
        assignment = Assignment.model_validate_json(request.job.metadata)
    except ValidationError:
        log.warning("a job without a session was refused")
        await request.reject()
        return
    await request.accept(identity=f"agent-{assignment.session_id}", name="EXAIM")


async def entry(context: JobContext) -> None:
    """Run one session's voice in this job's process."""
    assignment = Assignment.model_validate(json.loads(context.job.metadata))
    settings = load_settings()

    async def join() -> rtc.Room:
        await context.connect(auto_subscribe=AutoSubscribe.SUBSCRIBE_NONE)
        return context.room

    reason = await speak(settings, assignment.session_id, join)
    context.shutdown(reason)


def warm(process: JobProcess) -> None:
    """Load what a session needs before there is one: what is preloaded, and the voice detector's model."""
    SileroVad()


def load(settings: Settings, server: AgentServer) -> float:
    """Return how full this worker is, 0 to 1: sessions over capacity."""
    return len(server.active_jobs) / settings.max_sessions


def build(settings: Settings) -> AgentServer:
    """Return the server; it listens on loopback, on a port of the system's choice."""
    server = AgentServer(
        ws_url=settings.livekit_url,
        api_key=settings.livekit_api_key,
        api_secret=settings.livekit_api_secret,
        host="127.0.0.1",
        port=0,
        load_fnc=functools.partial(load, settings),
        load_threshold=1.0,
        num_idle_processes=WARM_PROCESSES,
        setup_fnc=warm,
        preload_modules=list(PRELOADED),
        log_level=settings.log_level,
    )
    server.rtc_session(entry, agent_name=AGENT_NAME, on_request=accept)
    return server


async def main(settings: Settings) -> None:
    """Run the worker until cancelled; sessions under way then have the drain time to end."""
    server = build(settings)
    server.once("worker_registered", lambda *_: settings.announce_ready())
    try:
        await server.run()
    finally:
        async with asyncio.timeout(10.0):
            await server.aclose()


if __name__ == "__main__":
    run_until_signalled(main(settings_or_exit()))

"""Serve voice jobs with LiveKit Agents, one process per session.

The framework registers with the SFU, keeps processes warm and starts one for each job. A job is one
session's voice: it takes the `voice` lease, joins the room under the session's one agent identity
(so that the SFU evicts a ghost), speaks until the session ends, and lets go.

What only a job needs is imported in the job: its process is a fork of one that has it loaded
(`app.serve_voice`), while this one registers, and is back after a restart, seconds earlier without.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import json
import logging
import math
import multiprocessing
import os
import signal
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final

from livekit import rtc
from livekit.agents import AgentServer, AutoSubscribe, JobContext, JobProcess, JobRequest
from pydantic import BaseModel

from app.answering import nearest_of
from app.heartbeat import beating
from app.serve_voice import PRELOADED
from infra.arrivals import Arrivals, told
from infra.errors import StoreError
from infra.keys import SessionKeys
from infra.settings import Settings, SettingsError, load_settings
from infra.sfu_port import AGENT_NAME, agent_identity
from infra.unexpected_errors import UnexpectedError, contained

log = logging.getLogger("exaim.worker")

FAILED: Final = "failed"
WARM_S: Final = 10.0  # the framework's own
WARM_WITH_MODEL_S: Final = 40.0  # a chat model's client alone loads for 4 s here, in each of them at once
HAND_OVER_S: Final = 4  # for all jobs: one takes about a second; `exaim up` at its end waits 3 s
JOIN_S: Final = 60.0  # a job that can't join its room ends, and lets another try
TOLD_AFTER_S: Final = 0.05  # the SFU has heard by then that this worker takes no job
TOLD_AGAIN_S: Final = 0.1  # a job that has just begun takes no note of SIGTERM yet
WARM_PROCESSES: Final = 1  # started ahead, so that a session does not wait for one to start


class Assignment(BaseModel):
    """A job's metadata, as `infra.sfu` writes it."""

    v: int
    session_id: str
    thread_id: str


@dataclass(slots=True)
class Seats:
    """The worker's seats for sessions. `active` returns the metadata of each job with a process.

    The framework's own count takes the first job of a worker without any for all that it can bear, until that has a
    process. A worker that was restarted with several sessions would take them one a second.
    """

    most: int
    active: Callable[[], Iterable[str]]
    taking: int = 0  # taken, and without a process yet

    def is_free_for(self, metadata: str) -> bool:
        """Return whether there is a seat for a job; one of its own session, which is stopping, takes none."""
        return sum(other != metadata for other in self.active()) + self.taking < self.most


async def accept(arrivals: Arrivals, seats: Seats, request: JobRequest) -> None:
    """Take a job under the session's one agent identity; one without a session is refused.

    So is a second one of a session while the first is on its way: livekit-server would keep the newer, and end
    the voice that is there when the newer steps back. One for which there is no seat is left to other workers.
    """
    try:
        assignment = Assignment.model_validate_json(request.job.metadata)
        keys = SessionKeys(assignment.thread_id, assignment.session_id)
    except ValueError:  # a ValidationError is one
        log.warning("a job without a session was refused")
        await request.reject()
        return
    if not seats.is_free_for(request.job.metadata):
        log.info("a job of %s was refused: all %d seats are taken", assignment.session_id, seats.most)
        await request.reject(terminate=False)
        return
    seats.taking += 1
    try:
        await _accepted(arrivals, assignment.session_id, keys, request)
    finally:
        seats.taking -= 1


async def _accepted(arrivals: Arrivals, session_id: str, keys: SessionKeys, request: JobRequest) -> None:
    arrival = await arrivals.take(keys, request.id)
    if arrival is None:
        log.info("a job of %s was refused: another is on its way", session_id)
        await request.reject()
        return
    try:
        await request.accept(identity=agent_identity(session_id), name="EXAIM")
    except BaseException:  # no assignment came, no process could be had, or the worker ends
        await told(arrival)
        raise
    arrivals.started(request.id)


async def entry(context: JobContext) -> None:
    """Begin one session's voice in this job's process, and return when it has joined its room.

    SIGTERM hands the session over to a successor. The voice goes on as a task that the job's end cancels. If the
    entry were still running then, the framework would wait 15 s before cancelling it, with the lease held.
    """
    assignment = Assignment.model_validate(json.loads(context.job.metadata))
    joined, leaving, loop = asyncio.Event(), asyncio.Event(), asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, leaving.set)
    speaking = _speak(context, assignment.session_id, joined, leaving)
    voice = asyncio.create_task(speaking, name="voice")

    async def end() -> None:
        voice.cancel()
        await asyncio.wait({voice})
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # told once more, it still ends by itself

    context.add_shutdown_callback(end)
    joining = asyncio.create_task(joined.wait(), name="joining")
    await asyncio.wait({voice, joining}, return_when=asyncio.FIRST_COMPLETED)
    joining.cancel()


async def _speak(context: JobContext, session_id: str, joined: asyncio.Event, leaving: asyncio.Event) -> None:
    """Be the session's voice until it ends, then end the job, whatever it ended with."""
    from app.voice import speak
    from realtime.room.livekit_room import RoomGone

    async def join() -> rtc.Room:
        try:
            async with asyncio.timeout(JOIN_S):
                await context.connect(auto_subscribe=AutoSubscribe.SUBSCRIBE_NONE)
        except TimeoutError:
            raise RoomGone(f"it could not be joined within {JOIN_S:.0f} s") from None
        joined.set()
        return context.room

    reason = FAILED
    try:
        speaking = speak(load_settings(), session_id, context.job.id, join, leaving)
        reason = await ended(session_id, speaking)
        if reason == "abandoned":  # the room ends, the case can be opened again
            await context.delete_room()
    finally:
        context.shutdown(reason)


async def ended(session_id: str, speaking: Awaitable[str]) -> str:
    """Return why a voice ended. A failure is logged here, without clinical text."""
    from app.voice import NotOurs
    from realtime.room.livekit_room import RoomGone

    reason = FAILED
    try:
        with contained(NotOurs, RoomGone, StoreError):
            reason = await speaking
    except* NotOurs as unneeded:
        reason = str(unneeded.exceptions[0])
    except* (RoomGone, StoreError, UnexpectedError) as failed:
        log.error("the voice of %s ends early: %s", session_id, failed.exceptions)  # noqa: TRY400  # quotes
    return reason


def warm(process: JobProcess) -> None:
    """Load what a session needs before there is one: the voice detector's model, the answers' vocabulary.

    What is loaded by now stays to the end. Left to the collector, it would be looked through again during a
    session: 0.2 s in which nothing else runs, measured here, most of it langgraph's.

    Without a session it takes no note of SIGTERM: the framework would see a process that crashed.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    from agents import dialogue
    from app import hearing, speaking
    from app.answering import nearest_here
    from realtime.ears.silero import SileroVad

    settings = load_settings()
    SileroVad()
    dialogue.warm()
    nearest_here(settings)
    for extra in (hearing, speaking):
        with contextlib.suppress(SettingsError):  # each session says so, and has this machine's
            extra.load(settings)
    gc.collect()
    gc.freeze()


def load(settings: Settings, server: AgentServer) -> float:
    """Return how full this worker is, 0 to 1: sessions over capacity."""
    return len(server.active_jobs) / settings.max_sessions


def build(settings: Settings) -> tuple[AgentServer, Arrivals, Seats]:
    """Return the server, on a free port of loopback, the keeper of its jobs' claims, and its seats."""
    server = AgentServer(
        ws_url=settings.livekit_url,
        api_key=settings.livekit_api_key,
        api_secret=settings.livekit_api_secret,
        host="127.0.0.1",
        port=0,
        load_fnc=functools.partial(load, settings),
        load_threshold=math.inf,  # `Seats` says how many
        num_idle_processes=WARM_PROCESSES,
        setup_fnc=warm,
        initialize_process_timeout=WARM_S if settings.dialogue == "lexical" else WARM_WITH_MODEL_S,
        preload_modules=list(PRELOADED),
        log_level=settings.log_level,
    )
    arrivals = Arrivals(settings.redis_url, lambda: {each.job.id for each in server.active_jobs})
    seats = Seats(settings.max_sessions, lambda: [each.job.metadata for each in server.active_jobs])
    server.rtc_session(entry, agent_name=AGENT_NAME, on_request=functools.partial(accept, arrivals, seats))
    return server, arrivals, seats


async def hand_over(server: AgentServer, seats: Seats) -> None:
    """Take no more jobs, and hand the sessions under way, or on their way, over to other workers at once.

    The framework takes a job's room away before it tells the job; SIGTERM is how ours is told before.
    """
    if not (server.active_jobs or seats.taking):
        return

    async def tell() -> None:
        await asyncio.sleep(TOLD_AFTER_S)
        while True:
            signal_jobs(signal.SIGTERM)
            await asyncio.sleep(TOLD_AGAIN_S)

    async with asyncio.TaskGroup() as group:
        telling = group.create_task(tell(), name="hand-over")
        with contextlib.suppress(TimeoutError):
            await server.drain(timeout=HAND_OVER_S)
        telling.cancel()


def signal_jobs(number: signal.Signals) -> None:
    """Send a signal to the processes of the jobs, and to those that wait for one."""
    for child in multiprocessing.active_children():
        if child.name == "job_proc" and child.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, number)


async def close(server: AgentServer) -> None:
    """Close the server and end its processes. It leaves those that it was starting when it was cancelled."""
    try:
        await server.aclose()
    finally:
        signal_jobs(signal.SIGKILL)


def check_servers(settings: Settings) -> None:
    """Look at the servers' addresses, as `exaim up` has for its children: the imports take 0.2 s.

    Raises: SfuMisconfigured, StoreMisconfigured.
    """
    from infra.sfu import check_settings
    from infra.store import connect

    check_settings(settings.livekit_url, settings.livekit_api_key, settings.livekit_api_secret)
    connect(settings.redis_url)


async def main(settings: Settings) -> None:
    """Run the worker until cancelled; sessions under way are then handed over.

    Raises: SettingsError, SfuMisconfigured, StoreMisconfigured: no session could speak.
    """
    nearest_of(settings)
    if settings.ready_file is None:
        check_servers(settings)
    server, arrivals, seats = build(settings)
    registered = asyncio.Event()

    def on_registered(*_: object) -> None:
        settings.announce_ready()
        registered.set()

    server.once("worker_registered", on_registered)
    async with beating(settings), arrivals.running():
        try:
            await server.run()
        finally:
            async with asyncio.timeout(10.0):
                if registered.is_set():
                    await hand_over(server, seats)
                await close(server)

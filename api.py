"""The HTTP application: `uvicorn --factory api:create_app`.

Reads the settings once, makes the parts, and closes them in the reverse order. All state is in the store, so
any number of these processes serve the same sessions.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final

from fastapi import FastAPI
from redis.asyncio import Redis
from starlette.routing import BaseRoute

from agents.recorded import Catalogue, Entries
from infra.database import DatabaseMisconfigured, Records
from infra.database.address import driver
from infra.database.late import LateRecords
from infra.llm_registry import readers_of, teams_of
from infra.outbox import Outbox
from infra.reports.recorder import Recorder, RecordLimits
from infra.sessions import SessionStore
from infra.settings import Settings, SettingsError, load_settings
from infra.sfu import Sfu
from infra.sfu_port import SfuPort
from infra.store import connect
from infra.unexpected_errors import RestartedLoop
from infra.watcher import Watcher, WatchLimits
from infra.watcher_store import StoredSessions
from routes import (
    authentication,
    calls,
    cases,
    errors,
    events,
    health,
    inbox,
    invitations,
    over,
    page,
    papers,
    sessions,
    teams,
)
from routes.guard import AllowedHosts, Guard
from routes.parts import Parts
from routes.quotas import Quotas

PATIENCE: Final = WatchLimits()
RECORDING: Final = RecordLimits()
VERSION: Final = "0.1.0"
DESCRIPTION: Final = """
Opens sessions in which a clinician hears a team of reasoning agents think, in a LiveKit room.

Decision support and not a decision. Every answer that is not a 2xx is
`{"error": {"code", "message"}}`; codes are stable, messages say what to do.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What an application is made from; see `create_app`. Nothing of it is connected yet."""

    settings: Settings
    client: Redis
    records: Records | None
    sfu: SfuPort
    watch: WatchLimits | None
    recording: RecordLimits | None
    catalogue: Catalogue | None
    now_s: Callable[[], float]


def create_app(
    settings: Settings | None = None,
    *,
    sfu: SfuPort | None = None,
    watch: WatchLimits | None = PATIENCE,
    recording: RecordLimits | None = RECORDING,
    health_kept_s: float = health.KEPT_S,
    catalogue: Catalogue | None = None,
    now_s: Callable[[], float] = time.monotonic,
) -> FastAPI:
    """Return the application.

    Args:
        settings: by default those of the environment.
        sfu: by default the one at the settings' LIVEKIT_URL. The application closes it.
        watch: the watcher's limits; None: no watcher runs.
        recording: the recorder's limits for reports and the database; None: no recorder runs.
        health_kept_s: how long an answer of `/health` is reused, in seconds.
        catalogue: the recorded cases; by default those of the settings, read at the start.
        now_s: the clock by which the quotas count, in seconds.

    Raises: SettingsError, StoreMisconfigured, SfuMisconfigured: the settings can't work; the message says
        what to set.
    """
    settings = _that_can_open(settings or load_settings())
    given = _Given(
        settings=settings,
        client=connect(settings.redis_url),
        records=_records(settings),
        sfu=sfu or Sfu(settings.livekit_url, settings.livekit_api_key, settings.livekit_api_secret),
        watch=watch,
        recording=recording,
        catalogue=catalogue,
        now_s=now_s,
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with _running(given) as parts:
            app.state.parts, app.state.known_health = parts, health.Known(health_kept_s)
            settings.announce_ready()
            yield

    return _served(settings, lifespan)


def _served(settings: Settings, lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]]) -> FastAPI:
    """Return an application of all routes and the page, behind the guard; `lifespan` opens its parts."""
    app = FastAPI(
        title="EXAIM Voice",
        version=VERSION,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # both want scripts from elsewhere, which the content security policy forbids
        redoc_url=None,
        redirect_slashes=False,
    )
    errors.install(app)
    sfu_url = settings.livekit_public_url or settings.livekit_url
    app.add_middleware(  # the outermost
        Guard, allowed=AllowedHosts(settings.hosts), sfu_url=sfu_url, secure=settings.secure
    )
    app.router.routes.extend(_routes())
    page.install(app, settings.web_dist)
    return app


def _that_can_open(settings: Settings) -> Settings:
    """Return the settings. Raises: SettingsError: nobody could open a session with them."""
    if not settings.opener_key:
        raise SettingsError(
            "EXAIM_OPENER_KEY is empty, so nobody could open a session; `exaim up` makes one. Else: "
            'python -c "import secrets; print(secrets.token_urlsafe(32))"'
        )
    return settings


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Return the routes of all modules, made once per process: reading their signatures takes 0.1 s."""
    routed = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        responses=errors.answers(
            (403, "foreign_origin or foreign_site: a page from elsewhere asked"),
            (400, "two_lengths: Content-Length and Transfer-Encoding"),
            (415, "packed_body: a body is sent as it is, without Content-Encoding"),
            (421, "foreign_host: the server does not go by the name in Host"),
        ),
    )
    for module in (
        authentication,
        cases,
        papers,
        sessions,
        teams,
        invitations,
        events,
        inbox,
        calls,
        over,
        health,
    ):
        routed.include_router(module.router)
    return tuple(routed.router.routes)


@asynccontextmanager
async def _running(given: _Given) -> AsyncIterator[Parts]:
    """Open store, SFU, database, catalogue, watcher and recorder; close them in the reverse order.

    None of the servers has to be up.
    """
    settings, client = given.settings, given.client
    async with AsyncExitStack() as stack:
        stack.push_async_callback(client.aclose)
        stack.push_async_callback(given.sfu.aclose)
        if given.records is not None:
            stack.push_async_callback(given.records.aclose)
        known = await asyncio.to_thread(lambda: given.catalogue or Catalogue.open(settings.cases))
        await asyncio.to_thread(known.cases)  # read once here, each a few ms
        store = SessionStore(client)
        watcher, watching = await _watcher(given, store, stack)
        recorder, recording = await _recorder(given, stack)
        yield Parts(
            settings=settings,
            client=client,
            sessions=store,
            sfu=given.sfu,
            cases=Entries(known),
            watcher=watcher,
            watching=watching,
            opening=asyncio.Lock(),
            outbox=Outbox(client),
            records=given.records,
            recorder=recorder,
            recording=recording,
            quotas=Quotas.of(client, store, settings, now_s=given.now_s),
            readers=readers_of(settings),
            team_models=teams_of(settings),
        )


async def _watcher(
    given: _Given, store: SessionStore, stack: AsyncExitStack
) -> tuple[Watcher | None, RestartedLoop | None]:
    """Return the watcher and its loop, which runs until `stack` is closed; or none."""
    if given.watch is None:
        return None, None
    watcher = Watcher(StoredSessions(given.client, store), given.sfu, given.watch)
    return watcher, await stack.enter_async_context(_in_background("watcher", watcher.run))


async def _recorder(given: _Given, stack: AsyncExitStack) -> tuple[Recorder | None, RestartedLoop | None]:
    """Return the recorder and its loop, which runs until `stack` is closed; or none."""
    if given.recording is None:
        return None, None
    keep_days = given.settings.record_days or None
    recorder = Recorder(given.client, given.records, limits=given.recording, keep_days=keep_days)
    return recorder, await stack.enter_async_context(_in_background("recorder", recorder.run))


@asynccontextmanager
async def _in_background(name: str, run: Callable[[], Awaitable[None]]) -> AsyncIterator[RestartedLoop]:
    """Run a loop while the block lasts; after a failure, which is logged, it is started again."""
    loop = RestartedLoop(name, run)
    task = asyncio.create_task(loop.forever(), name=name)
    try:
        yield loop
    finally:
        task.cancel()
        await asyncio.wait({task})


def _records(settings: Settings) -> Records | None:
    if settings.records_url is None:
        return None
    try:
        driver(settings.records_url)
    except DatabaseMisconfigured as error:
        raise SettingsError(str(error)) from None
    return LateRecords(settings.records_url)

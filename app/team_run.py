"""Run teams of ours in their sessions, each from its checkpoint to its end. Loaded at the first run."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

import httpx
from redis.asyncio import Redis

from agents.live import LiveError, LiveTeam, Opened, Refused
from agents.teams.budgets import Budget
from agents.teams.errors import TeamError
from agents.teams.port import Case
from agents.teams.running import RunCheckpoints
from app.addresses import page_address
from app.run_failed import RunFailed
from app.team_models import WantedModels
from app.team_request import TeamRequest
from app.teams import NoModel, Ready, prepared_run, told
from app.unanswered_inbox import UnansweredInbox
from chat_models import LLMError, ModelSpec
from exaim_live.sending import SEND_WITHIN_S
from infra.answered_messages import answered_messages
from infra.checkpoints import RedisSaver
from infra.egress import leaving
from infra.errors import StoreError
from infra.keys import SessionKeys
from infra.llm_registry import teams_of
from infra.settings import Settings
from infra.team_runs import TeamRun, TeamRuns

log = logging.getLogger("exaim.teams")

AWAY: Final = (StoreError,)
MOST_STARTS: Final = 4
"""Close together, of one run: fewer than the deaths of a process after which all ends (`restarts.RestartLimits`)."""
TOO_OFTEN: Final = (
    "its process has failed too often over this case; leave out what is odd in it, and start it again"
)
OVER: Final = frozenset({"reasoning_over", "session_ended", "wrong_token"})
"""Refusals that say that nobody hears this team any more."""


class RunRefused(Exception):
    """A run can't be made as it was asked for; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Makes runs: at whose API, with which store and models. `speed` is of scripted models."""

    client: Redis
    http: httpx.AsyncClient
    base_url: str
    settings: Settings
    environ: Mapping[str, str]
    speed: float = 1.0

    async def run_team(self, run: TeamRun) -> None:
        """Have a team reason until it is done, its session has ended, or the clinician wants no more of it.

        Cancelled, it leaves the session as it is, to be gone on with. What it can't do it tells the session, whose
        reasoning ends.

        Raises: RunFailed; StoreError; what a library raises.
        """
        try:
            await _run_team(run, self)
        except Refused as error:
            if error.code not in OVER:
                raise RunFailed(str(error)) from None
            log.info("nobody hears the team of %s any more (%s)", run.session_id, error.code)
        except LiveError as error:
            raise RunFailed(str(error)) from None

    async def forget(self, run: TeamRun) -> None:
        """Delete the checkpoints of a run that is over. Raises: StoreError."""
        await RedisSaver(self.client).adelete_thread(run.checkpoints)

    async def aclose(self) -> None:
        """Close its connections to the API."""
        await self.http.aclose()


def runner(client: Redis, settings: Settings, environ: Mapping[str, str]) -> Runner:
    """Return what makes runs as a client of the API on this machine."""
    return Runner(client, client_of(settings), page_address(settings), settings, environ, settings.speed)


def client_of(settings: Settings) -> httpx.AsyncClient:
    """Return a client for this machine's API; with our own certificate it accepts that one by any name."""
    if settings.tls_cert is None:
        return httpx.AsyncClient(timeout=SEND_WITHIN_S, trust_env=False)
    context = ssl.create_default_context(cafile=str(settings.tls_cert))
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return httpx.AsyncClient(timeout=SEND_WITHIN_S, verify=context, trust_env=False)


def _opened(run: TeamRun, place: Runner) -> Opened:
    return Opened(f"{place.base_url.rstrip('/')}/sessions/{run.session_id}/events", run.team_token)


async def _run_team(run: TeamRun, place: Runner) -> None:
    async with LiveTeam(_opened(run, place), http=place.http) as live:
        try:
            starts = await TeamRuns(place.client).begun(run.session_id)
            log.info("the team of %s begins, after event %d", run.session_id, live.next_seq - 1)
            kept = RunCheckpoints(RedisSaver(place.client), run.checkpoints, live.next_seq, AWAY)
            why = TOO_OFTEN if starts > MOST_STARTS else await live.run(_reasoned(run, place, live, kept))
            if why is not None:
                live.break_off(why)
        except BaseException:  # cancelled too: whoever comes next goes on
            live.hand_over()
            raise
    log.info("the team of %s is done%s", run.session_id, f": it was {live.why}" if live.why else "")


async def _reasoned(run: TeamRun, place: Runner, live: LiveTeam, kept: RunCheckpoints) -> str | None:
    try:
        ready = await asyncio.to_thread(_ready, run, place, kept)
    except (RunRefused, NoModel, TeamError, LLMError, ValueError) as error:
        return str(error)
    known: set[str] = set()
    if live.next_seq > 0:  # an earlier life has said something
        known = await answered_messages(
            place.client, SessionKeys(run.thread_id, run.session_id), kept.said.read
        )
    async with AsyncExitStack() as stack:
        if ready.close is not None:
            stack.push_async_callback(ready.close)
        return await told(ready, live, UnansweredInbox(live.teams_inbox(), known), _quietly)


def _ready(run: TeamRun, place: Runner, kept: RunCheckpoints | None) -> Ready:
    """Return the team. Its clients are loaded here, off the loop."""
    asked = TeamRequest(
        run.team, None, run.scripted or None, WantedModels(), Budget(tokens=run.tokens), speed=place.speed
    )
    spec = None if run.scripted else _model(run, place)
    if run.stays_here:
        gone = leaving(place.settings, () if spec is None else (spec,), place.environ)
        if gone:
            raise RunRefused(f"the case is to stay on this machine, and would leave it by {', '.join(gone)}")
    case = Case(**run.case.model_dump()) if run.case is not None else None
    return prepared_run(asked, case, spec, place.environ, kept)


def _model(run: TeamRun, place: Runner) -> ModelSpec:
    models = teams_of(place.settings, place.environ)
    if run.model not in models:
        raise RunRefused("its model is not among those that are configured here any more")
    return models[run.model]


_quietly: Callable[[str], None] = log.debug

"""`exaim team`: have a team of ours reason about a case, as a client of a running EXAIM Voice."""

from __future__ import annotations

import asyncio
import webbrowser
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final, Protocol

import httpx

from agents.keys import NoOpenerKey
from agents.stream import EventType, Progress, ProgressKind, TurnMark
from agents.teams.budgets import Budget, Ledger
from agents.teams.case_files import read_case
from agents.teams.cdss import CdssTeam
from agents.teams.doctors import DoctorsTeam
from agents.teams.errors import TeamError
from agents.teams.mdagents.debates import Debate
from agents.teams.mdagents.settings import VOICE
from agents.teams.mdagents.team import HEARD, MDAgentsTeam
from agents.teams.port import Case, Inbox, Models, Team
from agents.teams.running import RunCheckpoints, Running
from agents.teams.scripted import ScriptedModels, read_script, script_names
from app import exits, launcher
from app.console import complain, say, without_log_of_calls
from app.resumable_runs import Keeping, NoSuchRun, kept_run, store_url
from app.team_models import A_SERVICE, HOW, SpecModels, TeamModels, WantedModels
from app.team_request import TeamRequest as TeamRequest
from chat_models import LLMError, ModelSpec
from exaim_live import LiveError, LiveTeam, open_session
from infra.llm_registry import known_variables
from infra.settings import SettingsError, load_settings

SILENCE_S: Final = 1_800.0  # a model of one's own may think for long; a wait is told long before
TEAMS: Final = ("cdss", "doctors", "mdagents")
_BOUNDS: Final = frozenset({TurnMark.TURN_END, TurnMark.TURN_ABORTED})


class OurTeam(Team, Protocol):
    """A team of ours: its known speakers, and the roles that may have models of their own."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Return who will speak."""
        ...

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles of the models."""
        ...


class NoModel(Exception):
    """There is nothing that could answer; the message says what to set."""


@dataclass(slots=True)
class Ready:
    """A team that may begin."""

    team: OurTeam
    case: Case
    models: Models
    close: Callable[[], Awaitable[None]] | None = None
    with_kept: Callable[[RunCheckpoints], OurTeam] | None = None


def asked_for(
    *,
    team: str,
    case: Path | None,
    scripted: str | None,
    model: str | None,
    base_url: str | None,
    role_models: tuple[str, ...],
    doctors: int,
    rounds: int | None,
    tokens: int | None,
    money: float | None,
    seconds: float | None,
    one_patient: bool = False,
) -> TeamRequest:
    """Return what a command line asks for, from its options."""
    budget = Budget(tokens=tokens, money=money, seconds=seconds, rounds=rounds)
    wanted = WantedModels(model, base_url, role_models)
    return TeamRequest(team, case, scripted, wanted, budget, doctors, one_patient=one_patient)


def prepared(
    asked: TeamRequest,
    environ: Mapping[str, str],
    models_file: Path | None,
    today: date,
    *,
    resumed: bool = False,
) -> Ready:
    """Return the team with its case and models, before anything is opened.

    `resumed`: the run has begun, perhaps under an older version, and is refused for nothing that was taken then.

    Raises: NoModel, CaseRefused, TeamError, LLMError, ValueError, OSError.
    """
    if asked.team not in TEAMS:
        raise ValueError(f"there is no team {asked.team!r}; there are {', '.join(TEAMS)}")
    how = Running(budget=asked.budget)
    if asked.scripted is not None:
        idle = [] if resumed else _idle_beside_a_script(asked)
        if idle:
            raise NoModel(f"{_SCRIPTED_ALONE}; leave out {', '.join(idle)}. {_ELSE}")
        return _by_script(asked, asked.scripted, how)
    if asked.case is None:
        names = " | ".join(script_names(asked.team))
        raise NoModel(f"name a case's file, or a scripted one: --scripted {names}")
    case = read_case(asked.case, today=today, one_patient=asked.one_patient, taken=resumed)
    roles = _team(asked, how).roles
    try:
        found = TeamModels(asked.wanted, roles, environ, models_file)
    except LLMError as error:
        raise NoModel(f"{error}.\n{_what_to_set(asked.team)}") from None
    return _by_models(asked, case, found, how)


def prepared_run(
    asked: TeamRequest,
    case: Case | None,
    spec: ModelSpec | None,
    environ: Mapping[str, str],
    kept: RunCheckpoints | None,
) -> Ready:
    """Return the team of a run that the API was asked for: by its script, or with its case and a model.

    Raises: TeamError, LLMError, ValueError.
    """
    how = Running(budget=asked.budget, kept=kept)
    if asked.scripted is not None:
        return _by_script(asked, asked.scripted, how)
    if case is None or spec is None:
        raise NoModel("a run has a script, or a case and a model")
    return _by_models(asked, case, SpecModels(spec, environ), how)


def _by_script(asked: TeamRequest, name: str, how: Running) -> Ready:
    script = read_script(name, asked.team)
    how = replace(how, free=True)
    models: Models
    if asked.team == "mdagents":
        models = Debate(script, speed=asked.speed)
    else:
        models = ScriptedModels(script, asked.team, speed=asked.speed)
    return Ready(_team(asked, how), script.as_case(), models, with_kept=_with_kept(asked, how))


def _by_models(asked: TeamRequest, case: Case, found: SpecModels, how: Running) -> Ready:
    how = replace(how, prices=found.prices, structured=found.structured)
    Ledger(asked.budget, lambda: 0.0, how.prices).check(*(spec.model for spec in found.specs))
    return Ready(_team(asked, how), case, found, found.aclose, _with_kept(asked, how))


def _with_kept(asked: TeamRequest, how: Running) -> Callable[[RunCheckpoints], OurTeam]:
    """Return what makes the team with checkpoints, once it is known where."""
    return lambda kept: _team(asked, replace(how, kept=kept))


async def heard(
    ready: Ready,
    api_url: str,
    *,
    listen: bool = False,
    http: httpx.AsyncClient | None = None,
    keeping: Keeping | None = None,
) -> str | None:
    """Run the team as a client of the API; return why it broke off, if it did.

    Raises: LiveError, NoOpenerKey, NoSuchRun.
    """
    opened = keeping.opened if keeping is not None else None
    if opened is None:
        opened = await open_session(
            api_url,
            title=ready.case.title,
            paper=ready.case.paper,
            agents=list(ready.team.agents),
            silence_s=SILENCE_S,
            http=http,
        )
    say(f"Listen here: {opened.page_url}")
    if listen:
        webbrowser.open(opened.page_url)
    async with AsyncExitStack() as stack:
        if ready.close is not None:
            stack.push_async_callback(ready.close)
        live = await stack.enter_async_context(LiveTeam(opened, http=http))
        inbox: Inbox = live.teams_inbox()
        if keeping is not None and ready.with_kept is not None:
            kept, inbox = await stack.enter_async_context(keeping.kept(opened, live.next_seq, inbox))
            ready = replace(ready, team=ready.with_kept(kept)) if kept is not None else ready
        why = await live.run(told(ready, live, inbox))
        return why if live.why is None else f"the session was {live.why}"


async def told(ready: Ready, live: LiveTeam, inbox: Inbox, say: Callable[[str], None] = say) -> str | None:
    """Give a team's events to a live session; return why it broke off, if it did.

    The end of a turn is waited for until the server has it: what a checkpoint holds as told is told then, though
    the process is killed.
    """
    why: str | None = None
    async with aclosing(ready.team.run(ready.case, ready.models, inbox)) as events:
        async for event in events:
            live.tell(event)
            if event.progress is not None and event.progress.text:
                say(f"  {event.progress.text}{asked_at(event.progress, ready.models)}")
            if event.type is EventType.ERROR:
                why = event.data
                live.break_off(why)
            if event.mark in _BOUNDS:
                await live.stored()
            await asyncio.sleep(0)
            if live.refused is not None:
                return str(live.refused)
    return why


def asked_at(step: Progress, models: Models) -> str:
    """Return which host was asked in vain."""
    if step.kind is not ProgressKind.FAILED or not isinstance(models, SpecModels):
        return ""
    hosts = dict.fromkeys(map(models.host_of, step.agents))
    return f" (asked: {', '.join(hosts)})" if hosts else ""


def _team(asked: TeamRequest, how: Running) -> OurTeam:
    if asked.team == "mdagents":
        rounds = VOICE.rounds if asked.budget.rounds is None else asked.budget.rounds
        how = replace(how, structured=HEARD.structured)  # a provider's own way of JSON comes whole
        return MDAgentsTeam(replace(VOICE, rounds=rounds), how)
    if asked.team == "doctors":
        return DoctorsTeam(how, doctors=asked.doctors)
    return CdssTeam(how)


def _idle_beside_a_script(asked: TeamRequest) -> list[str]:
    """Return the options that do nothing beside a script, which has its case and asks no model."""
    idle = {
        "CASE": asked.case,
        "--model": asked.wanted.model,
        "--base-url": asked.wanted.base_url,
        "--role-model": asked.wanted.role_models or None,
        "--max-money": asked.budget.money,
        "--one-patient": asked.one_patient or None,
    }
    return [name for name, given in idle.items() if given is not None]


_SCRIPTED_ALONE: Final = "--scripted plays a case of its own and asks no model"
_ELSE: Final = (
    "For a case of yours leave out --scripted, and set a model (--model, --base-url or a provider's key)"
)


def _what_to_set(team: str) -> str:
    return (
        f"A case of your own wants a model: --model {HOW}.\n"
        f"{A_SERVICE}"
        f"  none at all, on a case of ours:       --scripted {' | '.join(script_names(team))}"
    )


@without_log_of_calls()
def run(asked: TeamRequest, url: str | None, *, listen: bool, resume: str | None = None) -> int:
    """Run a team as the command line asks for it, and say how it goes; return the exit code.

    `resume`: the name of a run that was cut, which is gone on with as it was asked for then.
    """
    try:
        settings = load_settings()
        before = kept_run(resume) if resume is not None else None
        asked = asked if before is None else before.asked
        today = date.today()  # noqa: DTZ011 - an age in years
        ready = prepared(asked, known_variables(), settings.models, today, resumed=before is not None)
        for each in ready.case.left_out:
            say(f"  not taken over: {each}")
        keeping = Keeping(asked, store_url(settings), before.opened if before is not None else None)
        address = url or launcher.page_address(settings)
        why = asyncio.run(heard(ready, address, listen=listen, keeping=keeping))
    except (
        NoModel,
        NoSuchRun,
        SettingsError,
        TeamError,
        LLMError,
        LiveError,
        NoOpenerKey,
        ValueError,
        OSError,
    ) as error:
        return complain(str(error), exits.Exit.SETTINGS)
    if why is not None:
        return complain(why, exits.Exit.CHECK_FAILED)
    say("the team is done")
    return exits.Exit.STOPPED.value

"""`GET /teams`, `POST /teams`: a team of ours on a case, started in one step."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Annotated, Any, Final, Literal, Self, get_args

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agents.teams.case_files import case_of
from agents.teams.errors import CaseRefused, ScriptRefused, SeemsTwo
from agents.teams.port import Case
from agents.teams.script_files import read_script, script_names
from chat_models import ModelSpec, lacks
from exaim_core import CasePaper
from infra.clock import wall_ms
from infra.egress import is_here, leaving
from infra.errors import TeamsFull
from infra.llm_registry import known_variables
from infra.sessions import SessionRecord
from infra.team_runs import RunCase, TeamRun
from routes.authentication import NO_KEY, Caller
from routes.configured import chosen, must_stay
from routes.errors import AWAY, INVALID, ApiError, answers, complaint
from routes.lifecycle import Opening, open_with_team_of_ours
from routes.parts import Parts, PartsHere
from routes.quotas import over
from routes.sessions import TITLE_MAX, LiveCase, SessionOpened, for_clinician, live_opening

router = APIRouter(tags=["teams of ours"])

TeamName = Literal["cdss", "doctors", "mdagents"]
SILENCE_S: Final = 1_800.0  # a model of one's own may think for long; a wait is told long before
AGENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "cdss": ("laboratory", "cardiology", "internal_medicine", "radiology", "orchestrator"),
    "doctors": ("doctor0", "doctor1", "doctor2", "supervisor"),
    "mdagents": (),
}
"""Who will speak, as far as that is known. The teams' own modules, which load a graph, say the same."""
ABOUT: Final[Mapping[str, str]] = {
    "cdss": "an orchestrator asks a laboratory, a cardiology, an internal medicine and a radiology specialist",
    "doctors": "three doctors argue in turns, and a supervisor decides",
    "mdagents": "a team that recruits its own experts, by how hard the case is",
}
TOKENS: Final = 400_000
"""The bound of a case where none is asked for: ten times what a usual one takes. A loop ends there."""
FULL_RETRY_S: Final = 30
NO_CASE: Final = "case_refused: the case can't be read, and where; two_patients: a text seems to tell of two"
OVER_QUOTA: Final = (
    "too_many_teams, teams_full, too_many_sessions, too_many_openings, logs_full or store_low: again after "
    "Retry-After"
)


class TeamShown(BaseModel):
    """A team that can be started."""

    name: TeamName
    about: str
    agents: tuple[str, ...] = Field(description="who will speak, as far as that is known")


class ModelShown(BaseModel):
    """A model that the operator configured."""

    name: str = Field(description="what POST /teams takes; no address and no key is ever taken from a caller")
    host: str = Field(description="where the words go")
    stays_here: bool = Field(description="that is this machine")
    problem: str | None = Field(description="why it can't be asked, or null")


class ScriptShown(BaseModel):
    """A case of ours that needs no model: its words are from a script."""

    name: str
    title: str
    teams: tuple[TeamName, ...] = Field(description="those that have lines in it")


class TeamsShown(BaseModel):
    """What a team can be started with."""

    teams: tuple[TeamShown, ...]
    models: tuple[ModelShown, ...] = Field(description="the usual one first; none: only scripted cases")
    scripted: tuple[ScriptShown, ...]
    leaves: tuple[str, ...] = Field(
        description="what else gets words of a session and is not on this machine: `stays_here` is refused then"
    )


class StartTeam(BaseModel):
    """Which team is to reason about what. Either `scripted`, or `case` with a model."""

    model_config = ConfigDict(extra="forbid")

    team: TeamName = "cdss"
    scripted: Annotated[str, Field(min_length=1, max_length=40)] | None = Field(
        default=None, description="one of GET /teams' scripted cases"
    )
    case: Annotated[str, Field(min_length=1)] | dict[str, Any] | None = Field(
        default=None,
        description="text as it stands; or a case paper, a clinical case or a FHIR R4 Bundle, as JSON (docs/teams.md)",
    )
    model: Annotated[str, Field(min_length=1, max_length=40)] | None = Field(
        default=None, description="the name of one of GET /teams' models; by default the first"
    )
    one_patient: bool = Field(
        default=False, description="all of a text is about one patient: said so after `two_patients`"
    )
    stays_here: bool = Field(
        default=False,
        description="models, voice, recogniser, SFU, store and database have to be on this machine, else 409",
    )
    max_tokens: Annotated[int, Field(ge=1_000, le=5_000_000)] = Field(
        default=TOKENS,
        description="most tokens, in and out, that the case may take",
    )

    @model_validator(mode="after")
    def _one_case(self) -> Self:
        if (self.scripted is None) == (self.case is None):
            raise ValueError("give either scripted, the name of a case of ours, or case, one of your own")
        if self.scripted is not None and self.model is not None:
            raise ValueError("a scripted case asks no model")
        return self


@router.get("/teams", summary="Say what a team can be started with", responses=answers(NO_KEY, INVALID))
async def show_teams(caller: Caller, parts: PartsHere) -> TeamsShown:
    """Return the teams, the models by the names that the operator gave them, and the scripted cases."""
    environ = known_variables()
    return TeamsShown(
        teams=tuple(
            TeamShown(name=name, about=ABOUT[name], agents=AGENTS[name]) for name in get_args(TeamName)
        ),
        models=tuple(_shown(name, spec, environ) for name, spec in parts.team_models.items()),
        scripted=await asyncio.to_thread(_scripts),
        leaves=tuple(leaving(parts.settings, (), environ)),
    )


@router.post(
    "/teams",
    status_code=201,
    summary="Start a team on a case",
    responses=answers(
        NO_KEY,
        (404, "unknown_script, unknown_model: the message names those there are"),
        (409, "no_model: what to set; leaves_machine: what is not on this machine, and was to stay on it"),
        (413, "too_large"),
        (422, f"{NO_CASE}; {INVALID[1]}"),
        (429, OVER_QUOTA),
        AWAY,
    ),
)
async def start_a_team(asked: StartTeam, caller: Caller, parts: PartsHere) -> SessionOpened:
    """Open a session, and have the team reason in it. Whoever starts it is its clinician."""
    environ = known_variables()
    model = None if asked.scripted is not None else chosen(parts, asked.model, environ)
    if asked.stays_here:
        must_stay(parts, model, environ)
    case = await asyncio.to_thread(_case, asked)
    opening = replace(_opening(case, asked, parts), tenant=caller.tenant, opened_by=caller.principal)
    parts.quotas.count_team(caller.tenant, caller.principal)

    def run(record: SessionRecord, team_token: str) -> TeamRun:
        return TeamRun(
            session_id=record.session_id,
            thread_id=record.thread_id,
            tenant=record.tenant,
            opened_by=record.opened_by,
            team=asked.team,
            scripted=asked.scripted or "",
            case=None if asked.scripted is not None else _kept(case),
            model=model or "",
            stays_here=asked.stays_here,
            tokens=asked.max_tokens,
            team_token=team_token,
            at_ms=wall_ms(),
        )

    try:
        opened = await open_with_team_of_ours(parts, opening, run)
    except TeamsFull as full:
        raise over("teams_full", str(full), FULL_RETRY_S) from None
    return for_clinician(parts, opened)


def _case(asked: StartTeam) -> Case:
    """Return the case. Raises: ApiError."""
    if asked.scripted is not None:
        try:
            return read_script(asked.scripted, asked.team).as_case()
        except ScriptRefused:
            names = ", ".join(script_names(asked.team))
            message = f"there is no such script for {asked.team}; those there are: {names}"
            raise ApiError(404, "unknown_script", message) from None
    text = asked.case if isinstance(asked.case, str) else json.dumps(asked.case)
    try:
        return case_of(text, today=date.today(), one_patient=asked.one_patient)  # noqa: DTZ011 - an age in years
    except SeemsTwo as refused:
        raise ApiError(422, "two_patients", str(refused)) from None
    except CaseRefused as refused:
        raise _refused(str(refused)) from None


def _opening(case: Case, asked: StartTeam, parts: Parts) -> Opening:
    """Return what the session is opened with. Raises: ApiError: nothing can hold such a case."""
    title = " ".join("".join(each if each.isprintable() else " " for each in case.title).split())[:TITLE_MAX]
    try:
        return live_opening(
            LiveCase(
                title=title or "A case of your own",
                paper=None if case.paper is None else CasePaper.model_validate(case.paper),
                agents=AGENTS[asked.team],
                silence_s=SILENCE_S,
                max_tokens=asked.max_tokens,
            ),
            parts,
        )
    except ValidationError as error:  # its own text quotes the case
        raise _refused(f"the case can't be kept: {complaint(error.errors()[0])}") from None


def _refused(why: str) -> ApiError:
    return ApiError(422, "case_refused", why)


def _kept(case: Case) -> RunCase:
    return RunCase(case_id=case.case_id, text=case.text, title=case.title, paper=case.paper)


def _shown(name: str, spec: ModelSpec, environ: Mapping[str, str]) -> ModelShown:
    variable = lacks(spec, environ)
    problem = f"the operator has not set {variable}" if variable else None
    return ModelShown(name=name, host=spec.host, stays_here=is_here(spec), problem=problem)


@cache
def _scripts() -> tuple[ScriptShown, ...]:
    return tuple(_script(each) for each in script_names())


def _script(name: str) -> ScriptShown:
    script = read_script(name)
    return ScriptShown(
        name=name, title=script.as_case().title, teams=tuple(each for each in AGENTS if each in script.lines)
    )

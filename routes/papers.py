"""`POST /papers/draft`: a case paper out of free text, to be corrected before a team reads it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from agents.teams.errors import CaseEmpty, CaseRefused, CaseTooLong, NothingBorne, ScriptRefused, SeemsTwo
from agents.teams.paper_draft import CLERK, PaperDraft, draft_paper
from agents.teams.reasons import why
from chat_models import (
    LLMError,
    LLMRole,
    MissingKey,
    MissingPackage,
    ModelSpec,
    Registry,
)
from infra.llm_registry import known_variables
from routes.authentication import NO_KEY, Caller
from routes.configured import chosen, must_stay
from routes.errors import INVALID, ApiError, answers
from routes.parts import Parts, PartsHere

if TYPE_CHECKING:
    from chat_models.registry import BaseChatModel

router = APIRouter(tags=["teams"])

_CODES: Final[dict[type[CaseRefused], str]] = {
    CaseEmpty: "case_empty",
    CaseTooLong: "case_too_long",
    SeemsTwo: "two_patients",
    NothingBorne: "nothing_borne",
}


class Written(BaseModel):
    """A free text and who copies it; or, for a try without any model, the name of a script."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(default="", description="of one patient; at most 40,000 characters")
    model: str | None = Field(
        default=None, max_length=64, description="the name of one of GET /teams' models; by default the first"
    )
    stays_here: bool = Field(
        default=False,
        description="model, voice, recogniser, SFU, store and database have to be on this machine, else 409",
    )
    one_patient: bool = Field(
        default=False,
        description="all of it is about one patient: whoever gives it says so after `two_patients`",
    )
    scripted: str | None = Field(
        default=None, max_length=64, description="in place of both: a text of ours and its scripted paper"
    )


class SourceShown(BaseModel):
    """From which words a field comes."""

    model_config = ConfigDict(from_attributes=True)

    field: str = Field(description="such as `labs.0`: the first entry of `labs`; or `age`")
    words: str
    start: int = Field(description="where the words begin in the text, in characters")
    end: int


class LeftOutShown(BaseModel):
    """What the model said and the text does not bear."""

    model_config = ConfigDict(from_attributes=True)

    field: str
    words: str = Field(description="the words that the model gave for it")
    why: str


class DraftShown(BaseModel):
    """A paper to be corrected. `text` is what it was made of."""

    paper: dict[str, Any] = Field(
        description="as `live.paper` of POST /sessions takes it, once it is corrected"
    )
    sources: tuple[SourceShown, ...]
    left_out: tuple[LeftOutShown, ...]
    unread: tuple[str, ...] = Field(description="sentences from which nothing was taken")
    text: str
    scripted: bool = Field(description="whether a script, and no model, made it")


@router.post(
    "/papers/draft",
    summary="Make a case paper from free text",
    responses=answers(
        NO_KEY,
        (404, "unknown_model, unknown_script: the message names those there are"),
        (409, "no_model, leaves_machine: the message says what to set, or what the text would leave by"),
        (422, f"{INVALID[1]}; or {', '.join(_CODES.values())}: the message says what to give"),
        (429, "too_many_drafts: scripted ones and refused ones count too; wait"),
        (502, "model_failed: the model brought no form; the message says why"),
    ),
)
async def draft(caller: Caller, asked: Written, parts: PartsHere) -> DraftShown:
    """Ask a model once to copy; what the text does not bear is left out. Nothing is stored."""
    parts.quotas.count_draft(caller.tenant, caller.principal)
    async with AsyncExitStack() as stack:
        try:
            if asked.scripted is not None:
                text, made = await _scripted(asked)
            else:
                spec = _spec(parts, asked)
                text, model = asked.text, await _model(spec, stack)
                made = await draft_paper(
                    text, model, structured=spec.structured, one_patient=asked.one_patient
                )
        except (MissingKey, MissingPackage) as error:
            raise ApiError(409, "no_model", f"{error}; or try `scripted`, which needs none") from None
        except LLMError as error:
            message = f"the model made no paper ({why(error)}); try again, or another model"
            raise ApiError(502, "model_failed", message) from None
        except CaseRefused as error:
            raise ApiError(422, _CODES.get(type(error), "case_refused"), str(error)) from None
    return _shown(text, made, scripted=asked.scripted is not None)


async def _scripted(asked: Written) -> tuple[str, PaperDraft]:
    from agents.teams import scripted  # LangChain is loaded where it is wanted

    if asked.text or asked.model:
        raise ApiError(422, "invalid_request", "scripted: it has a text of its own, and asks no model")
    try:
        script = await asyncio.to_thread(scripted.read_paper_script, asked.scripted or "")
    except ScriptRefused as error:
        raise ApiError(404, "unknown_script", str(error)) from None
    model = scripted.ScriptedModels(script, "paper").of(CLERK)
    return script.free_text, await draft_paper(script.free_text, model)


def _spec(parts: Parts, asked: Written) -> ModelSpec:
    """Return the model that is asked. Raises: ApiError 404, 409."""
    environ = known_variables()
    name = chosen(parts, asked.model, environ)
    if asked.stays_here:
        must_stay(parts, name, environ)
    return parts.team_models[name]


async def _model(spec: ModelSpec, stack: AsyncExitStack) -> BaseChatModel:
    """Return a model whose connections end with the call. Raises: MissingKey, MissingPackage."""
    registry = Registry({LLMRole.MAS: spec}, known_variables())
    stack.push_async_callback(registry.aclose)
    return await asyncio.to_thread(registry.model_of, spec)  # a client takes a second to load


def _shown(text: str, made: PaperDraft, *, scripted: bool) -> DraftShown:
    return DraftShown(
        paper=made.paper,
        sources=tuple(map(SourceShown.model_validate, made.sources)),
        left_out=tuple(map(LeftOutShown.model_validate, made.left_out)),
        unread=made.unread,
        text=text,
        scripted=scripted,
    )

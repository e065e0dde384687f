"""`GET /cases`: what can be listened to."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from routes.authentication import NO_KEY, Caller
from routes.errors import answers
from routes.parts import PartsHere

router = APIRouter(tags=["cases"])


class CaseInfo(BaseModel):
    """A case."""

    model_config = ConfigDict(from_attributes=True)

    case_id: str = Field(description="what a session is opened with")
    title: str
    words: int = Field(description="words that the agents say in it")
    duration_s: float = Field(description="how long they take, in seconds, at speed 1")
    agents: tuple[str, ...] = Field(description="ids of the agents in it")
    problem: str | None = Field(description="why it can't be played, or null")


class CaseList(BaseModel):
    """All cases, in the catalogue's order."""

    cases: list[CaseInfo]


@router.get("/cases", summary="List the cases", responses=answers(NO_KEY))
async def list_cases(_: Caller, parts: PartsHere) -> CaseList:
    """List every case that was found, the broken ones too, each of those with its problem."""
    return CaseList(cases=[CaseInfo.model_validate(entry) for entry in parts.cases.values()])

"""The state of the CDSS's graph: plain data, so that any checkpointer holds it."""

from __future__ import annotations

import operator
import re
from typing import Annotated, Any, Final, TypedDict

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agents.teams.calling import CallCosts, Said

ORCHESTRATOR: Final = "orchestrator"
SPECIALISTS: Final = {
    "laboratory": "laboratory results, their trends, what they can and can't tell, and what is to be measured again",
    "cardiology": "heart, vessels, rhythm and ECG, haemodynamics, and what drugs do to them",
    "internal_medicine": "the whole patient: the differential diagnosis, interactions of diseases and drugs, the plan",
    "radiology": "imaging that was done, what it shows and misses, and which study is next and safe for the patient",
}
"""The roster, each with what it looks at."""

ROUNDS: Final = 13  # exaim_checklist 45, M28


def _up_to(most: int) -> AfterValidator:
    """Return what keeps a text's first whole sentences and marks it as cut: a plan stands whatever its length."""

    def kept(text: str) -> str:
        if len(text) <= most:
            return text
        whole = re.match(r"(?s:.*)[.!?\n](?=\s)", text[: most + 1])
        return f"{whole[0] if whole is not None else text[:most]} […]"

    return AfterValidator(kept)


class NextTask(BaseModel):
    """Whom to ask, and what."""

    model_config = ConfigDict(extra="ignore")

    specialist: str
    task: Annotated[str, Field(min_length=1), _up_to(2_000)]


class Route(BaseModel):
    """How the case goes on."""

    model_config = ConfigDict(extra="ignore")

    summary: Annotated[str, _up_to(4_000)] = ""
    next: list[NextTask] = []
    done: bool = False


class CdssState(TypedDict, total=False):
    """A case on its way. What is asked in a round stands under `plan`."""

    case: str
    round: int
    summary: str
    plan: list[dict[str, str]]
    done: bool
    said: Annotated[list[Said], operator.add]
    failed: Annotated[list[str], operator.add]
    notes: Annotated[list[dict[str, Any]], operator.add]
    spent: Annotated[list[CallCosts], operator.add]
    final: str


class Asked(TypedDict):
    """What one specialist is given: its own part of the state, when several are asked at once."""

    case: str
    round: int
    agent: str
    task: str
    summary: str
    said: list[Said]
    notes: list[dict[str, Any]]

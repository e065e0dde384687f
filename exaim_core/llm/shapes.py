"""What models are asked to answer with."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic.json_schema import SkipJsonSchema

from exaim_core.judge import StreamState


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class BufferAnalysisNoNovelty(_Shape):
    """How a new segment stands to what came before it, novelty aside."""

    rationale: str
    stream_state: StreamState
    is_relevant: bool
    is_complete: bool


class BufferAnalysis(BufferAnalysisNoNovelty):
    """How a new segment stands to what came before it."""

    is_novel: bool


_Text = Annotated[str, StringConstraints(min_length=1)]


class SummaryText(_Shape):
    """Six fields of a handover, and sentences worth hearing now."""

    status_action: _Text
    key_findings: _Text
    differential_rationale: _Text
    uncertainty_confidence: _Text
    recommendation_next_step: _Text
    agent_contributions: _Text
    spoken: list[str] = []


class Slots(_Shape):
    """Words of the cited sentences, exactly as they stand there; what there is not is left out."""

    entity: str | None = None
    value: str | None = None
    unit: str | None = None
    side: str | None = None
    time: str | None = None
    from_: str | None = Field(default=None, alias="from", serialization_alias="from")
    to: str | None = None
    dose: str | None = None
    person: str | None = None
    reason: str | None = None

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        serialize_by_alias=True,
        coerce_numbers_to_str=True,  # "value": 6.9, as small models write it
    )


class ClaimShape(_Shape):
    """One claim, with the numbers of the sentences that it rests on."""

    kind: str
    holder: str
    stance: str
    hedge: str | None = None
    condition: str | None = None
    slots: Slots = Slots()
    say: str | None = None
    cites: list[int]
    before: list[int] = []


class SegmentClaims(_Shape):
    """What is claimed in one segment. A claim that has not the shape is left out, the others stand."""

    claims: list[ClaimShape] = []
    malformed: SkipJsonSchema[int] = 0  # counted here, and no model's to say

    @model_validator(mode="before")
    @classmethod
    def _each_by_itself(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("claims"), list):
            raise ValueError("there are no claims")  # noqa: TRY004 - pydantic translates this one only
        good, bad = [], 0
        for each in value["claims"]:
            try:
                good.append(ClaimShape.model_validate(each))
            except ValidationError:
                bad += 1
        return {"claims": good, "malformed": bad}

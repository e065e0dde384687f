"""Get six fields from a chat model: one rewrite if they are too long, and a cut as the last resort."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from chat_models.calls import ModelCaller
from chat_models.errors import CallFailed
from exaim_core.llm.prompts import rewrite_message
from exaim_core.llm.shapes import SummaryText
from exaim_core.schema import FIELD_LIMITS, AgentSummary


@dataclass(frozen=True, slots=True)
class ModelWriting:
    """What a model wrote, within the limits; `truncated` names the fields that were cut."""

    summary: AgentSummary
    spoken: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()


async def written(caller: ModelCaller, messages: Sequence[tuple[str, str]]) -> ModelWriting:
    """Return the answer, within one deadline for both questions.

    Raises CallFailed if the first one failed. If the second fails, or comes too late, fields are cut.
    """
    loop = asyncio.get_running_loop()
    until_s = loop.time() + caller.limits.deadline_s
    answer = await caller.structured(messages, SummaryText)
    long = too_long(answer)
    if long:
        try:
            again = [*messages, ("ai", answer.model_dump_json()), rewrite_message(long)]
            async with asyncio.timeout_at(until_s):
                answer = await caller.structured(again, SummaryText)
        except (CallFailed, TimeoutError):
            pass
    texts = {
        name: cut(" ".join(getattr(answer, name).split()), limit) for name, limit in FIELD_LIMITS.items()
    }
    return ModelWriting(
        summary=AgentSummary(**{name: text or "None stated." for name, text in texts.items()}),
        spoken=tuple(" ".join(each.split()) for each in answer.spoken if each.strip()),
        truncated=tuple(too_long(answer)),
    )


def too_long(answer: SummaryText) -> dict[str, int]:
    """Return the lengths of the fields beyond their limit, which is inclusive."""
    lengths = {name: len(" ".join(getattr(answer, name).split())) for name in FIELD_LIMITS}
    return {name: length for name, length in lengths.items() if length > FIELD_LIMITS[name]}


def cut(text: str, limit: int) -> str:
    """Return `text` cut to `limit`, at its last blank if that is beyond four fifths, else hard; no dots."""
    if len(text) <= limit:
        return text
    blank = text.rfind(" ", 0, limit + 1)
    return text[: blank if blank > limit * 4 // 5 else limit].rstrip()
